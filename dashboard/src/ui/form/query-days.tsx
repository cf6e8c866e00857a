/** Days in the query of the URL. */
import { isoTime, localTime } from '../../format.ts';
import { query, setQuery } from '../../router.ts';

/**
 * A day, the parameter `name` of the URL; default: any up to today in UTC. Years that are still typed change nothing.
 * `text` is shown before it.
 */
export const QueryDate = ({
  label,
  name,
  text,
  min = '2000-01-01',
  max = new Date().toISOString().slice(0, 10),
}: {
  label: string;
  name: string;
  text?: string;
  min?: string | undefined;
  max?: string | undefined;
}) => {
  const field = (
    <input
      class="input"
      type="date"
      aria-label={label}
      min={min}
      max={max}
      data-set={query.value.has(name)}
      value={query.value.get(name) ?? ''}
      onChange={({ currentTarget: { value, validity } }) => validity.valid && setQuery({ [name]: value })}
    />
  );
  if (text === undefined) return field;
  return (
    <label class="row gap-2 small muted">
      {text} {field}
    </label>
  );
};

/** The days of a list in the user's time zone: `since` and `until` of the URL. */
export function QueryDays() {
  const [since, until] = ['since', 'until'].map((name) => query.value.get(name) ?? undefined);
  const today = localTime(new Date().toISOString()).slice(0, 10);
  return (
    <span class="row wrap">
      <QueryDate label="From the day" text="From" name="since" max={until ?? today} />
      <QueryDate label="To the day" text="To" name="until" min={since} max={today} />
    </span>
  );
}

/** The time at which a day of the user's time zone begins, or that `later` days after it; undefined if it is no day. */
export function startOfDay(day: string | null, later = 0): string | undefined {
  const start = new Date(/^\d{4}-\d\d-\d\d$/.test(day ?? '') ? `${day}T00:00` : Number.NaN);
  start.setDate(start.getDate() + later);
  return Number.isNaN(start.getTime()) ? undefined : isoTime(start.toISOString());
}
