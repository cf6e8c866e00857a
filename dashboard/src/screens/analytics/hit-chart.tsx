import type { Signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { useKeys } from '../../state/keys.ts';
import { type ChartPoint, pointText, pointTick } from './chart-points.ts';

const PAGE = 7;
const MAX_TICKS = 6;
const MAX_LINES = 4;
const compact = new Intl.NumberFormat(undefined, { notation: 'compact' });

/**
 * One bar per day or hour, oldest first, the compared period as grey steps behind, and a mark above one with releases. The
 * bar of the current one, which is not over, is hatched. `at` is the index of the bar under the pointer, the finger or
 * the keyboard cursor. Screen readers see a slider with the name `label`. `onOpen`: after a click or Enter.
 */
export function HitChart(props: {
  label: string;
  points: ChartPoint[];
  at: Signal<number | null>;
  onOpen: ((point: ChartPoint) => void) | undefined;
}) {
  const { label, points, at, onOpen } = props;
  const open = (): void => {
    const chosen = points[at.value ?? -1];
    if (chosen) onOpen?.(chosen);
  };
  const chart = useRef<HTMLDivElement>(null);
  useKeys([
    {
      keys: 'ArrowRight',
      label: 'Focus the chart, then move with the arrow keys',
      run: () => chart.current?.focus(),
    },
  ]);
  const last = points.length - 1;
  const now = Math.min(at.value ?? last, last);
  return (
    <div
      ref={chart}
      class="daily-chart"
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={1}
      aria-valuemax={points.length}
      aria-valuenow={now + 1}
      aria-valuetext={pointText(points[now])}
      onFocus={({ target }) => {
        // A click selects a bar itself.
        if (target instanceof Element && target.matches(':focus-visible')) at.value = now;
      }}
      onBlur={() => (at.value = null)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') open();
        const to = barFor(event.key, now, last);
        if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        at.value = to;
      }}
    >
      <Plot points={points} at={at} onClick={onOpen && open} />
    </div>
  );
}

function Plot(props: { points: ChartPoint[]; at: Signal<number | null>; onClick: (() => void) | undefined }) {
  const { points, at, onClick } = props;
  const highest = Math.max(MAX_LINES, ...points.map(({ hits, before = 0 }) => Math.max(hits, before)));
  const step = stepFor(highest);
  const top = highest * 1.08;
  const share = (value: number): string => `${(value / top) * 100}%`;
  const tickStep = Math.ceil(points.length / MAX_TICKS);
  const now = new Date().toISOString();
  function point({ currentTarget, clientX }: PointerEvent): void {
    if (!(currentTarget instanceof Element)) return;
    const { left, width } = currentTarget.getBoundingClientRect();
    at.value = Math.max(0, Math.min(points.length - 1, Math.floor(((clientX - left) / width) * points.length)));
  }
  /** A finger leaves with each tap, whose bar stays. */
  function leave({ pointerType }: PointerEvent): void {
    if (pointerType === 'mouse') at.value = null;
  }
  return (
    <div
      class="day-plot"
      data-opens={onClick !== undefined}
      onPointerDown={point}
      onPointerMove={point}
      onPointerLeave={leave}
      onPointerUp={({ pointerType, button }) => pointerType === 'mouse' && button === 0 && onClick?.()}
    >
      {Array.from({ length: Math.floor(top / step) + 1 }, (_, line) => line * step).map((value) => (
        <div key={value} class="chart-line" style={{ bottom: share(value) }}>
          <span>{compact.format(value)}</span>
        </div>
      ))}
      {points.map((point, index) => (
        <div key={point.start} class="chart-day" data-at={index === at.value} data-released={point.releases.length > 0}>
          <div class="before" style={{ height: share(point.before ?? 0) }} />
          <div class={now.startsWith(point.start) ? 'bar today' : 'bar'} style={{ height: share(point.hits) }} />
          {index % tickStep === 0 && <span>{pointTick(point)}</span>}
        </div>
      ))}
    </div>
  );
}

/** The distance of the lines, one of 1, 2, 5, 10, 20 and so on, so that there are at most four above zero. */
function stepFor(highest: number): number {
  const magnitude = 10 ** Math.floor(Math.log10(highest / MAX_LINES));
  return ([1, 2, 5].find((each) => each * magnitude * MAX_LINES >= highest) ?? 10) * magnitude;
}

/** The bar that a key moves to, as on a slider; Page keys move by seven. */
function barFor(key: string, now: number, last: number): number | undefined {
  const steps: Record<string, number> = {
    ArrowLeft: -1,
    ArrowDown: -1,
    ArrowRight: 1,
    ArrowUp: 1,
    PageDown: -PAGE,
    PageUp: PAGE,
    Home: -last,
    End: last,
  };
  const step = steps[key];
  return step === undefined ? undefined : Math.max(0, Math.min(last, now + step));
}
