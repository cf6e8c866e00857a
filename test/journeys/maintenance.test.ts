/** The maintenance jobs of a running service. */
import { count, eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sessions, signInFailures } from '../../src/db/schema/accounts.ts';
import { sha256 } from '../../src/platform/ids.ts';
import { startTestDetour, type TestDetour } from '../support/detour.ts';

let detour: TestDetour;
beforeAll(async () => void (detour = await startTestDetour()));
afterAll(() => detour.stop());

test('a new process deletes expired sessions and old sign-in failures, and keeps valid sessions', async () => {
  const { db } = detour;
  const owner = await detour.account();
  const [valid] = await db.select().from(sessions);
  if (!valid) throw new Error('the owner is not signed in');
  const past = new Date('2020-01-01T00:00:00Z');
  await db.insert(sessions).values({ ...valid, tokenHash: sha256('old'), id: 'old', expiresAt: past });
  await db.insert(signInFailures).values({ emailHash: sha256('someone'), at: past });

  const other = await detour.another();
  await expect.poll(async () => (await db.select().from(sessions)).map((one) => one.id)).toEqual([valid.id]);
  const old = db.select({ n: count() }).from(signInFailures).where(eq(signInFailures.at, past));
  await expect.poll(async () => (await old)[0]?.n).toBe(0);
  expect((await owner.call('GET', '/api/account')).status).toBe(200);
  expect((await fetch(`${other.address}/ready`)).status).toBe(200);
});
