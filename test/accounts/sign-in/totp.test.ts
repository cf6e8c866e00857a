/** The second factor as a client of surface C sees it. Holds the rules of src/accounts/sign-in/recovery-codes.ts. */
import { eq } from 'drizzle-orm';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createPasswordReset } from '../../../src/accounts/invitation.ts';
import { totpSecrets } from '../../../src/db/schema/accounts.ts';
import { PASSWORD } from '../../support/account.ts';
import { cookieFrom, startTestApp, type TestApp } from '../../support/app.ts';

let detour: TestApp;
beforeAll(async () => void (detour = await startTestApp()));
// A new minute for every test, or the rate limit would reject it.
beforeEach(() => detour.clock.advance(60_000));
afterAll(() => detour.close());

const signIn = (email: string, code?: string, password = PASSWORD) =>
  detour.call('POST', '/api/auth/sign-in', { body: { email, password, ...(code !== undefined && { code }) } });

/** The code that the app shows, `periods` of 30 s from now. */
const codeOf = (secret: string, periods = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({
    timestamp: detour.clock.now().getTime() + periods * 30_000,
  });

interface Protected {
  email: string;
  userId: number;
  cookie: string;
  secret: string;
  recoveryCodes: string[];
}

/** A user with TOTP. Its first code was used a minute ago. */
async function protect(): Promise<Protected> {
  const { email, userId } = await detour.account();
  const cookie = await detour.cookieOf(email);
  const started = await detour.call('POST', '/api/auth/totp', { cookie });
  const { secret } = started.json().totp;
  const confirmed = await detour.call('POST', '/api/auth/totp/confirm', { cookie, body: { code: codeOf(secret) } });
  detour.clock.advance(60_000);
  return { email, userId, cookie, secret, recoveryCodes: confirmed.json().recovery_codes };
}

const stateOf = async (cookie: string) =>
  (await detour.call('GET', '/api/auth/session', { cookie })).json().totp as object;

test('it is on only after a code confirmed it, and then signing in needs a code', async () => {
  const { email, userId } = await detour.account();
  const cookie = await detour.cookieOf(email);
  const start = () => detour.call('POST', '/api/auth/totp', { cookie });
  const confirm = (code: string) => detour.call('POST', '/api/auth/totp/confirm', { cookie, body: { code } });
  expect((await confirm('123456')).json().code).toBe('CONFLICT');
  const first = (await start()).json().totp.secret;
  const { secret, otpauth_url } = (await start()).json().totp;
  expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  expect(otpauth_url).toMatch(/^otpauth:\/\/totp\/Detour:owner\d+%40example\.com\?/);
  expect(otpauth_url).toContain(`secret=${secret}`);
  expect((await confirm(codeOf(first))).statusCode).toBe(422);
  expect((await signIn(email)).statusCode).toBe(200);

  const confirmed = await confirm(codeOf(secret));
  expect(confirmed.statusCode).toBe(200);
  expect(new Set(confirmed.json().recovery_codes).size).toBe(10);
  expect(await stateOf(cookie)).toEqual({ is_on: true, recovery_codes_left: 10 });
  expect((await start()).json().code).toBe('CONFLICT');
  const [row] = await detour.database.db.select().from(totpSecrets).where(eq(totpSecrets.userId, userId));
  expect(row?.secret.toString('latin1')).not.toContain(secret);

  const refused = await signIn(email);
  expect([refused.statusCode, refused.json().code]).toEqual([401, 'TOTP_REQUIRED']);
  expect(refused.headers).not.toHaveProperty('set-cookie');
  // A wrong password does not show that the user has TOTP.
  expect((await signIn(email, undefined, 'wrong password')).json().code).toBe('INVALID_CREDENTIALS');
});

test('codes of the previous, current and next period count, each once; older and later ones do not', async () => {
  const { email, secret } = await protect();
  const codes = [-2, 2, -1, -1, 0, 1, 1, 0].map((periods) => codeOf(secret, periods));
  const statuses: number[] = [];
  for (const code of codes) statuses.push((await signIn(email, code)).statusCode);
  expect(statuses).toEqual([401, 401, 200, 401, 200, 200, 401, 401]);
});

test('of two concurrent sign-ins with one code exactly one succeeds', async () => {
  const { email, secret } = await protect();
  const answers = await Promise.all([signIn(email, codeOf(secret)), signIn(email, codeOf(secret))]);
  expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 401]);
});

test('a recovery code counts once, whatever its case and hyphens', async () => {
  const { email, cookie, recoveryCodes } = await protect();
  const [code = ''] = recoveryCodes;
  expect(code).toMatch(/^[a-z2-9]{4}(-[a-z2-9]{4}){3}$/);
  expect((await signIn(email, ` ${code.toUpperCase().replaceAll('-', ' ')} `)).statusCode).toBe(200);
  const again = await signIn(email, code);
  expect([again.statusCode, again.json().code]).toEqual([401, 'INVALID_CREDENTIALS']);
  expect(await stateOf(cookie)).toEqual({ is_on: true, recovery_codes_left: 9 });
});

