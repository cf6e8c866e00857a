import { useEffect, useRef } from 'preact/hooks';
import type { MoveRow } from '../../api/client/wire.ts';
import { number } from '../../format.ts';
import { EMPTY_WINDOW, lengthOf, rowAt, rowsBetween, type RowWindow, sideToLoad } from '../../ui/list/row-window.ts';
import { placeRows, useScrollShift, useViewport } from '../../ui/list/viewport.ts';
import { PathText } from '../../ui/text/path-text.tsx';
import { candidatesOf, type Desk, type DeskRow, isUndecided } from './desk.ts';
import { useRowChanges } from './row-changes.ts';

const ROW_PX = 52;
/** Loads the next page earlier than other lists by these rows: a key decides one. */
const PREFETCH_ROWS = 250;

/** The rows of the move, of which only the visible ones are elements. The selected one stays in view. */
export function RowList({ desk }: { desk: Desk }) {
  const { list, selected, moveTo } = desk;
  const scroller = useRef<HTMLDivElement>(null);
  const viewport = useViewport(scroller);
  const window: RowWindow<DeskRow> = list.window.value ?? EMPTY_WINDOW;
  const canLoad = !list.isLoading.value && !list.error.value;
  const { height, first, end, topOf } = placeRows(lengthOf(window), ROW_PX, viewport.value);
  const side = canLoad ? sideToLoad(window, first, end + PREFETCH_ROWS) : undefined;
  const visible = rowsBetween(window, first, end);
  useRowChanges(
    desk,
    visible.map(({ row }) => row),
  );
  useScrollShift(list.shift, () => scroller.current, ROW_PX);
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const top = selected.value * ROW_PX;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + ROW_PX > element.scrollTop + element.clientHeight)
      element.scrollTop = top + ROW_PX - element.clientHeight;
  }, [rowAt(window, selected.value)?.id]);
  useEffect(() => {
    if (side) list.more(side);
  }, [side, window]);
  return (
    <div
      ref={scroller}
      class="card move-rows"
      role="listbox"
      aria-label="Rows"
      tabIndex={0}
      aria-activedescendant={`row-${selected.value}`}
    >
      <div style={{ height: `${height}px` }}>
        {visible.map(({ row, place: at }) => {
          return (
            <div
              key={row.url}
              id={`row-${at}`}
              role="option"
              aria-selected={at === selected.value}
              style={{ transform: `translateY(${topOf(at)}px)` }}
              onClick={() => moveTo(at)}
            >
              <Cells row={row} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

function Cells({ row }: { row: MoveRow }) {
  return (
    <>
      <span class="mono move-old">
        <PathText path={row.url} />
      </span>
      <span class="small muted number">{row.weight > 0 && number(row.weight)}</span>
      <span class="small move-outcome">
        <Outcome row={row} />
      </span>
    </>
  );
}

export const DECISION_TEXT = { gone: '410 Gone', keep: 'Stays', skip: 'Skipped' } as const;
export const CONFIDENCE_TONE = { sure: 'ok', likely: 'violet', guess: 'warn' } as const;

/** The decision, or the suggestion. */
function Outcome({ row }: { row: MoveRow }) {
  const { decision, target, suggested, confidence, pending } = row;
  if (!isUndecided(row)) {
    return (
      <>
        <span class="badge ok">Decided</span>{' '}
        <span class="mono">
          {decision === 'redirect' ? <PathText path={target ?? ''} /> : decision && DECISION_TEXT[decision]}
        </span>
      </>
    );
  }
  if (pending) return <span class="muted">Suggestions are being computed</span>;
  const [first] = candidatesOf(row);
  return (
    <>
      {confidence && <span class={`badge ${CONFIDENCE_TONE[confidence]}`}>{confidence}</span>}{' '}
      <span class="mono muted">
        {suggested === 'gone' || suggested === 'keep' ? (
          DECISION_TEXT[suggested]
        ) : first ? (
          <PathText path={first.target} />
        ) : (
          'no suggestion'
        )}
      </span>
    </>
  );
}
