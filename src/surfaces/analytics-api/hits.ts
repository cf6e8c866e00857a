import { z } from 'zod';
import {
  type HitReport,
  type WebsiteHitReport,
  reportRedirectHits,
  reportWebsiteHits,
} from '../../analytics/hit-report.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { EnvironmentName, pathId, periodOfDays, queryObject } from '../../http/fields.ts';
import type { Api } from '../../http/zod.ts';

export const HitsBody = z
  .object({
    total_hits: z.int().describe('Hits by humans in the period.'),
    unique_visitors: z
      .int()
      .describe(
        'The number of human visitors: exact up to 1,000 for a website and 64 for a redirect, above that within 2 %.',
      ),
    avg_response_time: z.string().describe('The average time that the service took to respond, such as `0.4ms`.'),
    top_countries: z
      .array(z.string())
      .describe('The codes of the ten countries with the most hits, in descending order.'),
    country_hits: z
      .array(
        z.object({
          country: z.string().describe('The two-letter country code.'),
          hits: z.int().describe('Hits by humans.'),
        }),
      )
      .describe('Hits by country, at most ten, in descending order. Unknown countries are omitted.'),
    daily_hits: z
      .array(
        z.object({
          date: z.string().describe('The day, `YYYY-MM-DD`.'),
          hits: z.int().describe('Hits by humans.'),
        }),
      )
      .describe('One entry for every day of the period, today first, days without hits included.'),
    bot_hits: z.int().describe('Hits by known bots.'),
  })
  .meta({ id: 'RedirectHits' });
export const OverviewBody = HitsBody.extend({
  not_found: z.int().describe('Requests by humans that no redirect matched.'),
  top_redirects: z
    .array(
      z.object({
        redirect_id: z.string().describe('The id of the redirect.'),
        old_path: z.string().describe('Its path or pattern.'),
        hits: z.int().describe('Hits by humans.'),
      }),
    )
    .describe('The ten redirects with the most hits.'),
}).meta({ id: 'WebsiteHits' });

function hitsBody(report: HitReport): z.output<typeof HitsBody> {
  return {
    total_hits: report.hits,
    unique_visitors: report.uniqueVisitors,
    avg_response_time: milliseconds(report.averageMicros),
    top_countries: report.topCountries.map(({ country }) => country),
    country_hits: report.topCountries,
    daily_hits: report.days.map(({ day, hits }) => ({ date: day, hits })),
    bot_hits: report.botHits,
  };
}

function overviewBody(report: WebsiteHitReport): z.output<typeof OverviewBody> {
  return {
    ...hitsBody(report),
    not_found: report.notFound,
    top_redirects: report.topRedirects.map(({ redirectId, oldPath, hits }) => ({
      redirect_id: String(redirectId),
      old_path: oldPath,
      hits,
    })),
  };
}

/** Two significant digits: `0.037ms`, `0.4ms`, `12ms`. */
function milliseconds(micros: number | null): string {
  if (micros === null) return '0ms';
  const milli = micros / 1_000;
  return `${milli >= 10 ? Math.round(milli) : Number(milli.toPrecision(2))}ms`;
}

const period = {
  period: periodOfDays.default(30).describe('From `1d` to `365d` (default `30d`): today in UTC and the days before.'),
  environment: EnvironmentName.default('production').describe('The environment. Default `production`.'),
};
/** Ids are strings. A string that is not an id gets the same 404 as an unknown id. */
const OverviewQuery = queryObject({
  website_id: pathId('WEBSITE_NOT_FOUND', 'Website').meta({
    type: 'string',
    description: 'The id of the website.',
  }),
  ...period,
});
const RedirectQuery = queryObject(period);
const RedirectParams = z.object({
  id: pathId('REDIRECT_NOT_FOUND', 'Redirect', Number.MAX_SAFE_INTEGER).meta({
    type: 'string',
    description: 'The id of the redirect.',
  }),
});

/** GET {prefix}/overview and {prefix}/redirects/{id}. */
export function hitRoutes(app: Api, { db, clock }: SurfaceDeps, prefix: '' | '/analytics'): void {
  const [suffix, note] = prefix === '' ? ['', ''] : ['Alias', ' (alias)'];
  const docs = {
    tag: 'Hit analytics',
    description: 'Hits by humans per day in UTC. docs/analytics.md defines a hit and the accuracy of the numbers.',
    returns: 'The hits of the period; `daily_hits` begins with today.',
  } as const;

  app.get(
    `${prefix}/overview`,
    {
      config: { feature: 'analytics' },
      schema: {
        ...docs,
        operationId: `getWebsiteHits${suffix}`,
        summary: `Hits of a website${note}`,
        errors: ['WEBSITE_NOT_FOUND'],
        example: { query: { website_id: '1', period: '2d' } },
        querystring: OverviewQuery,
        response: { 200: OverviewBody },
      },
    },
    async ({ actor, query }) => {
      const { website_id: websiteId, environment, period: days } = query;
      const input = { websiteId, environment, days, now: clock.now() };
      return overviewBody(await reportWebsiteHits(db, actor, input));
    },
  );

  app.get(
    `${prefix}/redirects/:id`,
    {
      config: { feature: 'analytics' },
      schema: {
        ...docs,
        operationId: `getRedirectHits${suffix}`,
        summary: `Hits of a redirect${note}`,
        errors: ['REDIRECT_NOT_FOUND'],
        example: { path: { id: '1' }, query: { period: '2d' } },
        params: RedirectParams,
        querystring: RedirectQuery,
        response: { 200: HitsBody },
      },
    },
    async ({ actor, params, query }) => {
      const { environment, period: days } = query;
      const input = { redirectId: params.id, environment, days, now: clock.now() };
      return hitsBody(await reportRedirectHits(db, actor, input));
    },
  );
}
