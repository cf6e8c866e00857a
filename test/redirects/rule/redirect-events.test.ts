import { expect, test } from 'vitest';
import { eventBodySchema, parseRedirectEvent } from '../../../src/events/event-schemas.ts';
import type { NewEvent } from '../../../src/events/outbox.ts';
import { changeTime } from '../../../src/platform/clock.ts';
import { planChange } from '../../../src/redirects/rule/change.ts';
import { fieldsOfEvent, redirectEvent, updatedEvent } from '../../../src/redirects/rule/redirect-events.ts';
import { redirectOf } from '../../../src/redirects/rule/redirect.ts';
import { createdAt, fields, redirectRow, website } from './redirect-row.ts';

const deployed = { production: createdAt, staging: null, development: null };

const activeFrom = new Date('2030-02-01T00:00:00Z');
const until = new Date('2030-03-01T00:00:00Z');

const body = ({ event, data }: NewEvent): string => JSON.stringify({ event, timestamp: '2030-05-15T12:00:00Z', data });

test('a stored event has every field of the redirect, and gives the same fields back', () => {
  const redirect = redirectOf(redirectRow({ groupId: 'g', notes: 'n', inDev: 4, activeFrom, activeUntil: until }));
  for (const name of ['redirect.created', 'redirect.deleted'] as const) {
    const event = redirectEvent(name, redirect, deployed);
    eventBodySchema(event.event).parse(JSON.parse(body(event)));
    expect(event).toMatchObject({ websiteId: 7, redirectId: 5 });
    expect(event.data['redirect']).toMatchObject({
      deployed_to_prod: '2030-01-01T00:00:00Z',
      deployed_to_staging: null,
      deployed_to_dev: null,
    });
    const stored = parseRedirectEvent(body(event)).redirect;
    expect(stored).toEqual({
      id: '5',
      website_id: '7',
      old_path: '/a',
      new_path: '/b',
      status_code: 301,
      is_regex: false,
      group_id: 'g',
      notes: 'n',
      target_environments: ['production', 'development'],
      active_from: '2030-02-01T00:00:00Z',
      active_until: '2030-03-01T00:00:00Z',
      created_at: '2030-01-01T00:00:00Z',
      updated_at: '2030-01-01T00:00:00Z',
    });
    expect(stored && fieldsOfEvent(stored)).toEqual({
      ...fields,
      groupId: 'g',
      notes: 'n',
      environments: ['production', 'development'],
      activeFrom,
      activeUntil: until,
    });
  }
});

test('the event of a change has the previous values of the changed fields, which undo it', () => {
  const before = redirectRow();
  const plan = planChange(before, { newPath: '/c', notes: 'n', environments: [], activeFrom }, website);
  const event = updatedEvent(before, plan, deployed);
  eventBodySchema('redirect.updated').parse(JSON.parse(body(event)));
  expect(event.previousUpdatedAt).toBe(createdAt);
  const { redirect, previous } = parseRedirectEvent(body(event));
  expect(redirect).toMatchObject({ new_path: '/c', notes: 'n', active_from: '2030-02-01T00:00:00Z' });
  expect(previous).toEqual({ new_path: '/b', notes: null, target_environments: ['production'], active_from: null });
  const undone = planChange(plan.row, fieldsOfEvent(previous ?? {}), website);
  expect(redirectOf(undone.row)).toEqual({
    ...redirectOf(before),
    updatedAt: changeTime(website.now, plan.row.updatedAt),
  });
});

test('an event of a version without windows gives a redirect without one, and keeps that of a changed one', () => {
  const event = redirectEvent('redirect.deleted', redirectOf(redirectRow({ activeFrom })), deployed);
  const { active_from: _from, active_until: _until, ...older } = event.data['redirect'] as Record<string, unknown>;
  const stored = parseRedirectEvent(JSON.stringify({ data: { redirect: older, previous: { new_path: '/z' } } }));
  expect(stored.redirect && fieldsOfEvent(stored.redirect)).toMatchObject({ activeFrom: null, activeUntil: null });
  expect(fieldsOfEvent(stored.previous ?? {})).toMatchObject({ newPath: '/z', activeFrom: undefined });
});

test('the event of a bulk call has no redirect', () => {
  const data = { redirect: null, previous: null, bulk: { filter: {}, updates: {}, count: 10_001 } };
  const summary = body({ event: 'redirect.updated', websiteId: 7, data });
  expect(parseRedirectEvent(summary)).toEqual({ redirect: null, previous: null });
});
