import { z } from 'zod';
import { actorField, nextCursor, pageParameters, queryObject, WrittenTime } from '../../http/fields.ts';
import { EVENT_KINDS, type EventKind } from '../../vocabulary/event.ts';
import type { EventData } from '../../events/event-schemas.ts';
import { type StoredEvent, listEvents } from '../../events/list-events.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import type { Api } from '../../http/zod.ts';
import { requireWebsiteRow } from '../../websites/website.ts';
import type { Dialect, SessionWire, Wire } from './dialect.ts';

function eventSchema<W extends Wire>({ id, suffix }: Dialect<W>) {
  return z
    .object({
      id: z.string().describe('The id, a UUID: the `webhook-id` of its deliveries.'),
      event: z.enum(EVENT_KINDS).describe('The event type.'),
      timestamp: WrittenTime.describe('When it happened.'),
      website_id: id.nullable().describe('The id of the website; null for events of the account.'),
      actor: actorField,
      data: z.record(z.string(), z.unknown()).describe('The data of the event, as webhooks send it.'),
    })
    .meta({ id: `Event${suffix}` });
}

function eventListSchema<W extends Wire>(dialect: Dialect<W>) {
  return z.object({ events: z.array(eventSchema(dialect)).describe('The events.'), next_cursor: nextCursor });
}

/** An event with typed data. The data is validated when the event is published, and sent here as stored. */
export type TypedEvent = {
  [Kind in EventKind]: Omit<z.input<ReturnType<typeof eventSchema<SessionWire>>>, 'event' | 'data'> & {
    event: Kind;
    data: EventData[Kind];
  };
}[EventKind];

function eventBody({ websiteId, ...event }: StoredEvent, { writeId }: Dialect) {
  const { id, event: kind, timestamp, actor, data } = event;
  return { id, event: kind, timestamp, website_id: websiteId === null ? null : writeId(websiteId), actor, data };
}

const DEFAULT_LIMIT = 100;

/** GET /events: the activity log. A restore takes an event id from it. */
export function eventRoutes(app: Api, { db }: SurfaceDeps, dialect: Dialect): void {
  const Query = queryObject({
    website_id: dialect.websiteId.query.optional().describe('Only events of this website.'),
    redirect_id: dialect.redirectId.query.optional().describe('Only events of this redirect.'),
    event: z.enum(EVENT_KINDS).optional().describe('Only events of this type.'),
    ...pageParameters(1_000),
  });
  app.get(
    '/events',
    {
      config: { role: 'viewer', reads: true, gives: { 'application/json': eventListSchema(dialect) } },
      schema: {
        operationId: `listEvents${dialect.suffix}`,
        tag: dialect.tags.events,
        summary: 'List events',
        description:
          'All events, whether a webhook subscribes to them or not. `data` is what webhooks send; the [event types](#listEventTypes) have its JSON Schema.',
        returns: 'The events, newest first.',
        errors: dialect.namesWebsite ? ['WEBSITE_NOT_FOUND', 'REDIRECT_NOT_FOUND'] : ['WEBSITE_NOT_FOUND'],
        example: { query: { website_id: dialect.writeId(1), event: 'redirect.deleted', limit: 1 } },
        querystring: Query,
      },
    },
    async ({ actor, query }) => {
      const websiteId = query.website_id === undefined ? undefined : dialect.websiteId.read(query.website_id);
      const redirectId = query.redirect_id === undefined ? undefined : dialect.redirectId.read(query.redirect_id);
      if (websiteId !== undefined) await requireWebsiteRow(db, actor, websiteId);
      const filter = { websiteId, redirectId, event: query.event };
      const page = { limit: query.limit ?? DEFAULT_LIMIT, cursor: query.cursor };
      const { events, nextCursor } = await listEvents(db, actor, filter, page);
      return { events: events.map((event) => eventBody(event, dialect)), next_cursor: nextCursor };
    },
  );
}
