import '../../../ui/list/long-list.css';
import './grid.css';
import type { Signal } from '@preact/signals';
import type { Ref, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { Problem } from '../../../ui/page/states.tsx';
import { placeRows, useScrollShift, type Viewport, useViewport } from '../../../ui/list/viewport.ts';
import { chosenColumns, type Column, columnTemplate, listColumns, shownColumns } from './columns.ts';
import { EditRow } from '../parts.ts';
import { type GridModel, rowHeight } from './grid-model.ts';
import { isNarrow, openId } from '../open-page.ts';
import { ListHeader } from './list-header.tsx';
import { Row } from './row.tsx';
import { lengthOf, placeOf, rowAt, rowsBetween, sideToLoad } from '../../../ui/list/row-window.ts';
import { counted, number } from '../../../format.ts';
import type { RedirectList } from './redirect-list.ts';
import { Button } from '../../../ui/button.tsx';

/** The list as one widget: a single Tab stop with arrow keys inside. Renders only the visible rows. */
export function Grid({ model, gridRef }: { model: GridModel; gridRef: Ref<HTMLDivElement> }) {
  const { list, active, view } = model;
  const scroller = useRef<HTMLDivElement>(null);
  const viewport = useViewport(scroller);
  const shown = list.window.value;
  const { height, first, end } = placeRows(lengthOf(shown), rowHeight.value, viewport.value);
  useLoading(model, first, end);
  useRefresh(model, first, end);
  useStart(model, scroller, viewport);
  const columns = useColumns(model, viewport.value.width);
  const activeRow = rowAt(shown, active.value);
  return (
    <div ref={scroller} class="grid-scroll" data-narrow={isNarrow.value}>
      <NewRows list={list} />
      <div
        ref={gridRef}
        class="grid"
        style={{ '--row': `${rowHeight.value}px`, '--columns': columnTemplate(list.rows.value, columns, view.sort) }}
        data-sort={view.sort.replace('-', '')}
        role="grid"
        aria-label="Redirects"
        aria-multiselectable="true"
        aria-rowcount={(list.total.value ?? -2) + 1}
        aria-busy={list.isLoading.value}
        aria-activedescendant={activeRow && `r${activeRow.id}`}
        tabIndex={0}
        onKeyDown={model.onKeyDown}
      >
        <ListHeader model={model} columns={columns} />
        <div role="rowgroup" class="rows" style={{ height: `${height + model.extraHeight.value}px` }}>
          {shown.gap > 0 && <Gap model={model} />}
          <Rows model={model} first={first} end={end} columns={columns} />
        </div>
      </div>
      {list.error.value && !list.isBehind() && <Problem error={list.error.value} onRetry={list.retry} />}
      <ListFooter list={list} />
    </div>
  );
}

interface RowsProps {
  model: GridModel;
  /** places of the first visible row, and after the last one */
  first: number;
  end: number;
  columns: ReadonlySet<Column>;
}

/** The visible rows, and the edited one: it stays while it is out of sight, with what was typed. */
function Rows({ model, first, end, columns }: RowsProps) {
  const shown = model.list.window.value;
  const editedAt = placeOf(shown, model.editing.value);
  const edited = editedAt < 0 ? undefined : rowAt(shown, editedAt);
  const rows = rowsBetween(shown, first, end);
  if (edited && (editedAt < first || editedAt >= end)) rows.push({ row: edited, place: editedAt });
  return rows.map(({ row, place }) => {
    const extra = editedAt !== -1 && place > editedAt ? model.extraHeight.value : 0;
    const style = { transform: `translateY(${place * rowHeight.value + extra}px)` };
    const shared = { model, redirect: row, at: place, columns, style };
    return row === edited ? <EditRow key={row.id} {...shared} /> : <Row key={row.id} {...shared} />;
  });
}

/** The optional columns to show; also stored for the menu that chooses them. */
function useColumns({ list, view: { sort, hasHits } }: GridModel, width: number): Set<Column> {
  const hasGroups = list.hasGroups.value;
  const hasSchedules = list.hasSchedules.value;
  const chosen = chosenColumns.value;
  const columns = useMemo(
    () => shownColumns({ width, sort, chosen, hasHits, hasGroups, hasSchedules }),
    [width, sort, chosen, hasHits, hasGroups, hasSchedules],
  );
  useEffect(() => void (listColumns.value = columns), [columns]);
  return columns;
}

/** Scrolls to where the list starts, and along with rows that move. */
function useStart(model: GridModel, scroller: RefObject<HTMLDivElement | null>, viewport: Signal<Viewport>): void {
  const start = model.list.start.value;
  useShift(model);
  useSameRow(rowHeight.value, scroller, viewport);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    element.scrollTop = start.top * rowHeight.peek();
    // Renders the rows there before the first paint.
    viewport.value = { ...viewport.peek(), top: element.scrollTop };
  }, [start]);
  useOpened(model, viewport);
}

