import { useSignal } from '@preact/signals';
import type { Hits } from '../../api/wire.ts';
import { number } from '../../format.ts';
import { DayChart } from './day-chart.tsx';
import { dayName, dayText } from './view.ts';

/** Daily hits as a chart and as a table. */
export function Daily({ days }: { days: Hits['daily_hits'] }) {
  const pointedIndex = useSignal<number | null>(null);
  const inOrder = days.toReversed();
  const pointed = pointedIndex.value === null ? undefined : inOrder[pointedIndex.value];
  const peak = inOrder.reduce((best, one) => (one.hits > best.hits ? one : best), { date: '', hits: 0 });
  return (
    <section class="card" aria-labelledby="daily">
      <header>
        <h2 id="daily">Daily hits</h2>
        <span class="small muted daily-note">
          {pointed ? dayText(pointed) : peak.hits > 0 && `Peak on ${dayName(peak.date)}: ${number(peak.hits)}`}
        </span>
      </header>
      <DayChart days={inOrder} at={pointedIndex} />
      <Table days={days} />
    </section>
  );
}

function Table({ days }: { days: Hits['daily_hits'] }) {
  return (
    <details class="daily-table">
      <summary>View as table</summary>
      <div class="daily-scroll" tabIndex={0} role="region" aria-label="Table of daily hits">
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
