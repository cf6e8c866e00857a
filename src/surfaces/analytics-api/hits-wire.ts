/** Parameters and responses of hit analytics. */
import { z } from 'zod';
import type { HitFilter } from '../../hits/report/hit-rows.ts';
import type { HitReport, HitTotals, WebsiteHitReport } from '../../analytics/hit-report.ts';
import {
  CalendarDay,
  component,
  EnvironmentName,
  listOf,
  pathId,
  periodOfDays,
  queryInteger,
  searchText,
  staleness,
  Timestamp,
} from '../../http/wire/fields.ts';
import { wrongParameter } from '../../vocabulary/error.ts';

const totals = {
  total_hits: z.int().describe('Hits by humans in the period, or those of the filter.'),
  unique_visitors: z
    .int()
    .nullable()
    .describe(
      'Human visitors: exact up to 1,000 for a website and 64 for a redirect, above that within 2 %. Null with a filter and for a group.',
    ),
  avg_response_time: z.string().nullable().describe('The average response time, such as `0.4ms`. Null with a filter.'),
};
const dailyHits = z.array(
  z.object({
    date: z.string().describe('The day, `YYYY-MM-DD`.'),
    hits: z.int().describe('Hits by humans, or those of the filter.'),
  }),
);
const counts = {
  hits: z.int().describe('Hits by humans, or those of the filter.'),
  previous_hits: z
    .int()
    .nullable()
    .describe('The same in the previous period. Null if there is no `previous_period`, or not all of it is retained.'),
};
const botHits = z.int().nullable().describe('Hits by known bots. Null with a filter.');
const assistantHits = z
  .int()
  .nullable()
  .describe('Hits by assistants, by name, not verified. In no other total. Null with a filter.');
const notFound = z
  .int()
  .nullable()
  .describe(
    'Requests by humans that no redirect matched, or those of `agents`. Null for a group, a country and a source.',
  );

const PreviousPeriod = component('PreviousPeriodHits', {
  start_date: z.string().describe('Its first day, `YYYY-MM-DD`.'),
  end_date: z.string().describe('Its last day.'),
  ...totals,
  daily_hits: dailyHits.describe('One entry for every day, the last day first.'),
  bot_hits: botHits,
  assistant_hits: assistantHits,
  not_found: notFound.describe(
    'Requests by humans that no redirect matched; 0 for a redirect, null as `not_found` is.',
  ),
});

export const HitsBody = component('RedirectHits', {
  ...totals,
  top_countries: z
    .array(z.string())
    .nullable()
    .describe('The codes of the ten countries with the most hits, in descending order. Null with a filter.'),
  country_hits: listOf('Hits by country, at most `limit`, in descending order. Unknown countries are omitted.', {
    country: z.string().describe('The two-letter country code.'),
    ...counts,
  }).nullable(),
  unknown_country_hits: z.int().nullable().describe('Hits by humans whose country is unknown.'),
  top_referrers: listOf('Referrer hosts, at most `limit`, most hits first. Hosts of the website are omitted.', {
    host: z.string().describe('The host, in lower case.'),
    ...counts,
  }).nullable(),
  referrer_hits: z
    .int()
    .nullable()
    .describe('Hits by humans with a Referer header. The others came directly, or hide it.'),
  internal_referrer_hits: z.int().nullable().describe('Those of them from hosts of the website.'),
  top_utm_sources: listOf('Values of the query parameter `utm_source`, at most `limit`, most hits first.', {
    source: z.string().describe('The value, in lower case.'),
    ...counts,
  }).nullable(),
  utm_source_hits: z.int().nullable().describe('Hits by humans with a `utm_source`.'),
  daily_hits: dailyHits.describe(
    'One entry for every day of the period, the last day first, days without hits included.',
  ),
  bot_hits: botHits,
  assistant_hits: assistantHits,
  previous_period: PreviousPeriod.nullable().describe(
    'The days to compare: by default as many days before the period. Null if they have no requests, or are not all retained.',
  ),
});

export const OverviewBody = HitsBody.extend({
  not_found: notFound,
  named_agents: listOf('Requests by known assistants and crawlers. Null for a group, a country and a source.', {
    name: z.string().describe('The name, not verified.'),
    operator: z.string().describe('Its firm.'),
    class: z.enum(['bot', 'assistant']).describe('Its class.'),
    requests: z.int().describe('Its requests.'),
    not_found: z.int().describe('Those that no redirect matched.'),
  }).nullable(),
  unnamed_requests: z.int().nullable().describe('Those by other bots and assistants.'),
  hourly_hits: listOf(
    'Hits by hour of one of the last 8 days, the last hour first. Null for other periods, for a group, a country and a source. Hits from logs have no hour.',
    { hour: Timestamp.describe('Its start.'), ...counts },
  ).nullable(),
  top_redirects: listOf('The redirects with the most hits, at most `limit`.', {
    redirect_id: z.string().describe('The id of the redirect.'),
    old_path: z.string().describe('Its path or pattern.'),
    ...counts,
  }),
}).meta({ id: 'WebsiteHits' });

export const GroupsBody = component('GroupHits', {
  groups: listOf('The groups with the most hits, at most `limit`. Groups without hits are omitted.', {
    group_id: z.string().describe('The group.'),
    hits: z.int().describe('Hits by humans, or those of the filter, of the redirects that are in the group now.'),
    previous_hits: counts.previous_hits,
  }),
  grouped_hits: z.int().describe('The same of all groups.'),
});

const TOP_COUNTRIES = 10;

