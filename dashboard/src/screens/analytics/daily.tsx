import { useSignal } from '@preact/signals';
import type { Hits } from '../../api/wire.ts';
import { number } from '../../format.ts';
import { DayChart } from './day-chart.tsx';
import { dayName, dayText } from './view.ts';

/** Hits day by day: drawn, and as a table for those who would rather read. */
export function Daily({ days }: { days: Hits['daily_hits'] }) {
  const at = useSignal<number | null>(null);
  const inOrder = days.toReversed();
  const pointed = at.value === null ? undefined : inOrder[at.value];
  const most = inOrder.reduce((best, one) => (one.hits > best.hits ? one : best), { date: '', hits: 0 });
  return (
    <section class="card" aria-labelledby="daily">
      <header>
        <h2 id="daily">Hits a day</h2>
        <span class="small muted daily-note">
          {pointed
            ? dayText(pointed)
            : most.hits > 0 && `most on ${dayName(most.date)}: ${number(most.hits)}`}
        </span>
      </header>
      <DayChart days={inOrder} at={at} />
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
