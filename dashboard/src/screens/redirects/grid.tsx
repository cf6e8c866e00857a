import { type Signal, useComputed, useSignal } from '@preact/signals';
import type { Ref, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Redirect } from '../../api/wire.ts';
import { Problem } from '../../ui/states.tsx';
import { EditRow } from './edit-row.tsx';
import type { GridModel } from './grid-model.ts';
import { ListHeader } from './list-header.tsx';
import { Row } from './row.tsx';
import { ListFooter } from './list-footer.tsx';

const OVERSCAN = 12;
/** Loads the next page this many rows before the end, so that fast scrolling does not reach it. */
const PREFETCH_ROWS = 150;

/** The list as one widget: a single Tab stop with arrow keys inside. Renders only the visible rows. */
export function Grid({ model, gridRef }: { model: GridModel; gridRef: Ref<HTMLDivElement> }) {
  const { list, active, rowHeight, view } = model;
  const scroll = useSignal({ top: 0, height: 800 });
  const rows = list.rows.value;
  const first = Math.max(0, Math.floor(scroll.value.top / rowHeight.value) - OVERSCAN);
  const last = Math.min(rows.length, Math.ceil((scroll.value.top + scroll.value.height) / rowHeight.value) + OVERSCAN);
  useEffect(() => {
    if (last > rows.length - PREFETCH_ROWS) list.more();
  }, [last, rows.length]);
  const staleVersion = list.staleVersion.value;
  useEffect(() => void list.refreshStale(rows.slice(first, last), model.editing.peek()), [first, last, staleVersion]);
  const scroller = useStart(model, scroll);
  const hasGroups = useComputed(() => list.rows.value.some(({ group_id }) => group_id !== null));
  // Stays while it is out of sight, with what was typed.
  const editedAt = rows.findIndex(({ id }) => id === model.editing.value);
  const edited = rows[editedAt];
  const activeRow = rows[active.value];
  return (
    <div
      ref={scroller}
      class="grid-scroll"
      data-busy={list.isLoading.value}
      onScroll={({ currentTarget: { scrollTop, clientHeight } }) => {
        scroll.value = { top: scrollTop, height: clientHeight };
      }}
    >
      <Measure onHeight={(height) => (scroll.value = { ...scroll.peek(), height })} />
      <div
        ref={gridRef}
        class="grid"
        data-groups={hasGroups.value}
        data-hits={view.hasHits}
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
        <ListHeader model={model} />
        <div
          role="rowgroup"
          class="rows"
          style={{ height: `${rows.length * rowHeight.value + model.extraHeight.value}px` }}
        >
          {rows.slice(first, last).map((redirect, at) => (
            <OneRow key={redirect.id} model={model} redirect={redirect} at={first + at} editedAt={editedAt} />
          ))}
          {edited && (editedAt < first || editedAt >= last) && (
            <OneRow key={edited.id} model={model} redirect={edited} at={editedAt} editedAt={editedAt} />
          )}
        </div>
      </div>
      {list.error.value && <Problem error={list.error.value} onRetry={() => list.retry()} />}
      <ListFooter list={list} />
    </div>
  );
}

/** Scrolls to where the list starts. Returns the ref of the scrolling element. */
function useStart(
  { list }: GridModel,
  scroll: Signal<{ top: number; height: number }>,
): RefObject<HTMLDivElement | null> {
  const scroller = useRef<HTMLDivElement>(null);
  const start = list.start.value;
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    element.scrollTop = start.top;
    // Renders the rows there before the first paint.
    scroll.value = { top: element.scrollTop, height: element.clientHeight };
  }, [start]);
  return scroller;
}

interface OneRowProps {
  model: GridModel;
  redirect: Redirect;
  at: number;
  /** index of the edited row; -1 without one */
  editedAt: number;
}

function OneRow({ model, redirect, at, editedAt }: OneRowProps) {
  const isEdited = model.editing.value === redirect.id;
  const extra = editedAt !== -1 && at > editedAt ? model.extraHeight.value : 0;
  const style = { transform: `translateY(${at * model.rowHeight.value + extra}px)` };
  return isEdited ? (
    <EditRow model={model} redirect={redirect} at={at} style={style} />
  ) : (
    <Row model={model} redirect={redirect} at={at} style={style} />
  );
}

/** Reports the height of the visible part whenever it changes. */
function Measure({ onHeight }: { onHeight: (height: number) => void }) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const grid = element.current?.parentElement;
    if (!grid) return;
    const observer = new ResizeObserver(() => onHeight(grid.clientHeight));
    observer.observe(grid);
    return () => observer.disconnect();
  }, []);
  return <div ref={element} hidden />;
}
