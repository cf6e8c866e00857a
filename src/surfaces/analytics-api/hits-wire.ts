/** Parameters and responses of hit analytics. */
import { z } from 'zod';
import type { HitReport, HitTotals, WebsiteHitReport } from '../../analytics/hit-report.ts';
import {
  EnvironmentName,
  pathId,
  periodOfDays,
  queryInteger,
  staleness,
  component,
  listOf,
} from '../../http/wire/fields.ts';

const totals = {
  total_hits: z.int().describe('Hits by humans in the period.'),
  unique_visitors: z
    .int()
    .describe(
      'The number of human visitors: exact up to 1,000 for a website and 64 for a redirect, above that within 2 %.',
    ),
  avg_response_time: z.string().describe('The average time that the service took to respond, such as `0.4ms`.'),
};
const dailyHits = z.array(
  z.object({
    date: z.string().describe('The day, `YYYY-MM-DD`.'),
    hits: z.int().describe('Hits by humans.'),
  }),
);
const hits = z.int().describe('Hits by humans.');
const botHits = z.int().describe('Hits by known bots.');
const assistantHits = z
  .int()
  .describe('Hits by assistants on behalf of a person, by name, not verified. In no other total.');
const notFound = z.int().describe('Requests by humans that no redirect matched.');

const PreviousPeriod = component('PreviousPeriodHits', {
  start_date: z.string().describe('Its first day, `YYYY-MM-DD`.'),
  end_date: z.string().describe('Its last day: the day before the period.'),
  ...totals,
  daily_hits: dailyHits.describe('One entry for every day, the last day first.'),
  bot_hits: botHits,
  assistant_hits: assistantHits,
  not_found: notFound.describe('Requests by humans that no redirect matched; 0 for a redirect.'),
});

export const HitsBody = component('RedirectHits', {
  ...totals,
  top_countries: z
    .array(z.string())
    .describe('The codes of the ten countries with the most hits, in descending order.'),
  country_hits: listOf('Hits by country, at most `limit`, in descending order. Unknown countries are omitted.', {
    country: z.string().describe('The two-letter country code.'),
    hits: z.int().describe('Hits by humans.'),
  }),
  unknown_country_hits: z.int().describe('Hits by humans whose country is unknown.'),
  top_referrers: listOf(
    'Hosts of the Referer header, at most `limit`, most hits first. Hosts of the website are omitted.',
    { host: z.string().describe('The host, in lower case.'), hits },
  ),
  referrer_hits: z.int().describe('Hits by humans with a Referer header. The others came directly, or hide it.'),
  internal_referrer_hits: z.int().describe('Those of them from hosts of the website.'),
  top_utm_sources: listOf('Values of the query parameter `utm_source`, at most `limit`, most hits first.', {
    source: z.string().describe('The value, in lower case.'),
    hits,
  }),
  utm_source_hits: z.int().describe('Hits by humans with a `utm_source`.'),
  daily_hits: dailyHits.describe('One entry for every day of the period, today first, days without hits included.'),
  bot_hits: botHits,
  assistant_hits: assistantHits,
  previous_period: PreviousPeriod.nullable().describe(
    'The same number of days before the period. Null if they have no requests, or are not all retained.',
  ),
});

export const OverviewBody = HitsBody.extend({
  not_found: notFound,
  top_redirects: listOf('The redirects with the most hits, at most `limit`.', {
    redirect_id: z.string().describe('The id of the redirect.'),
    old_path: z.string().describe('Its path or pattern.'),
    hits: z.int().describe('Hits by humans.'),
  }),
}).meta({ id: 'WebsiteHits' });

export const GroupsBody = component('GroupHits', {
  groups: listOf('The groups with the most hits, at most `limit`. Groups without hits are omitted.', {
    group_id: z.string().describe('The group.'),
    hits: z.int().describe('Hits by humans of the redirects that are in the group now.'),
  }),
  grouped_hits: z.int().describe('Hits by humans of all groups.'),
});

const TOP_COUNTRIES = 10;

export function hitsBody({ previous, ...report }: HitReport) {
  return {
    ...report,
    ...totalsBody(report),
    topCountries: report.topCountries.slice(0, TOP_COUNTRIES).map(({ country }) => country),
    countryHits: report.topCountries,
    topReferrers: report.referrers.top.map(({ name: host, hits: count }) => ({ host, hits: count })),
    referrerHits: report.referrers.hits,
    internalReferrerHits: report.referrers.internalHits,
    topUtmSources: report.utmSources.top.map(({ name: source, hits: count }) => ({ source, hits: count })),
    utmSourceHits: report.utmSources.hits,
    previousPeriod: previous && {
      ...previous,
      ...totalsBody(previous),
      startDate: previous.days.at(-1)?.day ?? '',
      endDate: previous.days[0]?.day ?? '',
    },
  };
}

export function overviewBody(report: WebsiteHitReport) {
  return {
    ...hitsBody(report),
    notFound: report.notFound,
    topRedirects: report.topRedirects.map((redirect) => ({ ...redirect, redirectId: String(redirect.redirectId) })),
  };
}

const totalsBody = (report: HitTotals) => ({
  totalHits: report.hits,
  avgResponseTime: milliseconds(report.averageMicros),
  dailyHits: report.days.map(({ day, hits }) => ({ date: day, hits })),
});

/** Two significant digits: `0.037ms`, `0.4ms`, `12ms`. */
function milliseconds(micros: number | null): string {
  if (micros === null) return '0ms';
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
  period: periodOfDays.default(30).describe('From `1d` to `365d` (default `30d`): today in UTC and the days before.'),
  environment: EnvironmentName.default('production').describe('The environment. Default `production`.'),
};
const MAX_ROWS = 100;
export const limit = {
  limit: queryInteger(1, MAX_ROWS)
    .default(10)
    .describe('The maximum length of each list, except `top_countries` and the days. Default 10.'),
};
