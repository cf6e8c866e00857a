import { z } from 'zod';
import { requirePlan } from '../../accounts/permissions.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { queryObject } from '../../http/fields.ts';
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
  redirects: z.array(redirectSchema(sessionDialect)),
  next_cursor: z.string().nullable().optional(),
});

/** GET /api/redirects: every match, streamed, unless `limit` or `cursor` asks for a page. */
export function redirectListRoute(app: Api, { db, streams, clock }: SurfaceDeps): void {
  app.get(
    '/redirects',
    {
      config: { gives: { 'application/json': List } },
      // HEAD would build the whole list to discard it.
      exposeHeadRoute: false,
      schema: { querystring: queryObject(listParameters(sessionDialect)) },
    },
    async ({ actor, query }, reply) => {
      const filter = readFilter(query, sessionDialect);
      if (filter.websiteId !== undefined) await requireWebsite(db, actor, filter.websiteId);
      const window = readHitWindow(query, clock.now());
      if (window) requirePlan(actor, 'analytics');
      const sort = readSort(query.sort, window);
      if (query.limit === undefined && query.cursor === undefined) {
        const pages = streamRedirects(streams, actor, filter, { sort, window });
        const text = jsonList('redirects', pages, (redirect) =>
          JSON.stringify(redirectBody(redirect, sessionDialect)),
        );
        return sendStream(reply.type('application/json; charset=utf-8'), text);
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
        querystring: queryObject(filterParameters(sessionDialect)),
        response: { 200: z.object({ count: z.int() }) },
      },
    },
    async ({ actor, query }) => {
      const filter = readFilter(query, sessionDialect);
      if (filter.websiteId !== undefined) await requireWebsite(db, actor, filter.websiteId);
      return { count: await countRedirects(db, actor, filter) };
    },
  );
}