/** Makes the redirect whose page is open the active row, in sight. */
function useOpened({ list, scroller, show }: GridModel, viewport: Signal<Viewport>): void {
  const opened = openId.value;
  useLayoutEffect(() => {
    const at = placeOf(list.window.peek(), Number(opened));
    if (opened === undefined || at < 0) return;
    show(at);
    viewport.value = { ...viewport.peek(), top: scroller()?.scrollTop ?? 0 };
  }, [opened, rowHeight.value]);
}

/** Keeps the first visible row when the height of rows changes. */
function useSameRow(height: number, scroller: RefObject<HTMLDivElement | null>, viewport: Signal<Viewport>): void {
  const before = useRef(height);
  useLayoutEffect(() => {
    const element = scroller.current;
    // Near the end of a list that became shorter, the browser has reduced scrollTop already.
    if (element && before.current !== height) element.scrollTop = (viewport.peek().top * height) / before.current;
    before.current = height;
  }, [height]);
}

function Gap({ model: { list } }: { model: GridModel }) {
  const { head, gap } = list.window.value;
  const row = rowHeight.value;
  const style = { top: `${head.length * row}px`, height: `${gap * row}px` };
  return <div class="grid-gap" aria-hidden="true" style={style} />;
}

/** Loads rows as a place without them, or near them, becomes visible. */
function useLoading({ list }: GridModel, top: number, bottom: number): void {
  const side = sideToLoad(list.window.value, top, bottom);
  useEffect(() => {
    if (side) list.more(side);
  }, [side, list.rows.value.length, list.isLoading.value]);
}

function useRefresh({ list, editing }: GridModel, first: number, last: number): void {
  const staleVersion = list.staleVersion.value;
  useEffect(() => {
    void list.refreshStale(
      rowsBetween(list.window.peek(), first, last).map(({ row }) => row),
      editing.peek(),
    );
  }, [first, last, staleVersion]);
}

/** Keeps the visible and the active row in place when the gap above them changes. A guessed gap may shrink below it. */
function useShift({ list, active, scroller }: GridModel): void {
  useScrollShift(list.shift, scroller, rowHeight.value);
  useLayoutEffect(() => {
    const { from, by } = list.shift.value;
    if (active.value >= from) active.value += by;
    active.value = Math.min(active.value, lengthOf(list.window.value) - 1);
  }, [list.shift.value]);
}

/** Over the first row: redirects of others wait for a press, so that nothing moves under the pointer. */
function NewRows({ list }: { list: RedirectList }) {
  const { rows, areMany } = list.newRows;
  const count = rows.value.length;
  const text = areMany.value ? `More than ${count - 1} new redirects` : counted(count, 'new redirect');
  return (
    <div class="new-rows" aria-live="polite">
      {count > 0 && (
        <Button size="small" icon="up" onClick={list.showNew}>
          {text}, show
        </Button>
      )}
    </div>
  );
}

/** Below the last row: loading, end of the list, or the row limit of the page. */
function ListFooter({ list }: { list: RedirectList }) {
  const loaded = list.above.value + list.rows.value.length;
  if (list.rows.value.length === 0) return null;
  if (list.hasMore.value && list.isFull()) {
    return (
      <p class="actions small tail">
        Showing {number(loaded)} rows. Search to find others, or{' '}
        <Button size="small" onClick={list.continueBelow}>
          continue from here
        </Button>
      </p>
    );
  }
  const isAtEnd = !list.hasMore.value || list.window.value.tail.length > 0;
  return (
    <p class="actions small muted tail" aria-live="polite">
      {isAtEnd ? `End of list: ${counted(list.total.value ?? loaded, 'redirect')}` : 'Loading more…'}
    </p>
  );
}
