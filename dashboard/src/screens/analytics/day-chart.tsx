import type { Signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { useKeys } from '../../state/keys.ts';
import { type ChartDay, dayText } from './view.ts';

const WEEK = 7;
const MAX_DATES = 5;
const MAX_LINES = 4;
const compact = new Intl.NumberFormat(undefined, { notation: 'compact' });
const month = new Intl.DateTimeFormat(undefined, { timeZone: 'UTC', day: 'numeric', month: 'short' });

/**
 * One bar per day, oldest first, the compared period as grey steps behind, and a mark above a day with releases. The bar
 * of today, which is not over, is hatched. `at` is the index of the day under the pointer, the finger or the keyboard
 * cursor. Screen readers see a slider over the days.
 */
export function DayChart({ days, at }: { days: ChartDay[]; at: Signal<number | null> }) {
  const chart = useRef<HTMLDivElement>(null);
  useKeys([
    {
      keys: 'ArrowRight',
      label: 'Focus the chart, then move with the arrow keys',
      run: () => chart.current?.focus(),
    },
  ]);
  const last = days.length - 1;
  const now = Math.min(at.value ?? last, last);
  return (
    <div
      ref={chart}
      class="daily-chart"
      role="slider"
      tabIndex={0}
      aria-label="Day"
      aria-valuemin={1}
      aria-valuemax={days.length}
      aria-valuenow={now + 1}
      aria-valuetext={dayText(days[now])}
      onFocus={({ target }) => {
        // A click selects a day itself.
        if (target instanceof Element && target.matches(':focus-visible')) at.value = now;
      }}
      onBlur={() => (at.value = null)}
      onKeyDown={(event) => {
        const to = dayFor(event.key, now, last);
        if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        at.value = to;
      }}
    >
      <Plot days={days} at={at} />
    </div>
  );
}

function Plot({ days, at }: { days: ChartDay[]; at: Signal<number | null> }) {
  const highest = Math.max(MAX_LINES, ...days.map(({ hits, before = 0 }) => Math.max(hits, before)));
  const step = stepFor(highest);
  const top = highest * 1.08;
  const share = (value: number): string => `${(value / top) * 100}%`;
  const dateStep = Math.ceil(days.length / MAX_DATES);
  const today = new Date().toISOString().slice(0, 10);
  function point({ currentTarget, clientX }: PointerEvent): void {
    if (!(currentTarget instanceof Element)) return;
    const { left, width } = currentTarget.getBoundingClientRect();
    at.value = Math.max(0, Math.min(days.length - 1, Math.floor(((clientX - left) / width) * days.length)));
  }
  /** A finger leaves with each tap, whose day stays. */
  function leave({ pointerType }: PointerEvent): void {
    if (pointerType === 'mouse') at.value = null;
  }
  return (
    <div class="day-plot" onPointerDown={point} onPointerMove={point} onPointerLeave={leave}>
      {Array.from({ length: Math.floor(top / step) + 1 }, (_, line) => line * step).map((value) => (
        <div key={value} class="chart-line" style={{ bottom: share(value) }}>
          <span>{compact.format(value)}</span>
        </div>
      ))}
      {days.map(({ date, hits, before = 0, releases }, index) => (
        <div key={date} class="chart-day" data-at={index === at.value} data-released={releases.length > 0}>
          <div class="before" style={{ height: share(before) }} />
          <div class={date === today ? 'bar today' : 'bar'} style={{ height: share(hits) }} />
          {index % dateStep === 0 && <span>{month.format(new Date(date))}</span>}
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

/** The day that a key moves to, as on a slider; Page keys move by a week. */
function dayFor(key: string, now: number, last: number): number | undefined {
  const steps: Record<string, number> = {
    ArrowLeft: -1,
    ArrowDown: -1,
    ArrowRight: 1,
    ArrowUp: 1,
    PageDown: -WEEK,
    PageUp: WEEK,
    Home: -last,
    End: last,
  };
  const step = steps[key];
  return step === undefined ? undefined : Math.max(0, Math.min(last, now + step));
}
