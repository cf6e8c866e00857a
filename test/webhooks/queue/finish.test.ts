import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withClient } from '../../../src/db/connection/client.ts';
import type { Finished } from '../../../src/webhooks/sending/result.ts';
import { claimDeliveries, type Claimed, readClaimed } from '../../../src/webhooks/queue/claim.ts';
import { finishDeliveries } from '../../../src/webhooks/queue/finish.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database.ts';
import { until } from '../../support/wait.ts';
import { addWebhook, attemptsOf, deliveriesOf, openAccount, publish } from '../../support/dispatching.ts';

const NOW = new Date('2030-05-15T12:00:01.000Z');
const DAY_MS = 86_400_000;

let database: FreshDatabase;
let webhookId: string;

beforeAll(async () => {
  database = await freshDatabase();
});

afterAll(() => database.close());

/** Adds a webhook with `count` deliveries, all claimed by instance 1. */
async function claimed(count: number, fields: Parameters<typeof addWebhook>[3] = {}): Promise<Claimed[]> {
  const actor = await openAccount(database);
  ({ id: webhookId } = await addWebhook(database, actor, 'http://127.0.0.1:9/', {
    maxInFlight: 64,
    ...fields,
  }));
  await publish(database, actor, count, NOW);
  const ids = await claimDeliveries(database.db, { instanceId: 1, now: NOW, max: 512, maxSlow: 512, hasMail: false });
  return (await readClaimed(database.db, 1, NOW, ids)).toSorted((a, b) => a.id - b.id);
}

function finished(one: Claimed, fields: Partial<Finished> = {}): Finished {
  const succeeded = fields.state === undefined;
  return {
    claimed: one,
    attempts: [
      {
        attemptNo: one.attemptNo,
        startedAt: NOW,
        durationMs: 12,
        outcome: succeeded ? 'delivered' : 'receiver_error',
        status: succeeded ? 200 : 500,
        error: succeeded ? null : 'it answered 500',
        responseBody: 'ok',
        signedWith: 'current',
      },
    ],
    state: 'delivered',
    dueAt: null,
    failures: one.failures,
    status: succeeded ? 200 : 500,
    error: null,
    verdict: succeeded ? 'success' : 'failure',
    pausedUntil: null,
    signWith: null,
    ...fields,
  };
}

const failure = (one: Claimed, fields: Partial<Finished> = {}): Finished =>
  finished(one, {
    state: 'pending',
    dueAt: new Date(NOW.getTime() + 5_000),
    failures: one.failures + 1,
    ...fields,
  });

async function webhook() {
  const { rows } = await database.db.execute(sql`select * from webhooks where id = ${webhookId}`);
  return rows[0];
}

function finish(batch: Finished[], now = NOW, instanceId = 1): Promise<number[]> {
  return finishDeliveries(database.db, instanceId, now, batch);
}

test('a success and a failure of one batch are each written to their delivery, with their attempts', async () => {
  const [one, two] = await claimed(2);
  if (!one || !two) throw new Error('nothing claimed');
  expect((await finish([finished(one), failure(two)])).toSorted((a, b) => a - b)).toEqual([one.id, two.id]);
  const rows = await deliveriesOf(database, webhookId);
  expect(rows[0]).toMatchObject({ state: 'delivered', failures: 0, last_status: 200, locked_by: null });
  expect(rows[0]?.['finished_at']).not.toBeNull();
  expect(rows[1]).toMatchObject({ state: 'pending', failures: 1, last_status: 500, finished_at: null });
  expect(Date.parse(rows[1]?.due_at ?? '')).toBe(NOW.getTime() + 5_000);
  expect(await attemptsOf(database, one.id)).toMatchObject([{ outcome: 'delivered', duration_ms: 12 }]);
  expect(await webhook()).toMatchObject({ fail_streak: 1, is_active: true });
});

