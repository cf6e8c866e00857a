import { afterAll, beforeAll, expect, test } from 'vitest';
import { cancelOrphans } from '../../../src/webhooks/queue/cancel-orphans.ts';
import { freshDatabase, type FreshDatabase } from '../../support/database.ts';

const now = new Date('2030-05-15T12:00:01Z');

let database: FreshDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.close());

const query = async (text: string, values: unknown[] = []) => (await database.db.$client.query(text, values)).rows;

const queue = (webhookId: string, state: string, count: number) =>
  query(
    `insert into deliveries (account_id, webhook_id, event_day, event_id, event, state, due_at, created_at)
     select 1, $1, '2030-05-15', 'e' || n, 'redirect.created', $2, $4, $4 from generate_series(1, $3) n`,
    [webhookId, state, count, now],
  );

test('cancels only the pending deliveries of deleted webhooks', async () => {
  await query(`insert into accounts (plan) values ('business')`);
  await query(
    `insert into webhooks (id, account_id, name, url, events, secret, is_active) values ('wh_b', 1, 'x', 'http://x', '{}', '', false)`,
  );
  for (const webhook of ['wh_a', 'wh_b', 'wh_c']) {
    await queue(webhook, 'pending', 3);
    await queue(webhook, 'sending', 1);
    await queue(webhook, 'failed', 2);
  }
  await queue('wh_a', 'pending', 12_000);
  const counts = () =>
    query(`select webhook_id, state, count(*)::int as n from deliveries group by 1, 2 order by 1, 2`);
  const before = await counts();
  expect(await cancelOrphans(database.db, now)).toBe(12_006);
  const becomes = (row: { webhook_id: string; state: string }) =>
    row.state === 'pending' && row.webhook_id !== 'wh_b' ? { ...row, state: 'canceled' } : row;
  const byName = (rows: Record<string, unknown>[]) => rows.map((row) => JSON.stringify(row)).toSorted();
  expect(byName(await counts())).toEqual(byName(before.map(becomes)));
  expect(await query(`select distinct finished_at from deliveries where state = 'canceled'`)).toEqual([
    { finished_at: now },
  ]);
  expect(await cancelOrphans(database.db, now)).toBe(0);
});