test('a right password without a code has an entry in the audit log, also if no sign-in follows', async () => {
  const { email, cookie } = await protect();
  expect((await signIn(email)).json().code).toBe('TOTP_REQUIRED');
  const { entries } = (await detour.call('GET', '/api/audit?limit=1', { cookie })).json();
  expect(entries).toMatchObject([{ action: 'user.sign_in_code_required', actor: { name: email } }]);
});

test('wrong codes are throttled like wrong passwords', async () => {
  const { email, secret } = await protect();
  for (let i = 0; i < 10; i++) expect((await signIn(email, `wrong-code-${i}`)).statusCode).toBe(401);
  expect((await signIn(email, codeOf(secret))).statusCode).toBe(429);
});

test('new recovery codes need the password and an unused code, and replace the former ones', async () => {
  const { email, cookie, secret, recoveryCodes } = await protect();
  const renew = (body: object) => detour.call('POST', '/api/auth/totp/recovery-codes', { cookie, body });
  const wrong = await renew({ password: 'not the password', code: codeOf(secret) });
  expect([wrong.statusCode, wrong.json().issues[0].path]).toEqual([422, 'password']);
  const badCode = await renew({ password: PASSWORD, code: recoveryCodes[0] });
  expect([badCode.statusCode, badCode.json().issues[0].path]).toEqual([422, 'code']);
  expect((await signIn(email, recoveryCodes[1])).statusCode).toBe(200);

  const renewed = await renew({ password: PASSWORD, code: codeOf(secret) });
  const fresh = renewed.json().recovery_codes;
  expect(new Set([...recoveryCodes, ...fresh]).size).toBe(20);
  expect(await stateOf(cookie)).toEqual({ is_on: true, recovery_codes_left: 10 });
  expect((await renew({ password: PASSWORD, code: codeOf(secret) })).statusCode).toBe(422);
  expect((await signIn(email, recoveryCodes[2])).statusCode).toBe(401);
  expect((await signIn(email, fresh[0])).statusCode).toBe(200);
  const { entries } = (await detour.call('GET', '/api/audit?action=user.recovery_codes_renewed', { cookie })).json();
  expect(entries).toMatchObject([{ actor: { name: email }, details: null }]);
});

test('codes for new recovery codes are throttled, also with the right password; without TOTP it is a conflict', async () => {
  const { cookie, secret } = await protect();
  const renew = (code: string) =>
    detour.call('POST', '/api/auth/totp/recovery-codes', { cookie, body: { password: PASSWORD, code } });
  for (let i = 0; i < 10; i++) expect((await renew('000000')).statusCode).toBe(422);
  expect((await renew(codeOf(secret))).statusCode).toBe(429);
  expect((await detour.call('DELETE', '/api/auth/totp', { cookie, body: { password: PASSWORD } })).statusCode).toBe(
    200,
  );
  expect((await renew(codeOf(secret))).json().code).toBe('CONFLICT');
});

test('turning it off needs the password, and removes the need for a code', async () => {
  const { email, cookie } = await protect();
  const off = (password: string) => detour.call('DELETE', '/api/auth/totp', { cookie, body: { password } });
  expect((await off('not the password')).statusCode).toBe(422);
  expect((await signIn(email)).json().code).toBe('TOTP_REQUIRED');
  expect((await off(PASSWORD)).json()).toEqual({ message: expect.any(String) });
  expect(await stateOf(cookie)).toEqual({ is_on: false, recovery_codes_left: 0 });
  expect((await signIn(email)).statusCode).toBe(200);
});

test('a password reset needs the code too, unless the operator turned TOTP off with it', async () => {
  const { email, secret } = await protect();
  const context = { publicUrl: 'http://localhost:3000', now: detour.clock.now() };
  const link = async (withoutTotp: boolean) =>
    (await createPasswordReset(detour.database.db, { email, withoutTotp }, context)).url.split('#')[1];
  const accept = (token: string | undefined, code?: string) =>
    detour.call('POST', '/api/auth/accept-invitation', {
      body: { token, password: 'another long one', ...(code !== undefined && { code }) },
    });
  const token = await link(false);
  expect((await accept(token)).json().code).toBe('TOTP_REQUIRED');
  expect((await signIn(email, codeOf(secret, -1))).statusCode).toBe(200);
  expect((await accept(token, codeOf(secret))).statusCode).toBe(201);
  const done = await accept(await link(true));
  expect(done.statusCode).toBe(201);
  expect(await stateOf(cookieFrom(done))).toEqual({ is_on: false, recovery_codes_left: 0 });
  const { entries } = (await detour.call('GET', '/api/audit', { cookie: cookieFrom(done) })).json();
  expect(entries.map(({ action }: { action: string }) => action).toReversed()).toEqual([
    'account.created',
    'user.signed_in',
    'user.totp_enabled',
    'user.password_reset_requested',
    'user.sign_in_code_required',
    'user.signed_in',
    'user.password_reset',
    'user.totp_disabled',
    'user.password_reset_requested',
    'user.password_reset',
  ]);
});
