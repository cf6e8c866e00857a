import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Hits } from '../../api/client/wire.ts';
import { counted, number } from '../../format.ts';
import { DayChart } from './day-chart.tsx';
import { type ChartDay, dayName, dayText } from './view.ts';

/** Daily hits as a chart and as a table, beside those of the previous period. */
export function Daily({ hits, csv }: { hits: Hits; csv: ComponentChildren }) {
  const pointedIndex = useSignal<number | null>(null);
  const previous = hits.previous_period?.daily_hits;
  const days = hits.daily_hits.map((day, index) => ({ ...day, before: previous?.[index]?.hits }));
  const inOrder = days.toReversed();
  const pointed = pointedIndex.value === null ? undefined : inOrder[pointedIndex.value];
  const peak = inOrder.reduce((best, one) => (one.hits > best.hits ? one : best), { date: '', hits: 0 });
  return (
    <section class="card" aria-labelledby="daily">
      <header>
        <h2 id="daily">Daily hits</h2>
        <span class="small muted grow daily-note">
          {pointed ? dayText(pointed) : peak.hits > 0 && `Peak on ${dayName(peak.date)}: ${number(peak.hits)}`}
        </span>
        {csv}
      </header>
      <DayChart days={inOrder} at={pointedIndex} />
      {previous && (
        <p class="small muted row daily-key">
          <span aria-hidden="true" />
          {counted(days.length, 'day')} before
        </p>
      )}
      <Table days={days} hasPrevious={previous !== undefined} />
    </section>
  );
}

function Table({ days, hasPrevious }: { days: ChartDay[]; hasPrevious: boolean }) {
  return (
    <details class="daily-table">
      <summary class="small muted">View as table</summary>
      <div tabIndex={0} role="region" aria-label="Table of daily hits">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Day (UTC)</th>
              <th scope="col" class="number">
                Hits
              </th>
              {hasPrevious && (
                <th scope="col" class="number">
                  {counted(days.length, 'day')} before
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {days.map(({ date, hits, before }) => (
              <tr key={date}>
                <td>{dayName(date)}</td>
                <td class="number">{number(hits)}</td>
                {before !== undefined && <td class="number">{number(before)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
