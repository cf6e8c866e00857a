import { type Signal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useKeys } from '../../state/keys.ts';
import type { DailyChart } from './daily-chart.ts';
import { type ChartDay, dayText } from './view.ts';

const WEEK = 7;

/**
 * The chart, oldest day first. `at` is the index of the day under the pointer, the finger or the keyboard cursor.
 * Screen readers see a slider over the days.
 */
export function DayChart({ days, at }: { days: ChartDay[]; at: Signal<number | null> }) {
  const place = useRef<HTMLDivElement>(null);
  const { chart, hasFailed } = useChart(place, days, at);
  useKeys([
    {
      keys: 'ArrowRight',
      label: 'Focus the chart, then move with the arrow keys',
      run: () => place.current?.focus(),
    },
  ]);

  function pointAt(index: number | null): void {
    at.value = index;
    chart.current?.point(index);
  }
  const last = days.length - 1;
  const now = Math.min(at.value ?? last, last);
  if (hasFailed.value) {
    return <p class="body muted">The chart could not be loaded. The table shows the same numbers.</p>;
  }
  return (
    <div
      ref={place}
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
        if (target instanceof Element && target.matches(':focus-visible')) pointAt(now);
      }}
      onBlur={() => pointAt(null)}
      onKeyDown={(event) => {
        const to = dayFor(event.key, now, last);
        if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        pointAt(to);
      }}
    />
  );
}

/** Draws into `place`. Loads the chart library with the first chart. */
function useChart(place: RefObject<HTMLDivElement | null>, days: ChartDay[], at: Signal<number | null>) {
  const chart = useRef<DailyChart>(undefined);
  const hasFailed = useSignal(false);
  const latest = useRef(days);
  latest.current = days;
  useEffect(() => {
    let isShown = true;
    import('./daily-chart.ts').then(
      ({ drawDaily }) => {
        if (isShown && place.current)
          chart.current = drawDaily(place.current, latest.current, (index) => (at.value = index));
      },
      () => (hasFailed.value = isShown),
    );
    return () => {
      isShown = false;
      chart.current?.end();
    };
  }, []);
  const text = JSON.stringify(days);
  useEffect(() => chart.current?.show(latest.current), [text]);
  return { chart, hasFailed };
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
