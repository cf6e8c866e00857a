import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccount } from '../../../src/accounts/account.ts';
import { changePassword } from '../../../src/accounts/sign-in/own-password.ts';
import { hashPassword } from '../../../src/accounts/sign-in/password.ts';
import { startSession } from '../../../src/accounts/sign-in/session.ts';
import { signIn } from '../../../src/accounts/sign-in/sign-in.ts';
import { createSecretBox } from '../../../src/platform/secret-box.ts';
import { sessions } from '../../../src/db/schema/accounts.ts';
import { freshDatabase, type FreshDatabase } from '../../support/database.ts';
import { until } from '../../support/wait.ts';

const NOW = new Date('2030-05-15T12:00:00Z');
const context = {
  client: { address: '192.0.2.7', network: '192.0.2.0/24', device: undefined, userAgent: undefined },
  secretBox: createSecretBox({ secretKey: Buffer.alloc(32, 7), previousSecretKey: null }),
  now: NOW,
};
const PASSWORD = 'correct horse battery';

let database: FreshDatabase;
beforeAll(async () => {
  database = await freshDatabase();
  await createAccount(database.db, { email: 'jo@example.com', plan: 'free', password: PASSWORD });
});
afterAll(() => database.close());

test('sign-in ignores the case and surrounding space of an email', async () => {
  const { user } = await signIn(database.db, { email: ' Jo@Example.com ', password: PASSWORD }, context);
  expect(user).toMatchObject({ email: 'jo@example.com', role: 'owner', plan: 'free' });
});

test.each([
  ['that is unknown', 'unknown@example.com'],
  ['with a NUL, which PostgreSQL cannot hold', 'jo\u0000@example.com'],
  ['of 1 MB', `${'x'.repeat(1_000_000)}@example.com`],
  ['that is invalid', 'jo'],
])('an email %s gets the same error as a wrong password', async (_what, email) => {
  await expect(signIn(database.db, { email, password: PASSWORD }, context)).rejects.toMatchObject({
    code: 'INVALID_CREDENTIALS',
  });
});

/** Runs `change` in a transaction that commits once `attempt` waits for it, or has ended without waiting. */
async function whileChanging<T>(change: ReturnType<typeof sql>, attempt: () => Promise<T>): Promise<T> {
  const { db } = database;
  let ended = false;
  let result: Promise<T> | undefined;
  const isWaiting = async () => {
    const { rows } = await db.execute(
      sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows.length > 0 || ended;
  };
  await db.transaction(async (tx) => {
    await tx.execute(change);
    result = attempt().finally(() => (ended = true));
    result.catch(() => {});
    await until(isWaiting);
  });
  if (!result) throw new Error('the attempt has not begun');
  return result;
}

test('a sign-in with the former password gets no session if the password changes while it is verified', async () => {
  const { user } = await createAccount(database.db, { email: 'race@example.com', plan: 'free', password: PASSWORD });
  const passwordHash = await hashPassword('another long password');
  const attempt = whileChanging(sql`update users set password_hash = ${passwordHash} where id = ${user.id}`, () =>
    signIn(database.db, { email: user.email, password: PASSWORD }, context),
  );
  await expect(attempt).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' });
  expect(await database.db.$count(sessions, sql`user_id = ${user.id}`)).toBe(0);
});

test('a sign-in of a user who is removed meanwhile gets the same error as a wrong password', async () => {
  const { user } = await createAccount(database.db, { email: 'gone@example.com', plan: 'free', password: PASSWORD });
  const attempt = whileChanging(sql`delete from users where id = ${user.id}`, () =>
    signIn(database.db, { email: user.email, password: PASSWORD }, context),
  );
  await expect(attempt).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' });
});

test('of two concurrent changes of a password, the second needs the password of the first', async () => {
  const { db } = database;
  const { user, account } = await createAccount(db, { email: 'twice@example.com', plan: 'free', password: PASSWORD });
  const actor = { accountId: account.id, plan: account.plan, type: 'user', scope: null } as const;
  const session = await startSession(db, user.id, undefined, NOW);
  const input = { currentPassword: PASSWORD, newPassword: 'a stolen session sets', sessionId: session.id };
  const passwordHash = await hashPassword('another long password');
  const attempt = whileChanging(sql`update users set password_hash = ${passwordHash} where id = ${user.id}`, () =>
    changePassword(db, { ...actor, id: String(user.id), name: user.email, role: 'owner' }, input, context),
  );
  await expect(attempt).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
});
