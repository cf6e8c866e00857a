import { z } from 'zod';
import { component } from '../../../http/wire/fields.ts';
import { requireAllWebsites } from '../../../accounts/website-scope.ts';
import type { Api } from '../../../http/wire/zod.ts';
import { eventTypes } from '../../../events/event-schemas.ts';
import { EventName, READS } from './webhooks.ts';

const EventType = component('EventType', {
  event: EventName.describe('The event type.'),
  description: z.string().describe('What happened.'),
  schema: z.record(z.string(), z.unknown()).describe('The JSON Schema (draft 2020-12) of the request body.'),
});

const EVENT_TYPES = eventTypes();

/** GET /api/webhooks/event-types, and the same with the version. */
export function eventTypeRoutes(app: Api, path: string, operationId: string): void {
  app.get(path, {
    config: READS,
    operationId,
    tag: 'Webhooks',
    summary: 'List event types',
    returns: 'Each event type with the JSON Schema of its request body.',
    response: { 200: z.object({ event_types: z.array(EventType).describe('The event types.') }) },
    async handler({ actor }) {
      requireAllWebsites(actor, 'webhooks belong to the whole account');
      return { eventTypes: EVENT_TYPES };
    },
  });
}
