import { z } from 'zod';
import type { SurfaceDeps } from '../../http/deps.ts';
import { queryId, queryInteger, queryObject } from '../../http/fields.ts';
import type { Api } from '../../http/zod.ts';
import { EVENT_KINDS } from '../../vocabulary/event.ts';
import { listEvents } from '../../events/list-events.ts';
import { requireWebsite } from '../../websites/website.ts';
import { eventBody, EventList } from './event-wire.ts';

const DEFAULT_LIMIT = 100;

/** Ids of redirects grow past those of websites, and one that is unknown simply has no events. */
const digits = z.string().regex(/^\d{1,15}$/, 'must be a positive integer');
const RedirectId = z.codec(digits, z.int(), { decode: Number, encode: String });

const Query = queryObject({
  website_id: queryId.optional(),
  redirect_id: RedirectId.optional(),
  event: z.enum(EVENT_KINDS).optional(),
  cursor: z.string().optional(),
  limit: queryInteger(1, 1_000).optional(),
});

/** GET /api/events: the activity log, and where a restore finds the id of what it takes back. */
export function eventRoutes(app: Api, { db }: SurfaceDeps): void {
  app.get(
    '/events',
    { config: { role: 'viewer', gives: { 'application/json': EventList } }, schema: { querystring: Query } },
    async ({ actor, query }) => {
      if (query.website_id !== undefined) await requireWebsite(db, actor, query.website_id);
      const filter = { websiteId: query.website_id, redirectId: query.redirect_id, event: query.event };
      const page = { limit: query.limit ?? DEFAULT_LIMIT, cursor: query.cursor };
      const { events, nextCursor } = await listEvents(db, actor, filter, page);
      return { events: events.map(eventBody), next_cursor: nextCursor };
    },
  );
}
