import { z } from 'zod';
import { requirePlan } from '../../../accounts/permissions.ts';
import type { Db } from '../../../db/connection/client.ts';
import type { SurfaceDeps } from '../../../http/deps.ts';
import { nextCursor, queryObject, staleness } from '../../../http/wire/fields.ts';
import { jsonList, sendStream } from '../../../http/stream.ts';
import { wireWriter } from '../../../http/wire/wire-names.ts';
import type { Api } from '../../../http/wire/zod.ts';
import { countRedirects, type ListedRedirect } from '../../../redirects/list/find.ts';
import { listRedirects, streamRedirects } from '../../../redirects/list/list.ts';
import { requireWebsiteRow } from '../../../websites/website.ts';
import type { Dialect } from '../dialect.ts';
import { filterParameters, listParameters, readFilter, readHitWindow, readSort } from './filter.ts';
import { redirectBody, redirectSchema } from './wire.ts';

const ALL =
  'Streams all matching redirects, newest first. With `limit` or `cursor` it returns a page and `next_cursor`.';
const PAGED = 'Returns a page of the matching redirects, newest first, and `next_cursor`.';
const HITS =
  'Parameters that concern hits require a plan with analytics; with any of them, each redirect also has `last_hit_at` and `hits`.';

/** GET /redirects: every match, streamed, unless the surface always pages or `limit` or `cursor` asks for a page. */
export function redirectListRoute(app: Api, deps: SurfaceDeps, dialect: Dialect): void {
  const { db, reads, streamShares, clock } = deps;
  const List = z.object({
    redirects: z.array(redirectSchema(dialect)).describe('The redirects.'),
    next_cursor: dialect.namesWebsite ? nextCursor : nextCursor.optional(),
  });
  const writeOne = wireWriter(redirectSchema(dialect));
  const writeList = wireWriter(List);
  app.get('/redirects', {
    config: { reads: true, gives: { 'application/json': List } },
    // HEAD would build the whole list to discard it.
    exposeHeadRoute: false,
    ...dialect.operation('listRedirects', 'redirects'),
    summary: 'List redirects',
    description: `${dialect.namesWebsite ? PAGED : ALL} ${HITS}`,
    returns: 'The redirects.',
    errors: ['WEBSITE_NOT_FOUND', 'PLAN_REQUIRED', 'BUSY'],
    example: { query: { website_id: dialect.writeId(1), q: 'old', limit: 2 } },
    querystring: queryObject({ ...listParameters(dialect), ...staleness }),
    async handler({ actor, query: { maxStaleness, ...query } }, reply) {
      const filter = readFilter(query, dialect);
      if (filter.websiteId !== undefined) await requireWebsiteRow(db, actor, filter.websiteId);
      const window = readHitWindow(query, clock.now());
      if (window) requirePlan(actor, 'analytics');
      const sort = readSort(query.sort, window);
      const withLive = query.include === 'live';
      if (!dialect.namesWebsite && query.limit === undefined && query.cursor === undefined) {
        const open = (streams: Db) => streamRedirects(streams, actor, filter, { sort, window, withLive });
        const writeRow = (redirect: ListedRedirect): string => JSON.stringify(writeOne(redirectBody(redirect)));
        const text = () => jsonList('redirects', reads.stream(maxStaleness, open), writeRow);
        return sendStream(reply.type('application/json; charset=utf-8'), streamShares.lists(actor), text);
      }
      const page = { sort, window, withLive, limit: query.limit ?? 100, cursor: query.cursor };
      const { redirects, nextCursor: next } = await reads.read(maxStaleness, (from) =>
        listRedirects(from, actor, filter, page),
      );
      return writeList({ redirects: redirects.map(redirectBody), nextCursor: next });
    },
  });
}

/** GET /redirects/count: how many redirects a filter matches, before a bulk call with it. */
export function redirectCountRoute(app: Api, { db, reads }: SurfaceDeps, dialect: Dialect): void {
  app.get('/redirects/count', {
    ...dialect.operation('countRedirects', 'redirects'),
    summary: 'Count redirects',
    description: 'Takes the filters of the list. The count is what a bulk call with the same filter would change.',
    returns: 'The number of matching redirects.',
    errors: ['WEBSITE_NOT_FOUND', 'PLAN_REQUIRED'],
    example: { query: { website_id: dialect.writeId(1), group: 'demo' } },
    querystring: queryObject({ ...filterParameters(dialect), ...staleness }),
    response: { 200: z.object({ count: z.int().describe('The number of matching redirects.') }) },
    async handler({ actor, query: { maxStaleness, ...query } }) {
      const filter = readFilter(query, dialect);
      if (filter.websiteId !== undefined) await requireWebsiteRow(db, actor, filter.websiteId);
      return { count: await reads.read(maxStaleness, (from) => countRedirects(from, actor, filter)) };
    },
  });
}
