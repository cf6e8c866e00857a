import { z } from 'zod';
import { actorField, nextCursor, pageParameters, queryObject, WrittenTime, component } from '../../http/wire/fields.ts';
import { EVENT_KINDS } from '../../vocabulary/kinds.ts';
import { listEvents } from '../../events/list-events.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { wireWriter } from '../../http/wire/wire-names.ts';
import type { Api } from '../../http/wire/zod.ts';
import { requireWebsiteRow } from '../../websites/website.ts';
import type { Dialect } from './dialect.ts';

function eventSchema({ id, named }: Dialect) {
  return component(named('Event'), {
    id: z.string().describe('The id, a UUID: the `webhook-id` of its deliveries.'),
    event: z.enum(EVENT_KINDS).describe('The event type.'),
    timestamp: WrittenTime.describe('When it happened.'),
    website_id: id.nullable().describe('The id of the website; null for events of the account.'),
    actor: actorField,
    data: z.record(z.string(), z.unknown()).describe('The data of the event, as webhooks send it.'),
  });
}

const DEFAULT_LIMIT = 100;

/** GET /events: the activity log. A restore takes an event id from it. */
export function eventRoutes(app: Api, { db }: SurfaceDeps, dialect: Dialect): void {
  const List = z.object({ events: z.array(eventSchema(dialect)).describe('The events.'), next_cursor: nextCursor });
  const write = wireWriter(List);
  app.get('/events', {
    config: { role: 'viewer', reads: true, gives: { 'application/json': List } },
    ...dialect.operation('listEvents', 'events'),
    summary: 'List events',
    description:
      'All events, whether a webhook subscribes to them or not. `data` is what webhooks send; the [event types](#listEventTypes) have its JSON Schema.',
    returns: 'The events, newest first.',
    errors: dialect.namesWebsite ? ['WEBSITE_NOT_FOUND', 'REDIRECT_NOT_FOUND'] : ['WEBSITE_NOT_FOUND'],
    example: { query: { website_id: dialect.writeId(1), event: 'redirect.deleted', limit: 1 } },
    querystring: queryObject({
      website_id: dialect.websiteId.query.optional().describe('Only events of this website.'),
      redirect_id: dialect.redirectId.query.optional().describe('Only events of this redirect.'),
      event: z.enum(EVENT_KINDS).optional().describe('Only events of this type.'),
      ...pageParameters(1_000),
    }),
    async handler({ actor, query }) {
      const websiteId = query.websiteId === undefined ? undefined : dialect.websiteId.read(query.websiteId);
      const redirectId = query.redirectId === undefined ? undefined : dialect.redirectId.read(query.redirectId);
      if (websiteId !== undefined) await requireWebsiteRow(db, actor, websiteId);
      const filter = { websiteId, redirectId, event: query.event };
      const page = { limit: query.limit ?? DEFAULT_LIMIT, cursor: query.cursor };
      return write(await listEvents(db, actor, filter, page));
    },
  });
}
