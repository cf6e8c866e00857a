import { afterAll, beforeAll, expect, test } from 'vitest';
import { authenticateKey } from '../../src/accounts/api-key.ts';
import { readCommandLine } from '../../src/admin/command.ts';
import { COMMANDS } from '../../src/admin/commands.ts';
import { readVisitorKey } from '../../src/hits/count/visitor.ts';
import { createSecretBox } from '../../src/platform/secret-box.ts';
import { purgeDeletedAccounts } from '../../src/websites/delete-account.ts';
import { loadConfig } from '../../src/platform/config/config.ts';
import { systemClock } from '../../src/platform/clock.ts';
import type { Origin } from '../../src/vocabulary/actor.ts';
import { type FreshDatabase, freshDatabase } from '../support/database.ts';

const CONFIG = loadConfig({
  PUBLIC_URL: 'https://detour.example',
  SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
});

const ORIGIN: Origin = { address: null, userAgent: null, at: systemClock.now(), audited: [] };
/** `isDone` of the last command. */
let outcome: boolean | undefined;

let database: FreshDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.close());

/** Returns the parsed output of the command with --json. */
async function run(line: string): Promise<Record<string, unknown>> {
  const invocation = readCommandLine(line.split(' '), COMMANDS);
  const command = invocation === 'help' ? undefined : COMMANDS[invocation.name];
  if (invocation === 'help' || !command) throw new Error('this is no command');
  const { json, text, isDone } = await command.run(database.db, invocation.flags, CONFIG, ORIGIN);
  outcome = isDone;
  expect(text).not.toContain('\n');
  return JSON.parse(JSON.stringify(json)) as Record<string, unknown>;
}

test('an account is created with its owner and a password that was made', async () => {
  expect(await run('account create --email One@Example.com --plan pro')).toEqual({
    account: { id: expect.any(Number), plan: 'pro' },
    user: { id: expect.any(Number), email: 'one@example.com', role: 'owner' },
    password: expect.stringMatching(/^\w{20}$/),
  });
});

test('a password that is given is the one', async () => {
  const line = 'account create --email two@example.com --plan free --password a-long-secret';
  expect(await run(line)).toMatchObject({ password: 'a-long-secret' });
});

test('user reset-password returns a link to set a new password', async () => {
  await run('account create --email reset@example.com --plan free');
  expect(await run('user reset-password --email Reset@example.com --totp off')).toEqual({
    password_reset: {
      user_id: expect.any(Number),
      email: 'reset@example.com',
      url: expect.stringMatching(/^https:\/\/detour\.example\/reset-password#[\w-]{43}$/),
      expires_at: expect.stringMatching(/Z$/),
    },
  });
  await expect(run('user reset-password --email none@example.com')).rejects.toThrow('User not found');
});

test('an address in use is refused and nothing is created', async () => {
  await expect(run('account create --email one@example.com --plan pro')).rejects.toThrow('taken');
});

test('a plan is changed by the address of any user of the account', async () => {
  await run('user add --account-email two@example.com --email viewer@example.com --role viewer');
  expect(await run('account set-plan --email viewer@example.com --plan business')).toEqual({
    account: { id: expect.any(Number), plan: 'business' },
  });
});

test('a user is added to the account that the address names', async () => {
  expect(await run('user add --account-email one@example.com --email three@example.com --role editor')).toEqual({
    user: { id: expect.any(Number), email: 'three@example.com', role: 'editor' },
    password: expect.stringMatching(/^\w{20}$/),
  });
});

test('a password is set again, and ends the sessions', async () => {
  const line = 'user set-password --email one@example.com';
  expect(await run(line)).toEqual({ email: 'one@example.com', password: expect.stringMatching(/^\w{20}$/) });
  expect(await run(`${line} --password correct-horse-battery`)).toEqual({ email: 'one@example.com' });
  await expect(run(`${line} --password short`)).rejects.toThrow('password');
});

test('a website is created with a host', async () => {
  expect(await run('website create --email one@example.com --name Shop --host shop.example')).toEqual({
    website: { id: expect.any(Number), name: 'Shop', hosts: [{ hostname: 'shop.example', environment: 'production' }] },
  });
});

test('a key works from its creation to its revocation', async () => {
  const { api_key: made } = await run('key create --email one@example.com --name ci');
  expect(made).toEqual({
    id: expect.stringMatching(/^key_/),
    name: 'ci',
    scope: 'write',
    key: expect.stringMatching(/^dtr_/),
    expires_at: null,
  });
  const { id, key } = made as { id: string; key: string };
  expect(await authenticateKey(database.db, key, systemClock.now())).toMatchObject({
    actor: { id, plan: 'pro' },
  });
  expect(await run(`key revoke --id ${id}`)).toEqual({
    api_key: { id, revoked_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) },
  });
  expect(await authenticateKey(database.db, key, systemClock.now())).toBeUndefined();
});

