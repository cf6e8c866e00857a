import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccount } from '../../src/accounts/account.ts';
import { signIn } from '../../src/accounts/sign-in.ts';
import { createSecretBox } from '../../src/platform/secret-box.ts';
import { freshDatabase, type FreshDatabase } from '../support/database.ts';

const NOW = new Date('2030-05-15T12:00:00Z');
const context = {
  client: { network: '192.0.2.0/24', device: undefined, userAgent: undefined },
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
