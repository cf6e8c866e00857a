import { z } from 'zod';
import { requirePlan } from '../../accounts/permissions.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { nextCursor, queryObject } from '../../http/fields.ts';
import { jsonList, sendStream } from '../../http/stream.ts';
import type { Api } from '../../http/zod.ts';
import { countRedirects } from '../../redirects/list/find.ts';
import { listRedirects, streamRedirects } from '../../redirects/list/list.ts';
import { requireWebsite } from '../../websites/website.ts';
import { sessionDialect } from '../resources/dialect.ts';
import {
  filterParameters,
  listParameters,
  readFilter,
  readHitWindow,
  readSort,
} from '../resources/redirects/filter.ts';
import { redirectBody, redirectSchema } from '../resources/redirects/wire.ts';

const List = z.object({
  redirects: z.array(redirectSchema(sessionDialect)).describe('The redirects.'),
  next_cursor: nextCursor.optional(),
});

/** GET /api/redirects: every match, streamed, unless `limit` or `cursor` asks for a page. */
export function redirectListRoute(app: Api, { db, streams, streamShares, clock }: SurfaceDeps): void {
  app.get(
    '/redirects',
    {
      config: { reads: true, gives: { 'application/json': List } },
      // HEAD would build the whole list to discard it.
      exposeHeadRoute: false,
      schema: {
        operationId: 'listRedirects',
        tag: 'Redirects',
        summary: 'List redirects',
        description:
          'Streams all matching redirects, newest first. With `limit` or `cursor` it returns a page and `next_cursor`. Parameters that concern hits require a plan with analytics; with any of them, each redirect also has `last_hit_at` and `hits`.',
        returns: 'The redirects.',
        errors: ['WEBSITE_NOT_FOUND', 'PLAN_REQUIRED', 'BUSY'],
        example: { query: { website_id: 1, q: 'old', limit: 2 } },
        querystring: queryObject(listParameters(sessionDialect)),
      },
    },
    async ({ actor, query }, reply) => {
      const filter = readFilter(query, sessionDialect);
      if (filter.websiteId !== undefined) await requireWebsite(db, actor, filter.websiteId);
      const window = readHitWindow(query, clock.now());
      if (window) requirePlan(actor, 'analytics');
      const sort = readSort(query.sort, window);
      if (query.limit === undefined && query.cursor === undefined) {
        const pages = streamRedirects(streams, actor, filter, { sort, window });
        const text = jsonList('redirects', pages, (redirect) => JSON.stringify(redirectBody(redirect, sessionDialect)));
        return sendStream(reply.type('application/json; charset=utf-8'), streamShares.lists(actor), () => text);
      }
      const page = { sort, window, limit: query.limit ?? 100, cursor: query.cursor };
      const { redirects, nextCursor } = await listRedirects(db, actor, filter, page);
      return {
        redirects: redirects.map((redirect) => redirectBody(redirect, sessionDialect)),
        next_cursor: nextCursor,
      };
    },
  );
}

/** GET /api/redirects/count: how many redirects a filter matches, before a bulk call with it. */
export function redirectCountRoute(app: Api, { db }: SurfaceDeps): void {
  app.get(
    '/redirects/count',
    {
      schema: {
        operationId: 'countRedirects',
        tag: 'Redirects',
        summary: 'Count redirects',
        description: 'Takes the filters of the list. The count is what a bulk call with the same filter would change.',
        returns: 'The number of matching redirects.',
        errors: ['WEBSITE_NOT_FOUND', 'PLAN_REQUIRED'],
        example: { query: { website_id: 1, group: 'demo' } },
        querystring: queryObject(filterParameters(sessionDialect)),
        response: { 200: z.object({ count: z.int().describe('The number of matching redirects.') }) },
      },
    },
    async ({ actor, query }) => {
      const filter = readFilter(query, sessionDialect);
      if (filter.websiteId !== undefined) await requireWebsite(db, actor, filter.websiteId);
      return { count: await countRedirects(db, actor, filter) };
    },
  );
}
