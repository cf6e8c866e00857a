import { expect, test } from 'vitest';
import { openDatabase } from '../../../src/db/connection/client.ts';
import { createImportPermits } from '../../../src/platform/scheduling/import-permits.ts';

/** A pool connects with its first query. These tests send no query. */
const poolOf = (connections: number) => openDatabase('postgres://localhost/none', { max: connections });

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('imports of one account run one after the other, and those of another account do not wait for them', async () => {
  const { withTurn } = createImportPermits(poolOf(6));
  const first = Promise.withResolvers<void>();
  const order: string[] = [];
  const run = (accountId: number, name: string, until?: Promise<void>) =>
    withTurn(accountId, async () => {
      order.push(name);
      await until;
    });
  const running = run(1, 'first of 1', first.promise);
  const waiting = run(1, 'second of 1');
  await run(2, 'first of 2');
  expect(order).toEqual(['first of 1', 'first of 2']);
  first.resolve();
  await Promise.all([running, waiting]);
  expect(order).toEqual(['first of 1', 'first of 2', 'second of 1']);
});

test('as many permits exist as the pool has three connections for', async () => {
  const { withPermit } = createImportPermits(poolOf(7));
  const end = Promise.withResolvers<void>();
  let running = 0;
  const all = [1, 2, 3].map(() =>
    withPermit(async () => {
      running++;
      await end.promise;
    }),
  );
  await turn();
  expect(running).toBe(2);
  end.resolve();
  await Promise.all(all);
  expect(running).toBe(3);
});

test('an import that waits too long, for its turn or for a permit, gets BUSY with Retry-After', async () => {
  const { withTurn, withPermit } = createImportPermits(poolOf(3), 20);
  const end = Promise.withResolvers<void>();
  const held = withTurn(1, () => withPermit(() => end.promise));
  await expect(withTurn(1, async () => {})).rejects.toMatchObject({ code: 'BUSY', retryAfter: 30 });
  await expect(withTurn(2, () => withPermit(async () => {}))).rejects.toMatchObject({ code: 'BUSY', retryAfter: 30 });
  end.resolve();
  await held;
});
