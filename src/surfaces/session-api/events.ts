import { z } from 'zod';
import type { SurfaceDeps } from '../../http/deps.ts';
import { queryId, queryInteger, queryObject, WrittenTime } from '../../http/fields.ts';
import type { Api } from '../../http/zod.ts';
import { EVENT_KINDS } from '../../vocabulary/event.ts';
import { listEvents, type StoredEvent } from '../../webhooks/list-events.ts';
import { requireWebsite } from '../../websites/website.ts';

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

const EventBody = z
  .object({
    id: z.string(),
    event: z.enum(EVENT_KINDS),
    timestamp: WrittenTime,
    website_id: z.int().nullable(),
    actor: z.object({ type: z.enum(['user', 'key', 'system']), id: z.string(), name: z.string() }),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Event' });
const List = z.object({ events: z.array(EventBody), next_cursor: z.string().nullable() });

/** GET /api/events: the activity log, and where a restore finds the id of what it takes back. */
export function eventRoutes(app: Api, { db }: SurfaceDeps): void {
  app.get(
    '/events',
    { config: { role: 'viewer', gives: { 'application/json': List } }, schema: { querystring: Query } },
    async ({ actor, query }) => {
      if (query.website_id !== undefined) await requireWebsite(db, actor, query.website_id);
      const filter = { websiteId: query.website_id, redirectId: query.redirect_id, event: query.event };
      const page = { limit: query.limit ?? DEFAULT_LIMIT, cursor: query.cursor };
      const { events, nextCursor } = await listEvents(db, actor, filter, page);
      return { events: events.map(eventBody), next_cursor: nextCursor };
    },
  );
}

function eventBody({ websiteId, ...event }: StoredEvent) {
  const { id, event: kind, timestamp, actor, data } = event;
  return { id, event: kind, timestamp, website_id: websiteId, actor, data };
}
