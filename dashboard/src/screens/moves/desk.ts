/** The rows of a move on the screen: which is selected, what was decided, and what the service has of it. */
import { batch, type Signal, useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { MoveRow, Website } from '../../api/client/wire.ts';
import { decideRows, listMoveRows, type RowFilter } from '../../api/moves.ts';
import { counted } from '../../format.ts';
import { usePages } from '../../state/resource/use-pages.ts';
import { toast, toastError } from '../../state/toasts.ts';
import { createWriteQueue, type Decided } from './write-queue.ts';

const PAGE_SIZE = 200;
/** Loads the next page this many rows before the end. */
const PREFETCH_ROWS = 400;
const MAX_UNDO = 1_000;

export type Desk = ReturnType<typeof useDesk>;

export const NOTHING: Decided = { decision: null, target: null, status_code: null };
export const isUndecided = ({ decision }: Decided): boolean => decision === null;

/** The decision that a suggestion stands for; undefined without one. */
export function suggestedDecision({ suggested, suggestions }: MoveRow): Decided | undefined {
  const [first] = suggestions;
  if (suggested === 'redirect' || (suggested === null && first))
    return first && { ...NOTHING, decision: 'redirect', target: first.target };
  return suggested === null ? undefined : { ...NOTHING, decision: suggested };
}

/** `editable`: false for those who may only look. */
export function useDesk(website: Website, moveId: string, filter: RowFilter) {
  const pages = usePages(
    JSON.stringify(['move-rows', moveId, filter]),
    (cursor, signal) => listMoveRows(website.id, moveId, { ...filter, cursor, limit: PAGE_SIZE }, signal),
    ({ rows }) => rows,
  );
  const selected = useSignal(0);
  /** decisions of this screen that the service has or will have */
  const own = useSignal(0);
  const undone: Signal<{ url: string; before: Decided; at: number }[]> = useSignal([]);
  useEffect(() => void batch(() => ((selected.value = 0), (undone.value = []))), [JSON.stringify(filter)]);

  const indexOf = (url: string): number => (pages.data.peek() ?? []).findIndex((row) => row.url === url);
  function replace(url: string, change: (row: MoveRow) => MoveRow): void {
    const at = indexOf(url);
    const row = pages.data.peek()?.[at];
    if (row) pages.data.value = pages.data.peek()?.with(at, change(row));
  }

  const queue = useMemo(
    () => deskQueue(website.id, moveId, { rowOf: (url) => pages.data.peek()?.[indexOf(url)], replace }),
    [moveId],
  );

  function moveTo(at: number): void {
    const count = pages.data.peek()?.length ?? 0;
    selected.value = Math.max(0, Math.min(count - 1, at));
    if (selected.value > count - PREFETCH_ROWS && pages.hasMore.peek() && !pages.isLoading.peek()) pages.more();
  }

  function write(at: number, decided: Decided): void {
    const row = pages.data.peek()?.[at];
    if (!row) return;
    own.value += Number(isUndecided(row)) - Number(isUndecided(decided));
    pages.data.value = pages.data.peek()?.with(at, { ...row, ...decided });
    queue.put(row.url, decided);
  }

  /** Decides a row, and selects the next undecided one. */
  function decide(at: number, decided: Decided): void {
    const row = pages.data.peek()?.[at];
    if (!row) return;
    const { url, decision, target, status_code } = row;
    batch(() => {
      undone.value = [...undone.peek().slice(-MAX_UNDO), { url, before: { decision, target, status_code }, at }];
      write(at, decided);
      const rows = pages.data.peek() ?? [];
      const next = rows.findIndex((each, index) => index > at && isUndecided(each));
      moveTo(next < 0 ? at + 1 : next);
    });
  }

  /** Takes the last decision of this screen back, and selects its row. */
  function undo(): void {
    const last = undone.peek().at(-1);
    if (!last) return toast('Nothing to undo on this screen');
    const at = indexOf(last.url);
    undone.value = undone.peek().slice(0, -1);
    write(at, last.before);
    moveTo(at);
  }

  return { websiteId: website.id, moveId, filter, pages, selected, own, queue, moveTo, decide, undo };
}

interface Rows {
  rowOf: (url: string) => MoveRow | undefined;
  replace: (url: string, change: (row: MoveRow) => MoveRow) => void;
}

/** A queue that keeps the revisions of the rows, and shows what another user has decided. */
function deskQueue(websiteId: number, moveId: string, { rowOf, replace }: Rows) {
  return createWriteQueue({
    send: (rows) => decideRows(websiteId, moveId, rows),
    revisionOf: (url) => rowOf(url)?.revision ?? 0,
    onSent(stored, conflicts) {
      for (const { url } of stored) replace(url, (row) => ({ ...row, revision: row.revision + 1 }));
      for (const { url, row } of conflicts) if (row) replace(url, () => row);
      const names = [...new Set(conflicts.map(({ row }) => row?.decided_by?.name ?? 'another user'))].join(', ');
      if (conflicts.length > 0)
        toast(`${counted(conflicts.length, 'row')} had been decided by ${names}, and stayed so`);
    },
    onFailed(urls, thrown) {
      for (const url of urls) replace(url, (row) => ({ ...row, ...NOTHING }));
      toastError(thrown, `Could not decide ${counted(urls.length, 'row')}`);
    },
  });
}
