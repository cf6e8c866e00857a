import { expect, test } from 'vitest';
import { EVENT_KINDS } from '../../src/vocabulary/kinds.ts';
import { eventBodySchema, eventTypes } from '../../src/events/event-schemas.ts';
import { sampleBody } from '../../src/events/sample-events.ts';

const now = new Date('2030-05-15T12:00:01.500Z');

test.each(EVENT_KINDS)('a test of %s has the body of that event type and is marked as a test', (event) => {
  const body: unknown = JSON.parse(sampleBody(event, now));
  expect(eventBodySchema(event).parse(body)).toEqual(body);
  expect(body).toMatchObject({ event, timestamp: '2030-05-15T12:00:01Z', data: { test: true } });
});

test('every event type has a schema and a description, in the order of the list', () => {
  expect(eventTypes().map(({ event }) => event)).toEqual([...EVENT_KINDS]);
  for (const { description, schema } of eventTypes()) {
    expect(description).toMatch(/^an? /);
    expect(schema).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      required: ['event', 'timestamp', 'data'],
    });
    // Fields may be added within v1: a receiver that validates must not break then.
    expect(JSON.stringify(schema)).not.toContain('"additionalProperties":false');
  }
});
