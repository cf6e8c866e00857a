import { useEffect, useRef } from 'preact/hooks';
import type { MoveRow } from '../../api/client/wire.ts';
import { number } from '../../format.ts';
import { placeRows, useViewport } from '../../ui/list/viewport.ts';
import { PathText } from '../../ui/text/path-text.tsx';
import { type Desk, isUndecided } from './desk.ts';

const ROW_PX = 52;
/** Loads the next page this many rows before the user needs it. */
const PREFETCH_ROWS = 400;

/** The rows that are loaded, of which only the visible ones are elements. The selected one stays in view. */
export function RowList({ desk }: { desk: Desk }) {
  const { pages, selected, moveTo } = desk;
  const scroller = useRef<HTMLDivElement>(null);
  const viewport = useViewport(scroller);
  const rows = pages.data.value ?? [];
  const canLoad = pages.hasMore.value && !pages.isLoading.value && !pages.error.value;
  const { height, first, end, topOf } = placeRows(rows.length, ROW_PX, viewport.value);
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const top = selected.value * ROW_PX;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + ROW_PX > element.scrollTop + element.clientHeight)
      element.scrollTop = top + ROW_PX - element.clientHeight;
  }, [selected.value]);
  useEffect(() => {
    if (canLoad && Math.max(end, selected.value) > rows.length - PREFETCH_ROWS) pages.more();
  }, [end, selected.value, canLoad]);
  return (
    <div
      ref={scroller}
      class="card move-rows"
      role="listbox"
      aria-label="Rows"
      tabIndex={0}
      aria-activedescendant={`row-${selected.value}`}
    >
      <div style={{ height }}>
        {rows.slice(first, end).map((row, index) => {
          const at = first + index;
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
  const { decision, target, suggested, confidence, suggestions, pending } = row;
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
  const [first] = suggestions;
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
