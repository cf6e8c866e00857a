import { z } from 'zod';
import { reportRedirectHits, reportWebsiteHits } from '../../analytics/hit-report.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { pathId, periodOfDays, queryObject } from '../../http/fields.ts';
import type { Api } from '../../http/zod.ts';
import { ENVIRONMENTS } from '../../vocabulary/environment.ts';
import { HitsBody, hitsBody, OverviewBody, overviewBody } from './hits-wire.ts';

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

/** GET .../overview and .../redirects/{id}. */
export function hitRoutes(app: Api, { db, clock }: SurfaceDeps, at: string): void {
  app.get(
    `${at}/overview`,
    {
      config: { feature: 'analytics' },
      schema: { querystring: OverviewQuery, response: { 200: OverviewBody } },
    },
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
      schema: { params: RedirectParams, querystring: RedirectQuery, response: { 200: HitsBody } },
    },
    async ({ actor, params, query }) => {
      const { environment, period: days } = query;
      const input = { redirectId: params.id, environment, days, now: clock.now() };
      return hitsBody(await reportRedirectHits(db, actor, input));
    },
  );
}
