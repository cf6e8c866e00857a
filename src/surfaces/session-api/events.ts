import { z } from 'zod';
import { nextCursor, pageParameters, queryId, queryObject, WrittenTime } from '../../http/fields.ts';
import { EVENT_KINDS, type EventKind } from '../../vocabulary/event.ts';
import type { EventData } from '../../events/event-schemas.ts';
import { type StoredEvent, listEvents } from '../../events/list-events.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import type { Api } from '../../http/zod.ts';
import { requireWebsite } from '../../websites/website.ts';

const EventBody = z
  .object({
    id: z.string().describe('The id, a UUID: the `webhook-id` of its deliveries.'),
    event: z.enum(EVENT_KINDS).describe('The event type.'),
    timestamp: WrittenTime.describe('When it happened.'),
    website_id: z.int().nullable().describe('The id of the website; null for events of the account.'),
    actor: z
      .object({
        type: z.enum(['user', 'key', 'system']).describe('A user, an API key, or the service itself.'),
        id: z.string().describe('The id of the user or key; empty for the service.'),
        name: z.string().describe('The email of the user, the name of the key, or `system`.'),
      })
      .describe('Who caused it.'),
    data: z.record(z.string(), z.unknown()).describe('The data of the event, as webhooks send it.'),
  })
  .meta({ id: 'Event' });
export const EventList = z.object({
  events: z.array(EventBody).describe('The events.'),
  next_cursor: nextCursor,
});

/** An event with typed data. The data is validated when the event is published, and sent here as stored. */
export type TypedEvent = {
  [Kind in EventKind]: Omit<z.input<typeof EventBody>, 'event' | 'data'> & {
    event: Kind;
    data: EventData[Kind];
  };
}[EventKind];

function eventBody({ websiteId, ...event }: StoredEvent) {
  const { id, event: kind, timestamp, actor, data } = event;
  return { id, event: kind, timestamp, website_id: websiteId, actor, data };
}

const DEFAULT_LIMIT = 100;

/** Ids of redirects exceed those of websites. An unknown id has no events. */
const digits = z.string().regex(/^\d{1,15}$/, 'must be a positive integer');
const RedirectId = z.codec(digits, z.int(), { decode: Number, encode: String });

const Query = queryObject({
  website_id: queryId.optional().describe('Only events of this website.'),
  redirect_id: RedirectId.optional().describe('Only events of this redirect.'),
  event: z.enum(EVENT_KINDS).optional().describe('Only events of this type.'),
  ...pageParameters(1_000),
});

/** GET /api/events: the activity log. A restore takes an event id from it. */
export function eventRoutes(app: Api, { db }: SurfaceDeps): void {
  app.get(
    '/events',
    {
      config: { role: 'viewer', reads: true, gives: { 'application/json': EventList } },
      schema: {
        operationId: 'listEvents',
        tag: 'Activity',
        summary: 'List events',
        description:
          'All events, whether a webhook subscribes to them or not. `data` is what webhooks send; the [event types](#listEventTypes) have its JSON Schema.',
        returns: 'The events, newest first.',
        errors: ['WEBSITE_NOT_FOUND'],
        example: { query: { website_id: 1, event: 'redirect.deleted', limit: 1 } },
        querystring: Query,
      },
    },
    async ({ actor, query }) => {
      if (query.website_id !== undefined) await requireWebsite(db, actor, query.website_id);
      const filter = { websiteId: query.website_id, redirectId: query.redirect_id, event: query.event };
      const page = { limit: query.limit ?? DEFAULT_LIMIT, cursor: query.cursor };
      const { events, nextCursor } = await listEvents(db, actor, filter, page);
      return { events: events.map(eventBody), next_cursor: nextCursor };
    },
  );
}
