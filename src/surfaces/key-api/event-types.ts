import { z } from 'zod';
import type { Api } from '../../http/zod.ts';
import { eventTypes } from '../../events/event-schemas.ts';
import { EventName, READS } from './webhooks.ts';

const EventType = z
  .object({
    event: EventName.describe('The event type.'),
    description: z.string().describe('What happened.'),
    schema: z.record(z.string(), z.unknown()).describe('The JSON Schema (draft 2020-12) of the request body.'),
  })
  .meta({ id: 'EventType' });

const EVENT_TYPES = eventTypes();

/** GET /api/webhooks/event-types. */
export function eventTypeRoutes(app: Api): void {
  app.get(
    '/event-types',
    {
      config: READS,
      schema: {
        operationId: 'listEventTypes',
        tag: 'Webhooks',
        summary: 'List event types',
        returns: 'Each event type with the JSON Schema of its request body.',
        response: { 200: z.object({ event_types: z.array(EventType).describe('The event types.') }) },
      },
    },
    async () => ({ event_types: EVENT_TYPES }),
  );
}
