import { expect, test } from 'vitest';
import { openDatabase } from '../../../src/db/client.ts';
import { createImportSemaphore } from '../../../src/redirects/import/limits.ts';

/** A pool connects with its first query. These tests send no query. */
const poolOf = (connections: number) => openDatabase('postgres://localhost/none', { max: connections });

test('imports of one account run one after the other, and those of another account do not wait for them', async () => {
  const withPermit = createImportSemaphore(poolOf(6));
  const first = Promise.withResolvers<void>();
  const order: string[] = [];
  const run = (accountId: number, name: string, until?: Promise<void>) =>
    withPermit(accountId, async () => {
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

test('as many imports run as the pool has three connections for', async () => {
  const withPermit = createImportSemaphore(poolOf(7));
  const end = Promise.withResolvers<void>();
  let running = 0;
  const all = [1, 2, 3].map((accountId) =>
    withPermit(accountId, async () => {
      running++;
      await end.promise;
    }),
  );
  await new Promise((resolve) => setImmediate(resolve));
  expect(running).toBe(2);
  end.resolve();
  await Promise.all(all);
  expect(running).toBe(3);
});
