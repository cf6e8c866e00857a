/** Redirects that others have created since the list was loaded. They are offered, because rows would move for them. */
import { batch, computed, type ReadonlySignal, signal } from '@preact/signals';
import { listRedirects } from '../../../api/redirects.ts';
import type { Redirect } from '../../../api/client/wire.ts';
import type { View } from '../view.ts';

/** New rows that are shown without another load of the list. */
const MAX_NEW = 20;

export type NewRows = ReturnType<typeof createNewRows>;

/** Ids increase with each new redirect. `view`: of the loaded rows. */
export function createNewRows(loaded: ReadonlySignal<readonly Redirect[]>, view: () => View | undefined) {
  /** the highest id that the list had when it was loaded; undefined: not known */
  const newest = signal<number | undefined>(undefined);
  /** those that the list shows since */
  const shownIds = signal<ReadonlySet<number>>(new Set());
  const found = signal<readonly Redirect[]>([]);
  const rows = computed(() => {
    const isNew = ({ id }: Redirect): boolean => id > (newest.value ?? Infinity) && !shownIds.value.has(id);
    const candidates = found.value.filter(isNew);
    // Scrolling may have loaded them since.
    const listed = candidates.length > 0 ? new Set(loaded.value.map(({ id }) => id)) : undefined;
    return candidates.filter(({ id }) => !listed?.has(id));
  });

  function begin(id: number | undefined): void {
    batch(() => {
      newest.value = id;
      shownIds.value = new Set();
      found.value = [];
    });
  }

  const read = async (shown: View, limit: number, signal?: AbortSignal): Promise<readonly Redirect[]> =>
    (await listRedirects(shown.filter, { sort: '-id', limit }, signal)).redirects;

  return {
    newest,
    begin,
    /** matching redirects that are not in the list, newest first, up to MAX_NEW + 1 */
    rows,
    areMany: computed(() => rows.value.length > MAX_NEW),
    /** `page`: the first rows of the list, if they are loaded. In another order, a request asks for the newest one. */
    async start(shown: View, page: readonly Redirect[] | undefined, signal: AbortSignal): Promise<void> {
      begin(undefined);
      const first = (shown.sort === '-id' ? page : undefined) ?? (await read(shown, 1, signal).catch(() => undefined));
      if (first && !signal.aborted) newest.value = first[0]?.id ?? 0;
    },
    /** Looks for redirects of others. Errors are ignored: the next change is a new attempt. */
    async look(): Promise<void> {
      const shown = view();
      if (!shown || newest.peek() === undefined) return;
      const latest = await read(shown, MAX_NEW + 1).catch(() => undefined);
      if (latest && view() === shown) found.value = latest;
    },
    /** Counts a redirect as shown. */
    has(id: number): void {
      shownIds.value = new Set([...shownIds.value, id]);
    },
  };
}
