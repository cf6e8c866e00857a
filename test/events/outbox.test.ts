import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { publishEvents } from '../../src/events/outbox.ts';
import { type FreshDatabase, freshDatabase } from '../support/database.ts';
import { addWebhook, deliveriesOf, openAccount, publish } from '../support/dispatching.ts';

const URL = 'http://127.0.0.1:9/hook';

let database: FreshDatabase;

beforeAll(async () => {
  database = await freshDatabase();
});

afterAll(() => database.close());

test('an event is queued once for each webhook of its account that subscribes to its type, in the order of the events', async () => {
  const actor = await openAccount(database);
  const other = await openAccount(database);
  const all = await addWebhook(database, actor, URL);
  const some = await addWebhook(database, actor, URL, { events: ['deployment.failed', 'redirect.deleted'] });
  const theirs = await addWebhook(database, other, URL);
  const now = new Date('2030-05-15T12:00:01.234Z');
  const kinds = ['redirect.created', 'redirect.deleted', 'redirect.updated'] as const;
  await publishEvents(
    database.db,
    actor,
    now,
    kinds.map((event) => ({ event, websiteId: null, data: {} })),
  );
  const { rows: events } = await database.db.execute<{ id: string }>(
    sql`select id from events where account_id = ${actor.accountId} order by id`,
  );
  const queued = await deliveriesOf(database, all.id);
  expect(queued.map((row) => row.event_id)).toEqual(events.map(({ id }) => id));
  expect(queued.map(({ state, attempt_no: attempt, kind }) => [state, attempt, kind])).toEqual(
    kinds.map(() => ['pending', 0, 'event']),
  );
  expect(queued.map((row) => Date.parse(row.due_at))).toEqual(kinds.map(() => now.getTime()));
  expect((await deliveriesOf(database, some.id)).map((row) => row['event'])).toEqual(['redirect.deleted']);
  expect(await deliveriesOf(database, theirs.id)).toEqual([]);
});

test('events are queued for a webhook deactivated as failing or gone, and not for one that its owner deactivated', async () => {
  const actor = await openAccount(database);
  const off = { isActive: false, deactivatedAt: new Date() };
  const failing = await addWebhook(database, actor, URL, { ...off, deactivatedReason: 'failing' });
  const gone = await addWebhook(database, actor, URL, { ...off, deactivatedReason: 'gone' });
  const user = await addWebhook(database, actor, URL, { ...off, deactivatedReason: 'user' });
  await publish(database, actor, 3);
  expect(await deliveriesOf(database, failing.id)).toHaveLength(3);
  expect(await deliveriesOf(database, gone.id)).toHaveLength(3);
  expect(await deliveriesOf(database, user.id)).toHaveLength(0);
});

test.each([
  ['free', 0],
  ['pro', 0],
  ['business', 1],
  ['enterprise', 1],
] as const)('on the plan %s an event queues %i deliveries', async (plan, count) => {
  const actor = await openAccount(database, plan);
  const webhook = await addWebhook(database, actor, URL);
  await publish(database, actor);
  expect(await deliveriesOf(database, webhook.id)).toHaveLength(count);
});
