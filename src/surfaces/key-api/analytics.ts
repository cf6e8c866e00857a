import { z } from 'zod';
import { PERIODS } from '../../analytics/period.ts';
import { type Counted, reportWebsite, type WebsiteReport } from '../../analytics/website-report.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { CalendarDay, queryObject, staleness, component, part, listOf } from '../../http/wire/fields.ts';
import type { Api } from '../../http/wire/zod.ts';
import { keyDialect } from '../resources/dialect.ts';

const Report = component('WebsiteReport', {
  website: part('The website.', {
    id: z.string().describe('The id of the website.'),
    name: z.string().describe('The name of the website.'),
  }),
  date_range: part('The days of the report, both included.', {
    start_date: z.string().describe('The first day, `YYYY-MM-DD`.'),
    end_date: z.string().describe('The last day, `YYYY-MM-DD`.'),
  }),
  analytics: part('The report.', {
    overview: part('Totals at the time of the request.', {
      total_redirects: z.int().describe('Redirects of the website.'),
      deployed_redirects: z.int().describe('Redirects that are live in any environment.'),
      total_groups: z.int().describe('Groups with redirects.'),
    }),
    time_series: listOf('One entry for every period of the range, oldest first, empty periods included.', {
      period: z.string().describe('The first day of the period, `YYYY-MM-DD`.'),
      redirect_count: z.int().describe('Redirects created in the period.'),
      deployed_count: z.int().describe('Those of them that are live in any environment.'),
    }),
    top_groups: listOf('The ten groups with the most redirects at the time of the request.', {
      group_id: z.string().describe('The group.'),
      redirect_count: z.int().describe('Redirects of the group.'),
      deployed_count: z.int().describe('Those of them that are live in any environment.'),
    }),
    environments: part('Live redirects by environment at the time of the request.', {
      production_deployed: z.int().describe('Redirects that are live in production.'),
      staging_deployed: z.int().describe('Redirects that are live in staging.'),
      development_deployed: z.int().describe('Redirects that are live in development.'),
    }),
  }),
});

/** GET /api/v1/analytics. */
export function analyticsRoutes(app: Api, { reads, clock }: SurfaceDeps): void {
  app.get('/analytics', {
    config: { feature: 'analytics' },
    operationId: 'getAnalyticsV1',
    tag: 'Redirect analytics',
    summary: 'Report on the redirects of a website',
    description:
      '`time_series` has one entry for every period of the range, zeros included. All other numbers are of the time of the request. The range has at most 3,660 days.',
    returns: 'Exact counts.',
    errors: ['WEBSITE_NOT_FOUND'],
    example: { query: { website_id: '1', start_date: '2026-11-20', end_date: '2026-11-21' } },
    querystring: queryObject({
      website_id: z.string().describe('The id of the website.'),
      start_date: CalendarDay.optional().describe('The first day, `YYYY-MM-DD`. Default: 29 days before the last day.'),
      end_date: CalendarDay.optional().describe('The last day, `YYYY-MM-DD`. Default: today.'),
      group_by: z
        .enum(PERIODS)
        .default('day')
        .describe('The length of a period: `day` (default), `week` (from Monday) or `month`.'),
      ...staleness,
    }),
    response: { 200: Report },
    async handler({ actor, query }) {
      const { websiteId, groupBy: period, maxStaleness, ...range } = query;
      const input = { websiteId: keyDialect.websiteId.read(websiteId), period, ...range };
      return reportBody(await reads.read(maxStaleness, (db) => reportWebsite(db, actor, input, clock.now())));
    },
  });
}

function reportBody({ website, range, total, groups, timeSeries, topGroups, environments }: WebsiteReport) {
  return {
    website: { id: String(website.id), name: website.name },
    dateRange: range,
    analytics: {
      overview: { totalRedirects: total.redirects, deployedRedirects: total.deployed, totalGroups: groups },
      timeSeries: timeSeries.map(countsBody),
      topGroups: topGroups.map(countsBody),
      environments: {
        productionDeployed: environments.production,
        stagingDeployed: environments.staging,
        developmentDeployed: environments.development,
      },
    },
  };
}

function countsBody<Of extends Counted>({ redirects, deployed, ...of }: Of) {
  return { ...of, redirectCount: redirects, deployedCount: deployed };
}
