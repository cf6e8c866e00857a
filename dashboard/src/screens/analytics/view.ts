import { useRef } from 'preact/hooks';
import type { HitQuery } from '../../api/analytics.ts';
import type { Hits } from '../../api/client/wire.ts';
import { counted, number } from '../../format.ts';
import { environmentIn } from '../../urls.ts';

/** The standard is 30 days. */
export const PERIODS = [
  ['1d', 'Today'],
  ['7d', '7 days'],
  ['30d', '30 days'],
  ['90d', '90 days'],
  ['365d', '365 days'],
] as const;

export const DATES = ['start_date', 'end_date'] as const;
export const COMPARED_DATES = ['compare_start_date', 'compare_end_date'] as const;

/** Parts of the hits: sums are stored by one of them, so that choosing one replaces the other. */
const PARTS = ['agents', 'country', 'referrer', 'utm_source'] as const;

/** The period is today, which is not over: only sums by hour can be compared with the same part of another day. */
export const isToday = ({ query: { period, start_date: first } }: View): boolean =>
  period === '1d' || first === new Date().toISOString().slice(0, 10);

/** The parameters of one day as the period. */
export const daysQuery = (day: string): Record<string, string | undefined> => ({
  period: undefined,
  ...Object.fromEntries(DATES.map((name) => [name, day])),
});

/** A redirect or group, and one part of its hits. */
const FILTERS = ['redirect', 'group', ...PARTS] as const;
type Filter = (typeof FILTERS)[number];

export interface View {
  websiteId: number;
  /** undefined: all redirects */
  redirectId: string | undefined;
  group: string | undefined;
  /** a part of the hits */
  part: (typeof PARTS)[number] | undefined;
  /** as the API takes it */
  query: HitQuery;
}

/** The view of an address. Its parameters are those of the API, except `redirect` and `group`. */
export function viewOf(query: URLSearchParams, websiteId: number): View {
  const given = (names: readonly string[]) =>
    Object.fromEntries(names.flatMap((name) => (query.get(name) ? [[name, query.get(name) ?? '']] : [])));
  const hasDates = DATES.some((name) => query.has(name));
  const period = PERIODS.find(([name]) => name === query.get('period'))?.[0] ?? '30d';
  return {
    websiteId,
    redirectId: query.get('redirect') ?? undefined,
    group: query.get('group') ?? undefined,
    part: PARTS.find((name) => query.has(name)),
    query: {
      environment: environmentIn(query),
      ...(hasDates ? given(DATES) : { period }),
      ...given(['compare', ...COMPARED_DATES, ...PARTS]),
    },
  };
}

/** The parameters with a filter, without those that it replaces. */
export function narrowed(filter: Filter, value: string): Record<string, string | undefined> {
  const replaced = filter === 'redirect' || filter === 'group' ? ['redirect', 'group'] : PARTS;
  return { ...Object.fromEntries(replaced.map((name) => [name, undefined])), [filter]: value };
}

const LABELS: Record<Filter, string> = {
  redirect: 'Redirect',
  group: 'Group',
  agents: 'Visitors',
  country: 'Country',
  referrer: 'Referrer',
  utm_source: 'UTM source',
};

/** The filters of an address, each with its text. `path`: of the redirect. */
export function tokensOf(query: URLSearchParams, path: string | undefined): { name: Filter; label: string }[] {
  return FILTERS.flatMap((name) => {
    const value = query.get(name);
    if (value === null) return [];
    const texts: Partial<Record<Filter, string>> = { redirect: path ?? value, country: countryName(value) };
    return [{ name, label: `${LABELS[name]}: ${texts[name] ?? value}` }];
  });
}

const PEOPLE_ONLY = ['visitors', 'response time', 'bots', 'assistants', 'countries', 'sources'];

/** The figures that the filters leave out, because no sum of them is stored. */
export function notStored({ redirectId, group, part }: View): string {
  const left = part ? [...PEOPLE_ONLY] : group === undefined ? [] : ['visitors'];
  if (redirectId ?? group ?? (part !== 'agents' && part)) left.push('unmatched paths');
  return left.length === 0 ? '' : `Not stored for these filters, and not shown: ${left.join(', ')}.`;
}

const countries = new Intl.DisplayNames(undefined, { type: 'region', fallback: 'code' });

/** The name of a country in the browser's language; the code itself if it is unknown. */
export function countryName(code: string): string {
  try {
    return countries.of(code) ?? code;
  } catch {
    return code;
  }
}

const day = new Intl.DateTimeFormat(undefined, { timeZone: 'UTC', dateStyle: 'medium' });

export const dayName = (date: string): string => day.format(new Date(`${date}T00:00:00Z`));

/** The compared days: `the 30 days before`, or their dates. */
export function comparedText({ daily_hits: days, previous_period: previous }: Hits, { query }: View): string {
  const isCustom = COMPARED_DATES.some((name) => name in query);
  if (!isCustom && !query.compare)
    return days.length === 1 ? 'the day before' : `the ${counted(days.length, 'day')} before`;
  if (!previous) return 'the compared days';
  const count = previous.daily_hits.length === days.length ? '' : ` (${counted(previous.daily_hits.length, 'day')})`;
  return `${dayName(previous.start_date)} to ${dayName(previous.end_date)}${count}`;
}

const percent = new Intl.NumberFormat(undefined, {
  style: 'percent',
  maximumFractionDigits: 0,
  signDisplay: 'exceptZero',
});

/** The change from a value to a later one, such as `+12%`. */
export function changeText(value: number, before: number): string {
  if (value === before) return 'No change';
  return before === 0 ? `+${number(value)} from 0` : percent.format(value / before - 1);
}

/** Rows of a table before "Show more", and with it. */
export const TOP = 10;
const MAX_ROWS = 100;

/** How many rows to load: ten, and after `extend` 100. A change does not clear what is shown. */
export function useRowLimit(): { limit: () => number; extend: (reload: () => void) => void } {
  const limit = useRef(TOP);
  return {
    limit: () => limit.current,
    extend(reload) {
      if (limit.current === MAX_ROWS) return;
      limit.current = MAX_ROWS;
      reload();
    },
  };
}
