/** The only file that imports uPlot, so that only screens with charts load it. */
import 'uplot/dist/uPlot.min.css';
import uPlot from 'uplot';
import { number } from '../../format.ts';
import type { ChartDay } from './view.ts';

export interface DailyChart {
  show(days: ChartDay[]): void;
  /** moves the cursor to a day; null: hides it */
  point(index: number | null): void;
  end(): void;
}

const HEIGHT = 220;
const DAY_SECONDS = 86_400;
const compact = new Intl.NumberFormat(undefined, { notation: 'compact' });
const month = new Intl.DateTimeFormat(undefined, { timeZone: 'UTC', day: 'numeric', month: 'short' });

/**
 * Draws one bar per day, oldest first, and the previous period as a line, in the width of `place`. `onPoint` receives the index of the day under the
 * pointer. Redraws on changes of size and colour scheme.
 */
export function drawDaily(place: HTMLElement, days: ChartDay[], onPoint: (index: number | null) => void): DailyChart {
  let shown = days;
  let plot = make();
  function make(): uPlot {
    const made = new uPlot(optionsFor(place, onPoint), dataOf(shown), place);
    for (const kind of ['pointerdown', 'pointermove'] as const) {
      made.over.addEventListener(kind, (event) => followFinger(made, event));
    }
    return made;
  }
  const resized = new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height: HEIGHT }));
  resized.observe(place);
  const dark = matchMedia('(prefers-color-scheme: dark)');
  function redraw(): void {
    plot.destroy();
    plot = make();
  }
  dark.addEventListener('change', redraw);
  return {
    show(next) {
      shown = next;
      plot.setData(dataOf(next));
    },
    point(index) {
      const seconds = index === null ? undefined : plot.data[0][index];
      plot.setCursor({ left: seconds === undefined ? -10 : plot.valToPos(seconds, 'x'), top: 0 });
    },
    end() {
      dark.removeEventListener('change', redraw);
      resized.disconnect();
      plot.destroy();
    },
  };
}

/** uPlot handles only the mouse. Horizontal touches move the cursor; vertical ones scroll the page. */
function followFinger(plot: uPlot, { pointerType, clientX }: PointerEvent): void {
  if (pointerType === 'mouse') return;
  plot.setCursor({ left: clientX - plot.over.getBoundingClientRect().left, top: 0 });
}

/** The previous period twice: its line has an outline, so that it is visible on the bars. */
function dataOf(days: ChartDay[]): uPlot.AlignedData {
  const before = days.map((day) => day.before ?? null);
  const seconds = days.map(({ date }) => Date.parse(`${date}T00:00:00Z`) / 1_000);
  return [seconds, days.map(({ hits }) => hits), before, before];
}

const bars = uPlot.paths.bars?.({ size: [0.72, 44], radius: 0.12 });

function optionsFor(place: HTMLElement, onPoint: (index: number | null) => void): uPlot.Options {
  const color = colorsOf(place);
  const axis = { stroke: color('--muted'), font: '12px system-ui', ticks: { show: false } };
  return {
    width: place.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    // Days are in UTC.
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
    scales: {
      x: { range: (_plot, first, last) => [first - DAY_SECONDS / 2, last + DAY_SECONDS / 2] },
      y: { range: (_plot, _low, high) => [0, Math.max(4, high * 1.08)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: 70,
        size: 32,
        incrs: [1, 2, 7, 14, 30, 60, 90, 180, 365].map((days) => days * DAY_SECONDS),
        values: (_plot, splits) => splits.map((seconds) => month.format(seconds * 1_000)),
      },
      {
        ...axis,
        grid: { stroke: color('--line'), width: 1 },
        size: 52,
        incrs: [1, 2, 5, 10, 20, 50, 1e2, 2e2, 5e2, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 1e7, 1e8],
        values: (_plot, splits) => splits.map((value) => (value < 10_000 ? number(value) : compact.format(value))),
      },
    ],
    series: [
      {},
      {
        fill: color('--accent'),
        stroke: color('--accent'),
        width: 0,
        points: { show: false },
        ...(bars && { paths: bars }),
      },
      { stroke: color('--surface'), width: 5, points: { show: false } },
      { stroke: color('--text'), width: 1.5, points: { show: false } },
    ],
    hooks: { setCursor: [(plot) => onPoint(plot.cursor.idx ?? null)] },
  };
}

/**
 * Resolves CSS variables for the canvas. Uses a new element each time, because transitions delay changes of existing
 * ones.
 */
function colorsOf(place: HTMLElement): (token: string) => string {
  return (token) => {
    const probe = document.createElement('span');
    probe.style.color = `var(${token})`;
    place.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  };
}
