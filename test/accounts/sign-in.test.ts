import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccount } from '../../src/accounts/account.ts';
import { signIn } from '../../src/accounts/sign-in.ts';
import { freshDatabase, type FreshDatabase } from '../support/database.ts';

const NOW = new Date('2030-05-15T12:00:00Z');
const PASSWORD = 'correct horse battery';

let database: FreshDatabase;
beforeAll(async () => {
  database = await freshDatabase();
  await createAccount(database.db, { email: 'jo@example.com', plan: 'free', password: PASSWORD });
});
afterAll(() => database.close());

test('an address signs in however it is written', async () => {
  const user = await signIn(database.db, { email: ' Jo@Example.com ', password: PASSWORD }, NOW);
  expect(user).toMatchObject({ email: 'jo@example.com', role: 'owner', plan: 'free' });
});

test.each([
  ['that is unknown', 'nobody@example.com'],
  ['with a NUL, which PostgreSQL cannot hold', 'jo\u0000@example.com'],
  ['of 1 MB', `${'x'.repeat(1_000_000)}@example.com`],
  ['that is none', 'jo'],
])('an address %s is answered as a wrong password is', async (_what, email) => {
  await expect(signIn(database.db, { email, password: PASSWORD }, NOW)).rejects.toMatchObject({
    code: 'INVALID_CREDENTIALS',
  });
});
