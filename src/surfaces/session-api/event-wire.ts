import { z } from 'zod';
import { WrittenTime } from '../../http/fields.ts';
import { EVENT_KINDS, type EventKind } from '../../vocabulary/event.ts';
import type { EventData } from '../../events/event-schemas.ts';
import type { StoredEvent } from '../../events/list-events.ts';

export const EventBody = z
  .object({
    id: z.string(),
    event: z.enum(EVENT_KINDS),
    timestamp: WrittenTime,
    website_id: z.int().nullable(),
    actor: z.object({ type: z.enum(['user', 'key', 'system']), id: z.string(), name: z.string() }),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Event' });
export const EventList = z.object({ events: z.array(EventBody), next_cursor: z.string().nullable() });

/** An event with what its kind tells, which is checked as webhooks send it and goes out here as it is stored. */
export type TypedEvent = {
  [Kind in EventKind]: Omit<z.input<typeof EventBody>, 'event' | 'data'> & {
    event: Kind;
    data: EventData[Kind];
  };
}[EventKind];

/** An event as the activity log has it. */
export function eventBody({ websiteId, ...event }: StoredEvent) {
  const { id, event: kind, timestamp, actor, data } = event;
  return { id, event: kind, timestamp, website_id: websiteId, actor, data };
}
