/**
 * Rows at hand that may no longer be as they stand in the service, "Live in" above all. They are read again when they are in sight, by
 * their ids, so that neither the place nor the order changes, and 50,000 rows cost no more than a screenful.
 */
import { type Signal, signal } from '@preact/signals';
import { listRedirects } from '../../api/redirects.ts';
import type { Redirect } from '../../api/wire.ts';

/** As many as one call may name; the rows of a tall screen are fewer. */
const MAX_IDS = 100;

export type StaleRows = ReturnType<typeof createStaleRows>;

export function createStaleRows(rows: Signal<readonly Redirect[]>) {
  const stale = new Set<number>();
  /** counts up whenever rows became stale */
  const outdated = signal(0);
  /** counts up whenever many rows were changed from here: soon something will be deployed */
  const written = signal(0);

  async function freshen(inSight: readonly Redirect[]): Promise<void> {
    const asked = inSight.filter(({ id }) => stale.has(id)).slice(0, MAX_IDS);
    const [first] = asked;
    if (!first) return;
    const ids = asked.map(({ id }) => id);
    // Rows that become stale once more while they are read are read once more.
    for (const id of ids) stale.delete(id);
    try {
      const filter = { website_id: first.website_id };
      const { redirects } = await listRedirects(filter, { ids: ids.join(','), limit: MAX_IDS });
      const found = new Map(redirects.map((redirect) => [redirect.id, redirect]));
      rows.value = rows.value.map((row) => (found.has(row.id) ? { ...row, ...found.get(row.id) } : row));
    } catch {
      // They stay as they were, and are asked for again when something moves.
      for (const id of ids) stale.add(id);
    }
  }

  return {
    outdated,
    written,
    freshen,
    /** These, or all at hand, may be otherwise by now. */
    outdate(which: Iterable<number> = rows.value.map(({ id }) => id)): void {
      for (const id of which) stale.add(id);
      outdated.value++;
    },
    wrote(): void {
      written.value++;
    },
    /** The rows at hand are all new. */
    allFresh(): void {
      stale.clear();
    },
  };
}