export function hitsBody({ previous, origins, ...report }: HitReport) {
  const rows = rowsBody(previous !== null);
  return {
    ...report,
    ...totalsBody(report),
    topCountries: origins && origins.countries.slice(0, TOP_COUNTRIES).map(({ country }) => country),
    countryHits: origins && rows(origins.countries),
    unknownCountryHits: origins && origins.unknownCountryHits,
    topReferrers: origins && rows(origins.referrers.top).map(({ name: host, ...counted }) => ({ host, ...counted })),
    referrerHits: origins && origins.referrers.hits,
    internalReferrerHits: origins && origins.referrers.internalHits,
    topUtmSources:
      origins && rows(origins.utmSources.top).map(({ name: source, ...counted }) => ({ source, ...counted })),
    utmSourceHits: origins && origins.utmSources.hits,
    previousPeriod: previous && {
      ...previous,
      ...totalsBody(previous),
      startDate: previous.days.at(-1)?.day ?? '',
      endDate: previous.days[0]?.day ?? '',
    },
  };
}

/** Without a previous period, its hits are null. */
const rowsBody =
  (hasPrevious: boolean) =>
  <Row extends { previousHits: number }>(rows: Row[]) =>
    rows.map((row) => ({ ...row, previousHits: hasPrevious ? row.previousHits : null }));

export function overviewBody(report: WebsiteHitReport) {
  return {
    ...hitsBody(report),
    notFound: report.notFound,
    namedAgents: report.namedAgents,
    unnamedRequests: report.unnamedRequests,
    hourlyHits: report.hours,
    topRedirects: rowsBody(report.previous !== null)(report.topRedirects).map((redirect) => ({
      ...redirect,
      redirectId: String(redirect.redirectId),
    })),
  };
}

const totalsBody = (report: HitTotals) => ({
  totalHits: report.hits,
  avgResponseTime: milliseconds(report.averageMicros),
  dailyHits: report.days.map(({ day, hits }) => ({ date: day, hits })),
});

/** Two significant digits: `0.037ms`, `0.4ms`, `12ms`. */
function milliseconds(micros: number | null): string | null {
  if (micros === null) return null;
  const milli = micros / 1_000;
  return `${milli >= 10 ? Math.round(milli) : Number(milli.toPrecision(2))}ms`;
}

/** Ids are strings. A string that is not an id gets the same 404 as an unknown id. */
export const website = {
  website_id: pathId('WEBSITE_NOT_FOUND', 'Website').meta({ type: 'string', description: 'The id of the website.' }),
};
export const redirectId = pathId('REDIRECT_NOT_FOUND', 'Redirect', Number.MAX_SAFE_INTEGER).meta({
  type: 'string',
  description: 'The id of the redirect.',
});
export const period = {
  ...staleness,
  period: periodOfDays
    .optional()
    .describe('From `1d` to `365d` (default `30d`): today in UTC and the days before. Excludes `start_date`.'),
  start_date: CalendarDay.optional().describe('The first day, `YYYY-MM-DD`. Default: 29 days before the last day.'),
  end_date: CalendarDay.optional().describe(
    'The last day, `YYYY-MM-DD`, at most today (default), and at most 365 days after the first.',
  ),
  environment: EnvironmentName.default('production').describe('The environment. Default `production`.'),
};
export const comparison = {
  compare: z
    .enum(['previous', 'year'])
    .optional()
    .describe('The days to compare: as many before the period (`previous`, default), or from a year before (`year`).'),
  compare_start_date: CalendarDay.optional().describe('The first of any other days to compare, `YYYY-MM-DD`.'),
  compare_end_date: CalendarDay.optional().describe('The last of these days. Required with `compare_start_date`.'),
};
/** At most one of them: see partOfHits. */
export const filters = {
  agents: z
    .enum(['people', 'bots', 'assistants'])
    .default('people')
    .describe('Only hits by them. Default `people`. One of `agents`, `country`, `referrer` and `utm_source`.'),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/, 'must be a two-letter country code in capitals, such as DE')
    .optional()
    .describe('Only hits from this country.'),
  referrer: searchText.min(1).optional().describe('Only hits from this referrer host.'),
  utm_source: searchText.min(1).optional().describe('Only hits with this `utm_source`.'),
};
export const group = {
  group_id: searchText
    .min(1)
    .optional()
    .describe('Only hits of the redirects that are in this group now. Reads every redirect with hits.'),
};

interface Filters {
  agents: 'people' | 'bots' | 'assistants';
  country?: string | undefined;
  referrer?: string | undefined;
  utmSource?: string | undefined;
}

/** Splits the filter off the query. Throws INVALID_PARAMETER for two of its fields, which no stored sum has. */
export function partOfHits<Query extends Filters>({ agents, country, referrer, utmSource, ...query }: Query) {
  const fields = { agents: agents === 'people' ? undefined : agents, country, referrer, utm_source: utmSource };
  const [first, second] = Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (second !== undefined)
    throw wrongParameter(second, `cannot be combined with ${first}: hits are stored by one of them; send one`);
  const filter: HitFilter = {
    ...(fields.agents && { agents: fields.agents }),
    ...(country !== undefined && { country }),
    ...(referrer !== undefined && { referrer }),
    ...(utmSource !== undefined && { utmSource }),
  };
  return { ...query, ...(first !== undefined && { filter }) };
}
const MAX_ROWS = 100;
export const limit = {
  limit: queryInteger(1, MAX_ROWS)
    .default(10)
    .describe('The maximum length of each list, except `top_countries` and the days. Default 10.'),
};
