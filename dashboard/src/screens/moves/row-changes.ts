/** Shows what other users have decided in the rows on the screen, which keep their places. */
import { useEffect, useRef } from 'preact/hooks';
import { changedRows } from '../../api/moves.ts';
import { rowsOf } from '../../ui/list/row-window.ts';
import type { Desk, DeskRow } from './desk.ts';

/**
 * Whenever the move has changed, all loaded rows may have. They are compared once they are visible, so that 100,000 cost
 * no more than a screenful. A row that is being decided stays: its conflict is reported when it is sent.
 */
export function useRowChanges(desk: Desk, visible: readonly DeskRow[]): void {
  const { website, moveId, stored, list, queue, change } = desk;
  const known = useRef(stored);
  const stale = useRef(new Set<string>());
  useEffect(() => {
    const window = list.window.peek();
    if (window && known.current && stored !== known.current)
      stale.current = new Set(rowsOf(window).map(({ url }) => url));
    known.current = stored;
    const rows = visible.filter(({ url }) => stale.current.has(url) && !queue.has(url));
    if (rows.length > 0) void compare(rows);
  }, [stored, visible[0]?.url, visible.at(-1)?.url]);

  async function compare(rows: readonly DeskRow[]): Promise<void> {
    // Before the request, so that rows that change while it runs are compared again.
    for (const { url } of rows) stale.current.delete(url);
    try {
      const found = new Map((await changedRows(website.id, moveId, rows)).map((row) => [row.url, row]));
      const isNewer = (row: DeskRow): boolean =>
        !queue.has(row.url) && (found.get(row.url)?.revision ?? 0) > row.revision;
      change((row) => (isNewer(row) ? { ...row, ...found.get(row.url) } : row), found);
    } catch {
      // Compared again after the next scroll or change.
      for (const { url } of rows) stale.current.add(url);
    }
  }
}
