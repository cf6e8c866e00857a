import { z } from 'zod';
import type { Api } from '../../http/zod.ts';
import { eventTypes } from '../../events/event-schemas.ts';
import { READS } from './webhook-access.ts';
import { EventName } from './webhook-wire.ts';

const EventType = z
  .object({
    event: EventName,
    description: z.string(),
    schema: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'EventType' });

const EVENT_TYPES = eventTypes();

/** GET /api/webhooks/event-types: what a receiver can expect of each kind of event. */
export function eventTypeRoutes(app: Api): void {
  app.get(
    '/event-types',
    { config: READS, schema: { response: { 200: z.object({ event_types: z.array(EventType) }) } } },
    async () => ({ event_types: EVENT_TYPES }),
  );
}
