import { z } from 'zod';
import { reportGroupHits, reportRedirectHits, reportWebsiteHits } from '../../analytics/hit-report.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { queryObject } from '../../http/wire/fields.ts';
import type { Api } from '../../http/wire/zod.ts';
import {
  GroupsBody,
  HitsBody,
  hitsBody,
  limit,
  OverviewBody,
  overviewBody,
  period,
  redirectId,
  website,
} from './hits-wire.ts';

/** GET {prefix}/overview, {prefix}/redirects/{id} and {prefix}/groups. */
export function hitRoutes(app: Api, { reads, clock, config }: SurfaceDeps, prefix: '' | '/analytics'): void {
  const { hitsRetentionDays: retentionDays } = config;
  const [suffix, note] = prefix === '' ? ['', ''] : ['Alias', ' (alias)'];
  const docs = {
    tag: 'Hit analytics',
    description: 'Hits by humans per day in UTC. docs/analytics.md defines a hit and the accuracy of the numbers.',
    returns: 'The hits of the period; `daily_hits` begins with today.',
  } as const;

  app.get(`${prefix}/overview`, {
    config: { feature: 'analytics' },
    ...docs,
    operationId: `getWebsiteHits${suffix}`,
    summary: `Hits of a website${note}`,
    errors: ['WEBSITE_NOT_FOUND'],
    example: { query: { website_id: '1', period: '2d' } },
    querystring: queryObject({ ...website, ...period, ...limit }),
    response: { 200: OverviewBody },
    async handler({ actor, query }) {
      const { period: days, maxStaleness, ...options } = query;
      const input = { days, ...options, now: clock.now(), retentionDays };
      return overviewBody(await reads.read(maxStaleness, (db) => reportWebsiteHits(db, actor, input)));
    },
  });

  app.get(`${prefix}/redirects/:id`, {
    config: { feature: 'analytics' },
    ...docs,
    operationId: `getRedirectHits${suffix}`,
    summary: `Hits of a redirect${note}`,
    errors: ['REDIRECT_NOT_FOUND'],
    example: { path: { id: '1' }, query: { period: '2d' } },
    params: z.object({ id: redirectId }),
    querystring: queryObject({ ...period, ...limit }),
    response: { 200: HitsBody },
    async handler({ actor, params, query }) {
      const { period: days, maxStaleness, ...options } = query;
      const input = { redirectId: params.id, days, ...options, now: clock.now(), retentionDays };
      return hitsBody(await reads.read(maxStaleness, (db) => reportRedirectHits(db, actor, input)));
    },
  });

  app.get(`${prefix}/groups`, {
    config: { feature: 'analytics' },
    tag: 'Hit analytics',
    operationId: `getGroupHits${suffix}`,
    summary: `Hits of groups${note}`,
    description: 'Adds up the hits of the redirects that are in each group now. Reads every redirect with hits.',
    returns: 'The groups, most hits first.',
    errors: ['WEBSITE_NOT_FOUND'],
    example: { query: { website_id: '1', period: '2d' } },
    querystring: queryObject({ ...website, ...period, ...limit }),
    response: { 200: GroupsBody },
    async handler({ actor, query }) {
      const { period: days, maxStaleness, ...options } = query;
      const input = { days, ...options, now: clock.now() };
      return reads.read(maxStaleness, (db) => reportGroupHits(db, actor, input));
    },
  });
}
