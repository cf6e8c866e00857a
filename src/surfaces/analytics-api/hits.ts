import { z } from 'zod';
import {
  reportGroupHits,
  reportRedirectHits,
  reportWebsiteHits,
  type WebsiteHitReport,
} from '../../analytics/hit-report.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { queryObject } from '../../http/wire/fields.ts';
import type { Api } from '../../http/wire/zod.ts';
import {
  comparison,
  filters,
  group,
  GroupsBody,
  HitsBody,
  hitsBody,
  limit,
  OverviewBody,
  overviewBody,
  partOfHits,
  period,
  redirectId,
  website,
} from './hits-wire.ts';

/** GET {prefix}/overview, {prefix}/redirects/{id} and {prefix}/groups. */
export function hitRoutes(app: Api, deps: SurfaceDeps, prefix: '' | '/analytics'): void {
  const { reads, streamShares, clock, config } = deps;
  const { hitsRetentionDays: retentionDays } = config;
  const [suffix, note] = prefix === '' ? ['', ''] : ['Alias', ' (alias)'];
  const common = { ...period, ...comparison, ...filters, ...limit };
  const inputOf = <Query extends Parameters<typeof partOfHits>[0]>(query: Query) => ({
    ...partOfHits(query),
    now: clock.now(),
    retentionDays,
  });
  /** Runs what may read every redirect with hits, one query at a time. An account has few of these in progress. */
  const inShare = <T>(actor: Actor, run: () => Promise<T>): Promise<T> => streamShares.lists(actor)(run);
  const docs = {
    tag: 'Hit analytics',
    description:
      'Hits by humans per day in UTC, or of a part of them. Numbers that are not stored for that part are null. docs/analytics.md defines a hit and the accuracy of the numbers.',
    returns: 'The hits of the period; `daily_hits` begins with the last day.',
  } as const;

  app.get(`${prefix}/overview`, {
    config: { feature: 'analytics' },
    ...docs,
    operationId: `getWebsiteHits${suffix}`,
    summary: `Hits of a website${note}`,
    errors: ['WEBSITE_NOT_FOUND'],
    example: { query: { website_id: '1', period: '2d' } },
    querystring: queryObject({ ...website, ...common, ...group }),
    response: { 200: OverviewBody },
    async handler({ actor, query }) {
      const { maxStaleness, ...input } = inputOf(query);
      const isWhole = input.groupId === undefined && !('filter' in input);
      const report = (): Promise<WebsiteHitReport> =>
        reads.read(maxStaleness, (db, { streams }) => reportWebsiteHits(isWhole ? db : streams, actor, input));
      return overviewBody(await (isWhole ? report() : inShare(actor, report)));
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
    querystring: queryObject(common),
    response: { 200: HitsBody },
    async handler({ actor, params, query }) {
      const { maxStaleness, ...options } = inputOf(query);
      const input = { ...options, redirectId: params.id };
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
    querystring: queryObject({ ...website, ...common }),
    response: { 200: GroupsBody },
    handler({ actor, query }) {
      const { maxStaleness, ...input } = inputOf(query);
      return inShare(actor, () => reads.read(maxStaleness, (_, { streams }) => reportGroupHits(streams, actor, input)));
    },
  });
}
