import { afterAll, beforeAll, expect, test } from 'vitest';
import { countAttempt, clearAttempts } from '../../../src/accounts/sign-in/throttle.ts';
import { purgeExpired } from '../../../src/accounts/sign-in/session.ts';
import { signInFailures } from '../../../src/db/schema/accounts.ts';
import { freshDatabase, type FreshDatabase } from '../../support/database.ts';
import { testClock } from '../../support/clock.ts';

let database: FreshDatabase;
beforeAll(async () => void (database = await freshDatabase()));
afterAll(() => database.close());

const from = (email: string, network = '192.0.2.0/24') => ({ email, network });

async function attempts(email: string, n: number, at: Date, network?: string): Promise<void> {
  for (let i = 0; i < n; i++) await countAttempt(database.db, from(email, network), at);
}

test('the eleventh attempt within 15 minutes is rejected with the seconds until the first expires', async () => {
  const clock = testClock();
  await attempts('a@example.com', 1, clock.now());
  clock.advance(60_000);
  await attempts('a@example.com', 9, clock.now());
  clock.advance(30_000);
  await expect(countAttempt(database.db, from('a@example.com'), clock.now())).rejects.toMatchObject({
    code: 'RATE_LIMIT_EXCEEDED',
    limit: 10,
    retryAfter: 15 * 60 - 90,
  });
  clock.advance((15 * 60 - 90) * 1_000);
  await countAttempt(database.db, from('a@example.com'), clock.now());
  await expect(countAttempt(database.db, from('a@example.com'), clock.now())).rejects.toMatchObject({
    retryAfter: 60,
  });
});

test('ten of many concurrent attempts are allowed', async () => {
  const at = testClock().now();
  const results = await Promise.allSettled(
    Array.from({ length: 25 }, () => countAttempt(database.db, from('b@example.com'), at)),
  );
  expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(10);
});

test('emails have separate limits, and a success clears the attempts', async () => {
  const at = testClock().now();
  await attempts('c@example.com', 10, at);
  await countAttempt(database.db, from('d@example.com'), at);
  await expect(countAttempt(database.db, from('c@example.com'), at)).rejects.toMatchObject({
    code: 'RATE_LIMIT_EXCEEDED',
  });
  await clearAttempts(database.db, from('c@example.com'));
  await countAttempt(database.db, from('c@example.com'), at);
});

test('another network may still try, until all have failed 100 times; a known device is counted on its own', async () => {
  const at = testClock().now();
  const email = 'g@example.com';
  for (let network = 0; network < 10; network++) await attempts(email, 10, at, `198.51.${network}.0/24`);
  await expect(countAttempt(database.db, from(email, '203.0.113.0/24'), at)).rejects.toMatchObject({ limit: 100 });
  const device = { email, knownAs: 'dev_1' };
  for (let i = 0; i < 10; i++) await countAttempt(database.db, device, at);
  await expect(countAttempt(database.db, device, at)).rejects.toMatchObject({ limit: 10 });
  await clearAttempts(database.db, from(email, '198.51.0.0/24'));
  await countAttempt(database.db, from(email, '203.0.113.0/24'), at);
});

test('purgeAttempts deletes only expired attempts', async () => {
  const clock = testClock('2031-01-01T00:00:00Z');
  await attempts('e@example.com', 2, clock.now());
  clock.advance(10 * 60_000);
  await attempts('f@example.com', 3, clock.now());
  clock.advance(10 * 60_000);
  await purgeExpired(database.db, clock.now());
  expect(await database.db.$count(signInFailures)).toBe(3);
});
