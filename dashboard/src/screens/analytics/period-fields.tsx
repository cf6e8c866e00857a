/** The period of the report and the days to compare, in the URL. */
import { DAY_MS } from '../../format.ts';
import { query, setQuery } from '../../router.ts';
import { type Options, Select } from '../../ui/form/field.tsx';
import { QueryDate } from '../../ui/form/query-days.tsx';
import { COMPARED_DATES, DATES, PERIODS, type View } from './view.ts';

const CUSTOM = 'custom';

const COMPARED: Options<string> = [
  ['', 'vs. the days before'],
  ['year', 'vs. a year before'],
  [CUSTOM, 'vs. other days'],
];

export function PeriodFields({ view: { query: chosen } }: { view: View }) {
  const isCompared = COMPARED_DATES.some((name) => query.value.has(name));
  return (
    <div class="filter-bar">
      <Choice
        label="Period"
        name="period"
        value={chosen.period ?? CUSTOM}
        options={[...PERIODS, [CUSTOM, 'Other days']]}
        dates={DATES}
        daysAgo={[29, 0]}
      />
      <Choice
        label="Compare"
        name="compare"
        value={isCompared ? CUSTOM : (chosen.compare ?? '')}
        options={COMPARED}
        dates={COMPARED_DATES}
        daysAgo={[59, 30]}
      />
    </div>
  );
}

/** A choice of days. The last option shows fields for any first and last day, which begin with those of `daysAgo`. */
function Choice(props: {
  label: string;
  name: string;
  value: string;
  options: Options<string>;
  dates: readonly [string, string];
  daysAgo: readonly [number, number];
}) {
  const { label, name, value, options, dates, daysAgo } = props;
  const choose = (next: string): void => {
    const days = dates.map((date, at) => [date, next === CUSTOM ? dayBefore(daysAgo[at] ?? 0) : undefined] as const);
    setQuery({ ...Object.fromEntries(days), [name]: next === CUSTOM ? undefined : next });
  };
  return (
    <>
      <Select aria-label={label} value={value} options={options} onChoose={choose} />
      {value === CUSTOM && (
        <>
          <QueryDate label={`${label}: first day`} name={dates[0]} />
          <QueryDate label={`${label}: last day`} name={dates[1]} />
        </>
      )}
    </>
  );
}

const dayBefore = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
