/** A move and its rows on the screen: which is selected, what was decided, and what the service has of it. */
import { batch, type Signal, useComputed, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { MoveRow, Website } from '../../api/client/wire.ts';
import { decideRows, fetchMove, listMoveRows, type RowFilter } from '../../api/moves.ts';
import { counted } from '../../format.ts';
import { query, setQuery } from '../../router.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { toast, toastError } from '../../state/toasts.ts';
import { lengthOf, mapped, placeOf, rowAt } from '../../ui/list/row-window.ts';
import { useWindow } from '../../ui/list/use-window.ts';
import { createWriteQueue, type Decided, type Stored } from './write-queue.ts';

const REFRESH_MS = 3_000;
const PAGE_SIZE = 200;

export type Desk = ReturnType<typeof useDesk>;

export const NOTHING: Decided = { decision: null, target: null, status_code: null };
export const isUndecided = ({ decision }: Decided): boolean => decision === null;

/** The decision that a suggestion stands for; undefined without one. */
export function suggestedDecision(row: MoveRow): Decided | undefined {
  const { suggested } = row;
  const [first] = candidatesOf(row);
  if (suggested === 'redirect' || (suggested === null && first))
    return first && { ...NOTHING, decision: 'redirect', target: first.target };
  return suggested === null ? undefined : { ...NOTHING, decision: suggested };
}

/** The share of a candidate is shown in whole per cent: those of 0 % are no help, and no key counts them. */
const MIN_SCORE = 0.005;

export const candidatesOf = ({ suggestions }: Pick<MoveRow, 'suggestions'>): MoveRow['suggestions'] =>
  suggestions.filter(({ score }) => score >= MIN_SCORE);

export function useDesk(website: Website, moveId: string, filter: RowFilter) {
  const { id: websiteId } = website;
  const queue = useMemo(() => deskQueue(websiteId, moveId, show), []);
  const { move, stored, error, reload, count } = useMove(websiteId, moveId, queue);
  const { list, selected, moveTo, toEnd } = useRows(websiteId, moveId, filter, queue);
  const decisions = useRef<{ row: MoveRow; before: Decided }[]>([]);
  /** calls of this user that decided rows */
  const steps = useRef(0);

  function show(rows: Stored[]): void {
    const sent = new Map(rows.map((row) => [row.url, row]));
    change((row) => ({ ...row, ...sent.get(row.url) }), sent);
  }

  function change(next: (row: DeskRow) => DeskRow, urls: { has: (url: string) => boolean }): void {
    const window = list.window.peek();
    list.window.value = window && mapped(window, (rows) => rows.map((row) => (urls.has(row.url) ? next(row) : row)));
  }

  /** Returns the row as it is then. */
  function write(row: MoveRow, decided: Decided): MoveRow {
    const window = list.window.peek();
    const now = (window && rowAt(window, placeOf(window, row.url))) ?? row;
    const next = { ...now, ...decided, rule: null, decided_by: null };
    steps.current += 1;
    count(Number(isUndecided(now)) - Number(isUndecided(next)), row.weight);
    change((shown) => ({ ...shown, ...next }), new Set([row.url]));
    queue.put(row, decided);
    return next;
  }

  /** Decides a row, and selects the next undecided one. */
  const decide = (row: MoveRow, decided: Decided): void =>
    batch(() => {
      const { decision, target, status_code } = row;
      decisions.current.push({ row: write(row, decided), before: { decision, target, status_code } });
      const window = list.window.peek();
      if (!window) return;
      const at = placeOf(window, row.url);
      let next = at + 1;
      while (rowAt(window, next)?.decision != null) next++;
      moveTo(rowAt(window, next) ? next : at + 1);
    });

  /** Takes the last decision of this screen back, and selects its row. */
  function undo(): void {
    const last = decisions.current.pop();
    if (!last) return toast('Nothing to undo on this screen');
    write(last.row, last.before);
    const window = list.window.peek();
    const at = window ? placeOf(window, last.row.url) : -1;
    if (at >= 0) moveTo(at);
    else toast(`The decision about ${last.row.url} is undone`);
  }

  /** After a call that decided many rows. */
  function changed(): void {
    steps.current += 1;
    list.reload();
    reload();
  }

  const rows = { list, selected, moveTo, toEnd };
  return { website, moveId, move, stored, error, reload, filter, ...rows, queue, steps, change, decide, undo, changed };
}

export type DeskRow = MoveRow & { id: string };

type RowsOfMove = ReturnType<typeof useWindow<DeskRow>>;

type Queue = ReturnType<typeof createWriteQueue>;

/** The rows that the filter finds. The selected one stays selected if it is still among them. */
function useRows(websiteId: number, moveId: string, filter: RowFilter, queue: Queue) {
  const list = useWindow<DeskRow>(JSON.stringify(['move-rows', moveId, filter]), async (side, cursor, signal) => {
    // The filter finds rows by what is stored.
    if (cursor === undefined) await queue.flush();
    const sort = side === 'head' ? '-weight' : 'weight';
    const page = await listMoveRows(websiteId, moveId, { ...filter, sort, cursor, limit: PAGE_SIZE }, signal);
    return { ...page, rows: page.rows.map((row) => ({ ...row, ...queue.newer(row), id: row.url })) };
  });
  const url = useSignal(query.peek().get('row') ?? '');
  const isEnding = useRef(false);
  const window = list.window.value;
  const selected = useComputed(() => (list.window.value ? Math.max(0, placeOf(list.window.value, url.value)) : 0));
  /** A place whose row is not loaded yet keeps the selection. */
  function moveTo(at: number): void {
    const now = list.window.peek();
    if (now) url.value = rowAt(now, Math.max(0, Math.min(lengthOf(now) - 1, at)))?.url ?? url.value;
  }
  /** Selects the last row, once the end of the list is loaded. */
  function toEnd(): void {
    const now = list.window.peek();
    isEnding.current = now !== undefined && now.gap > 0 && now.tail.length === 0;
    if (isEnding.current) list.more('tail');
    else moveTo(Infinity);
  }
  useRowOfAddress(list, url);
  useEffect(() => {
    if (!isEnding.current || !window || (window.gap > 0 && window.tail.length === 0)) return;
    isEnding.current = false;
    moveTo(Infinity);
  }, [window]);
  return { list, selected, moveTo, toEnd };
}

/** After the last move, so that holding a key writes no address for each row. */
const ADDRESS_MS = 300;
/** Pages that are read to find the row of the address. */
const MAX_PAGES = 20;

/** Writes the selected row to the address. Reads on until the list has the row with which the screen was opened. */
function useRowOfAddress({ window, more }: Pick<RowsOfMove, 'window' | 'more'>, url: Signal<string>): void {
  const wanted = useRef(url.peek());
  const pages = useRef(0);
  const now = window.value;
  useEffect(() => {
    if (!now || wanted.current === '') return;
    const isSearching = now.gap > 0 && ++pages.current < MAX_PAGES && url.peek() === wanted.current;
    if (isSearching && placeOf(now, wanted.current) < 0) more('head');
    else wanted.current = '';
  }, [now]);
  useEffect(() => {
    if (url.value === '' || url.value === query.peek().get('row')) return;
    const timer = setTimeout(() => setQuery({ row: url.value }, { replace: true }), ADDRESS_MS);
    return () => clearTimeout(timer);
  }, [url.value]);
}

/** The move, whose progress includes decisions that are not stored yet; `count` adds them. `stored`: as it was last read. */
function useMove(websiteId: number, moveId: string, queue: Queue) {
  /** since `data` was read */
  const own = useSignal({ decided: 0, weight: 0 });
  const add = (decided: number, weight: number): void => {
    own.value = { decided: own.peek().decided + decided, weight: own.peek().weight + weight };
  };
  const { data, error, reload } = useResource(
    `move:${moveId}`,
    async (signal, last) => {
      await queue.flush();
      const { decided, weight } = own.peek();
      const { move } = await fetchMove(websiteId, moveId, signal, last);
      add(-decided, -weight);
      return move;
    },
    { everyMs: REFRESH_MS },
  );
  const { decided, weight } = own.value;
  const progress = data.value && {
    ...data.value.progress,
    decided: data.value.progress.decided + decided,
    weight_decided: data.value.progress.weight_decided + weight,
  };
  const move = data.value && progress && { ...data.value, progress };
  return { move, stored: data.value, error, reload, count: (rows: number, weight: number) => add(rows, rows * weight) };
}

/** A queue that says what another user has decided, and what failed. */
function deskQueue(websiteId: number, moveId: string, show: (rows: Stored[]) => void): Queue {
  return createWriteQueue({
    send: (rows) => decideRows(websiteId, moveId, rows),
    onSent(rows, conflicts) {
      show(rows);
      const names = [...new Set(conflicts.map(({ row }) => row?.decided_by?.name ?? 'another user'))].join(', ');
      if (conflicts.length > 0)
        toast(`${counted(conflicts.length, 'row')} had been decided by ${names}, and stayed so`);
    },
    onFailed(rows, thrown) {
      show(rows);
      toastError(thrown, `Could not decide ${counted(rows.length, 'row')}`);
    },
  });
}

/** Sends what waits when the user leaves. Closing the tab before it is sent asks first. */
export function useLastDecisions({ queue }: Desk): void {
  useEffect(() => {
    const leave = (event: Event): void => {
      if (queue.isEmpty()) return;
      void queue.flush();
      event.preventDefault();
    };
    for (const name of ['beforeunload', 'pagehide']) addEventListener(name, leave);
    return () => {
      for (const name of ['beforeunload', 'pagehide']) removeEventListener(name, leave);
      void queue.flush();
    };
  }, [queue]);
}
