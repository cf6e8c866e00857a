import type { ComponentChildren } from 'preact';
import { dayOf, fullTime, timeOfDay } from '../../format.ts';
import { Icon, type IconName } from '../../ui/icons.tsx';

/** Rows by day, each day with a heading. `timeOf`: an ISO time; `children` renders a row. */
export function Days<Row>({
  rows,
  timeOf,
  children,
}: {
  rows: readonly Row[];
  timeOf: (row: Row) => string;
  children: (row: Row) => ComponentChildren;
}) {
  return [...Map.groupBy(rows, (row) => dayOf(timeOf(row)))].map(([day, ofDay]) => (
    <section key={day} class="activity-day">
      <h2>{day}</h2>
      <ol class="card row-list activity-list">{ofDay.map(children)}</ol>
    </section>
  ));
}

/** The first two columns of a row: the time of day, and an icon. */
export function RowStart({ at, icon, isBad = false }: { at: string; icon: IconName; isBad?: boolean }) {
  return (
    <>
      <time class="small muted" dateTime={at} title={fullTime(at)}>
        {timeOfDay(Date.parse(at))}
      </time>
      <span class={isBad ? 'activity-icon bad' : 'activity-icon'}>
        <Icon name={icon} />
      </span>
    </>
  );
}
