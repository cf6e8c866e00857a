import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { useRef } from 'preact/hooks';
import { counted, number } from '../../format.ts';
import { environmentIn } from '../../urls.ts';

/** The standard is 30 days. */
export const PERIODS = [
  ['7d', '7 days'],
  ['30d', '30 days'],
  ['90d', '90 days'],
  ['365d', '365 days'],
] as const;

export interface View {
  websiteId: number;
  environment: Environment;
  period: (typeof PERIODS)[number][0];
  /** undefined: all redirects */
  redirectId: string | undefined;
}

export function viewOf(query: URLSearchParams, websiteId: number): View {
  const [period] = PERIODS.find(([name]) => name === query.get('period')) ?? ['30d' as const];
  return { websiteId, environment: environmentIn(query), period, redirectId: query.get('redirect') ?? undefined };
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

export interface ChartDay {
  date: string;
  hits: number;
  /** hits of the day as many days earlier as the period is long; undefined without data */
  before: number | undefined;
}

export const dayText = (day: ChartDay | undefined): string => {
  if (!day) return '';
  const before = day.before === undefined ? '' : ` (previous period: ${number(day.before)})`;
  return `${dayName(day.date)}: ${counted(day.hits, 'hit')}${before}`;
};

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
