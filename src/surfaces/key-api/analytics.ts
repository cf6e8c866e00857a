import { z } from 'zod';
import { PERIODS } from '../../analytics/period.ts';
import { reportWebsite, type WebsiteReport } from '../../analytics/website-report.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { queryObject } from '../../http/fields.ts';
import type { Api } from '../../http/zod.ts';
import { keyDialect } from '../resources/dialect.ts';

/** PostgreSQL has no year 0. */
const CalendarDay = z.iso
  .date('must be a calendar day, written as YYYY-MM-DD')
  .refine((day) => day >= '0001', 'must be a calendar day, not before 0001-01-01');

const Query = queryObject({
  website_id: z.string(),
  start_date: CalendarDay.optional(),
  end_date: CalendarDay.optional(),
  group_by: z.enum(PERIODS).default('day'),
});

const Report = z
  .object({
    website: z.object({ id: z.string(), name: z.string() }),
    date_range: z.object({ start_date: z.string(), end_date: z.string() }),
    analytics: z.object({
      overview: z.object({
        total_redirects: z.int(),
        deployed_redirects: z.int(),
        total_groups: z.int(),
      }),
      time_series: z.array(
        z.object({ period: z.string(), redirect_count: z.int(), deployed_count: z.int() }),
      ),
      top_groups: z.array(
        z.object({ group_id: z.string(), redirect_count: z.int(), deployed_count: z.int() }),
      ),
      environments: z.object({
        production_deployed: z.int(),
        staging_deployed: z.int(),
        development_deployed: z.int(),
      }),
    }),
  })
  .meta({ id: 'WebsiteReport' });

/** GET /api/v1/analytics. */
export function analyticsRoutes(app: Api, { db, clock }: SurfaceDeps): void {
  app.get(
    '/analytics',
    { config: { feature: 'analytics' }, schema: { querystring: Query, response: { 200: Report } } },
    async ({ actor, query }) => {
      const input = {
        websiteId: keyDialect.websiteId.read(query.website_id),
        startDate: query.start_date,
        endDate: query.end_date,
        period: query.group_by,
      };
      return reportBody(await reportWebsite(db, actor, input, clock.now()));
    },
  );
}

function reportBody(report: WebsiteReport): z.output<typeof Report> {
  const { website, range, total, groups, timeSeries, topGroups, environments } = report;
  return {
    website: { id: String(website.id), name: website.name },
    date_range: { start_date: range.startDate, end_date: range.endDate },
    analytics: {
      overview: {
        total_redirects: total.redirects,
        deployed_redirects: total.deployed,
        total_groups: groups,
      },
      time_series: timeSeries.map(({ period, redirects, deployed }) => ({
        period,
        redirect_count: redirects,
        deployed_count: deployed,
      })),
      top_groups: topGroups.map(({ groupId, redirects, deployed }) => ({
        group_id: groupId,
        redirect_count: redirects,
        deployed_count: deployed,
      })),
      environments: {
        production_deployed: environments.production,
        staging_deployed: environments.staging,
        development_deployed: environments.development,
      },
    },
  };
}