test('the outcome of a reclaimed delivery changes nothing and is logged as superseded, in place of the interruption', async () => {
  const [one] = await claimed(1);
  if (!one) throw new Error('nothing claimed');
  await database.db.execute(sql`update deliveries set locked_by = 2, attempt_no = 2 where id = ${one.id}`);
  await database.db.execute(sql`insert into attempts (day, delivery_id, attempt_no, started_at, duration_ms, outcome)
    values ('2030-05-15', ${one.id}, 1, ${NOW.toISOString()}, 0, 'interrupted')`);
  expect(await finish([finished(one)])).toEqual([]);
  expect(await deliveriesOf(database, webhookId)).toMatchObject([{ state: 'sending', attempt_no: 2, locked_by: 2 }]);
  expect(await attemptsOf(database, one.id)).toMatchObject([{ outcome: 'delivered', superseded: true }]);
  expect(await webhook()).toMatchObject({ last_success_at: null });
});

test('writing the same outcomes again changes nothing: the first response may have been lost', async () => {
  const [one] = await claimed(1);
  if (!one) throw new Error('nothing claimed');
  await finish([failure(one)]);
  const before = [await deliveriesOf(database, webhookId), await attemptsOf(database, one.id), await webhook()];
  expect(await finish([failure(one)])).toEqual([]);
  const after = [await deliveriesOf(database, webhookId), await attemptsOf(database, one.id), await webhook()];
  expect(after).toEqual(before);
});

test('failures are counted with the time of the first; a success clears them, also within a batch', async () => {
  const all = await claimed(6);
  await finish(all.slice(0, 2).map((one) => failure(one)));
  await finish([failure(all[2] as Claimed)], new Date(NOW.getTime() + 60_000));
  expect(await webhook()).toMatchObject({ fail_streak: 3 });
  expect(Date.parse(String((await webhook())?.['failing_since']))).toBe(NOW.getTime());
  const later = new Date(NOW.getTime() + 120_000);
  await finish([failure(all[3] as Claimed), finished(all[4] as Claimed), failure(all[5] as Claimed)], later);
  expect(await webhook()).toMatchObject({ fail_streak: 1, exhausted: false });
  expect(Date.parse(String((await webhook())?.['failing_since']))).toBe(later.getTime());
  expect(Date.parse(String((await webhook())?.['last_success_at']))).toBe(later.getTime());
});

test('a receiver is deactivated as failing after a delivery used all attempts and 8 days have passed, not earlier', async () => {
  const since = new Date(NOW.getTime() - 8 * DAY_MS);
  const early = await claimed(2, {
    failStreak: 40,
    failingSince: new Date(since.getTime() + 1),
    exhausted: true,
  });
  await finish([failure(early[0] as Claimed)]);
  expect(await webhook()).toMatchObject({ is_active: true, deactivated_reason: null });
  const unspent = await claimed(1, { failStreak: 40, failingSince: since });
  await finish([failure(unspent[0] as Claimed)]);
  expect(await webhook()).toMatchObject({ is_active: true });
  const spent = await claimed(2, { failStreak: 40, failingSince: since });
  await finish([failure(spent[0] as Claimed, { state: 'failed', dueAt: null }), failure(spent[1] as Claimed)]);
  expect(await webhook()).toMatchObject({ is_active: false, deactivated_reason: 'failing', exhausted: true });
  expect((await deliveriesOf(database, webhookId)).map(({ state }) => state)).toEqual(['failed', 'pending']);
});

test('410 deactivates immediately and keeps the delivery pending; a webhook that its owner deactivated keeps its reason', async () => {
  const [one, two] = await claimed(2);
  await finish([failure(one as Claimed, { verdict: 'gone' })]);
  expect(await webhook()).toMatchObject({ is_active: false, deactivated_reason: 'gone', fail_streak: 1 });
  expect((await deliveriesOf(database, webhookId))[0]?.state).toBe('pending');
  await database.db.execute(sql`update webhooks set deactivated_reason = 'user' where id = ${webhookId}`);
  await finish([failure(two as Claimed, { verdict: 'gone' })]);
  expect(await webhook()).toMatchObject({ is_active: false, deactivated_reason: 'user' });
});

