/**
 * Loaded rows that may be out of date, for example in "Live in". They are loaded again by id when they are visible, so
 * scroll position and order stay, and 50,000 rows cost no more than a screenful.
 */
import { type Signal, signal } from '@preact/signals';
import { listRedirects } from '../../../api/redirects.ts';
import type { Redirect } from '../../../api/client/wire.ts';
import { mapped, type RowWindow, rowsOf } from '../../../ui/list/row-window.ts';

/** Limit of one request; a tall screen shows fewer rows. */
const MAX_IDS = 100;
/** Longer than the animation of a row (grid.css). */
const GLOW_MS = 2_500;

export type StaleRows = ReturnType<typeof createStaleRows>;

/** `onGone`: rows that no longer exist were removed. */
export function createStaleRows(window: Signal<RowWindow<Redirect>>, onGone: () => void) {
  const stale = new Set<number>();
  /** increases whenever rows become stale */
  const staleVersion = signal(0);
  /** increases with each bulk change from this page: a deployment follows soon */
  const bulkWrites = signal(0);
  /** rows that others have just changed */
  const changed = signal<ReadonlySet<number>>(new Set());
  let glow: ReturnType<typeof setTimeout> | undefined;

  function showChanged(ids: number[]): void {
    if (ids.length === 0) return;
    changed.value = new Set(ids);
    clearTimeout(glow);
    glow = setTimeout(() => (changed.value = new Set()), GLOW_MS);
  }

  /** `kept`: the row that is edited. It stays even if it no longer exists. */
  async function refreshStale(visible: readonly Redirect[], kept: number | undefined): Promise<void> {
    const toLoad = visible.filter(({ id }) => stale.has(id)).slice(0, MAX_IDS);
    const [first] = toLoad;
    if (!first) return;
    const ids = toLoad.map(({ id }) => id);
    // Before the request, so that rows that become stale while it runs are loaded again.
    for (const id of ids) stale.delete(id);
    try {
      const filter = { website_id: first.website_id };
      const { redirects } = await listRedirects(filter, { ids: ids.join(','), limit: MAX_IDS });
      const found = new Map(redirects.map((redirect) => [redirect.id, redirect]));
      const gone = new Set(ids.filter((id) => !found.has(id) && id !== kept));
      showChanged(toLoad.filter((row) => isOther(row, found.get(row.id))).map(({ id }) => id));
      window.value = mapped(window.value, (rows) =>
        rows.filter(({ id }) => !gone.has(id)).map((row) => ({ ...row, ...found.get(row.id) })),
      );
      if (gone.size > 0) onGone();
    } catch {
      // Retried on the next scroll or change.
      for (const id of ids) stale.add(id);
    }
  }

  return {
    staleVersion,
    bulkWrites,
    changed,
    refreshStale,
    /** Default: all loaded rows. */
    markStale(ids: Iterable<number> = rowsOf(window.value).map(({ id }) => id)): void {
      for (const id of ids) stale.add(id);
      staleVersion.value++;
    },
    countBulkWrite(): void {
      bulkWrites.value++;
    },
    clearStale(): void {
      stale.clear();
    },
  };
}

/** True if the redirect was edited, not only deployed. */
const isOther = (row: Redirect, now: Redirect | undefined): boolean =>
  now !== undefined && now.updated_at !== row.updated_at;