test('a key expires after as many days as were asked for', async () => {
  const before = systemClock.now().getTime();
  const { api_key: made } = await run('key create --email one@example.com --name short --scope read --expires-days 2');
  const expiresAt = Date.parse((made as { expires_at: string }).expires_at);
  expect(expiresAt).toBeGreaterThanOrEqual(before + 2 * 86_400_000 - 1_000);
  expect(expiresAt).toBeLessThanOrEqual(systemClock.now().getTime() + 2 * 86_400_000);
  expect(made).toMatchObject({ scope: 'read' });
});

test('a key is limited to the websites of --website', async () => {
  const { website } = await run('website create --email one@example.com --name limited');
  const { id } = website as { id: number };
  const { api_key: made } = await run(`key create --email one@example.com --name ci --website ${id}`);
  const { key, website_ids } = made as { key: string; website_ids: number[] };
  expect(website_ids).toEqual([id]);
  const found = await authenticateKey(database.db, key, systemClock.now());
  expect(found?.actor.websiteIds).toEqual([id]);
  await expect(run('key create --email one@example.com --name x --website 987654')).rejects.toThrow();
});

test.each([
  ['account set-plan --email unknown@example.com --plan pro', 'User not found'],
  ['user add --account-email unknown@example.com --email x@example.com --role viewer', 'User not found'],
  ['key create --email unknown@example.com --name x', 'User not found'],
  ['key revoke --id key_none', 'API key not found'],
])('%j is refused', async (line, message) => {
  await expect(run(line)).rejects.toThrow(message);
});

test('every change of a command is a line of the audit log', async () => {
  ORIGIN.audited.length = 0;
  await run('account create --email audited@example.com --plan pro');
  await run('account set-plan --email audited@example.com --plan business');
  await run('user reset-password --email audited@example.com');
  await run('key create --email audited@example.com --name audited');
  await run('account delete --email audited@example.com --confirm audited@example.com');
  const system = { type: 'system', id: '', name: 'system' };
  expect(ORIGIN.audited).toMatchObject(
    [
      'account.created',
      'account.plan_changed',
      'user.password_reset_requested',
      'api_key.created',
      'account.deleted',
    ].map((action) => ({ action, actor: system, address: null, account_id: expect.any(Number) })),
  );
});

test('the service logs a deletion by the command once, when it deletes the audit log', async () => {
  ORIGIN.audited.length = 0;
  await run('account create --email purged@example.com --plan pro');
  await run('account delete --email purged@example.com --confirm purged@example.com');
  const lines: unknown[] = [];
  const purge = async (): Promise<void> => {
    while (await purgeDeletedAccounts(database.db, (line) => void lines.push(line)));
  };
  await Promise.all([purge(), purge()]);
  expect(lines).toContainEqual(ORIGIN.audited.at(-1));
  expect(lines.filter((line) => JSON.stringify(line) === JSON.stringify(ORIGIN.audited.at(-1)))).toHaveLength(1);
});

test('secrets rotate is done only if every secret can be read, unless those that cannot are kept', async () => {
  const lost = createSecretBox({ secretKey: Buffer.alloc(32, 9), previousSecretKey: null });
  await readVisitorKey(database.db, lost);
  expect(await run('secrets rotate')).toMatchObject({ rotated: 0, unreadable: 1 });
  expect(outcome).toBe(false);
  await run('secrets rotate --unreadable keep');
  expect(outcome).toBe(true);
  expect(await run('secrets rotate --unreadable discard')).toMatchObject({ unreadable: 0, discarded: true });
  expect(outcome).toBe(true);
});

test('migrate on a migrated database changes nothing', async () => {
  expect(await run('migrate')).toEqual({ migrated: true });
});
