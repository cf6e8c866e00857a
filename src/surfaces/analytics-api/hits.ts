import { z } from 'zod';
import {
  type HitReport,
  reportRedirectHits,
  reportWebsiteHits,
  type WebsiteHitReport,
} from '../../analytics/hit-report.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { pathId, periodOfDays, queryObject } from '../../http/fields.ts';
import type { Api } from '../../http/zod.ts';
import { ENVIRONMENTS } from '../../vocabulary/environment.ts';

const period = {
  period: periodOfDays.default(30),
  environment: z.enum(ENVIRONMENTS).default('production'),
};
/** Ids are strings here; one that cannot be an id is answered like one that does not exist. */
const OverviewQuery = queryObject({
  website_id: pathId('WEBSITE_NOT_FOUND', 'Website').meta({ type: 'string' }),
  ...period,
});
const RedirectQuery = queryObject(period);
const RedirectParams = z.object({
  id: pathId('REDIRECT_NOT_FOUND', 'Redirect', Number.MAX_SAFE_INTEGER).meta({ type: 'string' }),
});

const Hits = z
  .object({
    total_hits: z.int(),
    unique_visitors: z.int(),
    avg_response_time: z.string(),
    top_countries: z.array(z.string()),
    country_hits: z.array(z.object({ country: z.string(), hits: z.int() })),
    daily_hits: z.array(z.object({ date: z.string(), hits: z.int() })),
    bot_hits: z.int(),
  })
  .meta({ id: 'RedirectHits' });
const Overview = Hits.extend({
  not_found: z.int(),
  top_redirects: z.array(z.object({ redirect_id: z.string(), old_path: z.string(), hits: z.int() })),
}).meta({ id: 'WebsiteHits' });

/** GET .../overview and .../redirects/{id}. */
export function hitRoutes(app: Api, { db, clock }: SurfaceDeps, at: string): void {
  app.get(
    `${at}/overview`,
    { config: { feature: 'analytics' }, schema: { querystring: OverviewQuery, response: { 200: Overview } } },
    async ({ actor, query }) => {
      const { website_id: websiteId, environment, period: days } = query;
      return overviewBody(
        await reportWebsiteHits(db, actor, { websiteId, environment, days, now: clock.now() }),
      );
    },
  );

  app.get(
    `${at}/redirects/:id`,
    {
      config: { feature: 'analytics' },
      schema: { params: RedirectParams, querystring: RedirectQuery, response: { 200: Hits } },
    },
    async ({ actor, params, query }) => {
      const { environment, period: days } = query;
      const input = { redirectId: params.id, environment, days, now: clock.now() };
      return hitsBody(await reportRedirectHits(db, actor, input));
    },
  );
}

function hitsBody(report: HitReport): z.output<typeof Hits> {
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

function overviewBody(report: WebsiteHitReport): z.output<typeof Overview> {
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

/** Two digits that count, since an answer takes microseconds: `0.037ms`, `0.4ms`, `12ms`. */
function milliseconds(micros: number | null): string {
  if (micros === null) return '0ms';
  const milli = micros / 1_000;
  return `${milli >= 10 ? Math.round(milli) : Number(milli.toPrecision(2))}ms`;
}