test('a pause lasts as long as the longest one requested, even after a success', async () => {
  const [one, two, three, four] = (await claimed(4)) as [Claimed, Claimed, Claimed, Claimed];
  const until = new Date(NOW.getTime() + 60_000);
  await finish([failure(one, { pausedUntil: until }), failure(two, { pausedUntil: new Date(NOW.getTime() + 1_000) })]);
  await finish([finished(three)]);
  expect(Date.parse(String((await webhook())?.['paused_until']))).toBe(until.getTime());
  await finish([finished(four)], until);
  expect(await webhook()).toMatchObject({ paused_until: null });
});

test('a failure of a deleted webhook is canceled', async () => {
  const [one] = (await claimed(1)) as [Claimed];
  await database.db.execute(sql`delete from webhooks where id = ${webhookId}`);
  await finish([failure(one)]);
  expect(await deliveriesOf(database, webhookId)).toMatchObject([{ state: 'canceled', locked_by: null }]);
});

test('a batch that waits for another process counts on top of what that process wrote', async () => {
  const [one] = (await claimed(1)) as [Claimed];
  const finishing = await withClient(database.db, async (client) => {
    await client.query('begin');
    await client.query(`update webhooks set fail_streak = 7, sign_with = 'previous' where id = $1`, [webhookId]);
    const written = finish([failure(one)]);
    await until(async () => {
      const { rows } = await database.db.execute(sql`select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`);
      return rows.length > 0;
    });
    await client.query('commit');
    return written;
  });
  expect(finishing).toEqual([one.id]);
  expect(await webhook()).toMatchObject({ fail_streak: 8, sign_with: 'previous' });
});

test('a failure is canceled if its webhook is deleted while the batch waits for the lock', async () => {
  const [one] = (await claimed(1)) as [Claimed];
  await withClient(database.db, async (client) => {
    await client.query('begin');
    await client.query('delete from webhooks where id = $1', [webhookId]);
    const written = finish([failure(one)]);
    await until(async () => {
      const { rows } = await database.db.execute(sql`select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`);
      return rows.length > 0;
    });
    await client.query('commit');
    await written;
  });
  expect(await deliveriesOf(database, webhookId)).toMatchObject([{ state: 'canceled', locked_by: null }]);
});

test('text that PostgreSQL cannot store does not fail the batch', async () => {
  const [one] = (await claimed(1)) as [Claimed];
  const outcome = finished(one);
  const attempts = outcome.attempts.map((made) => ({ ...made, responseBody: 'a\0b\ud83d', error: '\udc00' }));
  expect(await finish([{ ...outcome, attempts, error: '\0\ud800' }])).toEqual([one.id]);
  expect(await attemptsOf(database, one.id)).toMatchObject([{ response_body: 'a\ufffdb\ufffd', error: '\ufffd' }]);
});

test('two processes that write outcomes of the same webhooks in opposite order do not deadlock', async () => {
  const actor = await openAccount(database);
  for (let i = 0; i < 12; i++) await addWebhook(database, actor, 'http://127.0.0.1:9/');
  let count = 0;
  for (let round = 0; round < 15; round++) {
    await publish(database, actor, 2, NOW);
    const halves = await Promise.all(
      [1, 2].map(async (instanceId) => {
        const ids = await claimDeliveries(database.db, { instanceId, now: NOW, max: 12, maxSlow: 512, hasMail: false });
        return readClaimed(database.db, instanceId, NOW, ids);
      }),
    );
    const [first = [], second = []] = halves;
    const [done, also] = await Promise.all([
      finish(
        first.map((one) => finished(one, { state: 'failed' })),
        NOW,
        1,
      ),
      finish(
        second.toReversed().map((one) => finished(one, { state: 'failed' })),
        NOW,
        2,
      ),
    ]);
    count += done.length + also.length;
  }
  expect(count).toBe(15 * 24);
});
