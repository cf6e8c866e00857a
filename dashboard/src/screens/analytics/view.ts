import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { counted } from '../../format.ts';
import { environmentIn } from '../../urls.ts';

export const PERIODS = [
  ['7d', '7 days'],
  ['30d', '30 days'],
  ['90d', '90 days'],
  ['365d', '365 days'],
] as const;

export type Period = (typeof PERIODS)[number][0];

export interface View {
  environment: Environment;
  period: Period;
  /** undefined: all redirects */
  redirectId: string | undefined;
}

export function viewOf(query: URLSearchParams): View {
  const [period] = PERIODS.find(([name]) => name === query.get('period')) ?? ['30d' as const];
  return {
    environment: environmentIn(query),
    period,
    redirectId: query.get('redirect') ?? undefined,
  };
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

/** Formats a UTC date. */
export const dayName = (date: string): string => day.format(new Date(`${date}T00:00:00Z`));

export const dayText = (day: { date: string; hits: number } | undefined): string =>
  day ? `${dayName(day.date)}: ${counted(day.hits, 'hit')}` : '';
