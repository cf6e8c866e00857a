import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Hits } from '../../api/wire.ts';
import { counted, number } from '../../format.ts';
import type { DailyChart } from './daily-chart.ts';
import { dayName } from './view.ts';

/** Hits day by day: drawn, and as a table for those who would rather read. The drawing is fetched with the first chart. */
export function Daily({ days }: { days: Hits['daily_hits'] }) {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<DailyChart>(undefined);
  const at = useSignal<number | null>(null);
  const hasFailed = useSignal(false);
  const inOrder = days.toReversed();
  const latest = useRef(inOrder);
  latest.current = inOrder;
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

  const pointed = at.value === null ? undefined : inOrder[at.value];
  const most = inOrder.reduce((best, one) => (one.hits > best.hits ? one : best), { date: '', hits: 0 });
  return (
    <section class="card" aria-labelledby="daily">
      <header>
        <h2 id="daily">Hits a day</h2>
        <span class="small muted daily-note">
          {pointed
            ? `${dayName(pointed.date)}: ${counted(pointed.hits, 'hit')}`
            : most.hits > 0 && `most on ${dayName(most.date)}: ${number(most.hits)}`}
        </span>
      </header>
      {hasFailed.value ? (
        <p class="body muted">The drawing could not be loaded; the table has the same numbers.</p>
      ) : (
        <div ref={place} class="daily-chart" aria-hidden="true" />
      )}
      <Table days={days} />
    </section>
  );
}

function Table({ days }: { days: Hits['daily_hits'] }) {
  return (
    <details class="daily-table">
      <summary>As a table</summary>
      <div class="daily-scroll" tabIndex={0} role="region" aria-label="Hits a day as a table">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Day (UTC)</th>
              <th scope="col" class="number">
                Hits
              </th>
            </tr>
          </thead>
          <tbody>
            {days.map(({ date, hits }) => (
              <tr key={date}>
                <td>{dayName(date)}</td>
                <td class="number">{number(hits)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
