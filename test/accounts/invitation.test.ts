/**
 * Invitations and password resets as clients of surface C see them. Holds the rules of
 * src/accounts/accept-invitation.ts.
 */
import { eq } from 'drizzle-orm';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPasswordReset } from '../../src/accounts/invitation.ts';
import { purgeExpired } from '../../src/accounts/sign-in/session.ts';
import { invitations } from '../../src/db/schema/accounts.ts';
import { PASSWORD } from '../support/account.ts';
import { cookieFrom, type Method, startTestApp, type TestApp, type TestOwner } from '../support/app.ts';

let detour: TestApp;
let owner: TestOwner;
let cookie: string;
beforeAll(async () => {
  detour = await startTestApp();
  owner = await detour.account('business');
  cookie = await detour.cookieOf(owner.email);
});
afterAll(() => detour.close());

const invite = (email: string, role = 'editor') =>
  detour.call('POST', '/api/invitations', { cookie, body: { email, role } });
const accept = (token: string, password = PASSWORD) =>
  detour.call('POST', '/api/auth/accept-invitation', { body: { token, password } });
const read = (token: string) => detour.call('POST', '/api/auth/invitation', { body: { token } });
const tokenOf = (url: string): string => url.split('#')[1] ?? '';
const list = async () => (await detour.call('GET', '/api/invitations', { cookie })).json().invitations;

test('an invited person sets a password, once, and is signed in with the role of the invitation', async () => {
  const created = await invite(' New@Invited.Example ', 'viewer');
  expect(created.statusCode).toBe(201);
  const { url, mailed, ...shown } = created.json().invitation;
  expect(mailed).toBe(false);
  expect(shown).toEqual({
    id: expect.stringMatching(/^inv_/),
    email: 'new@invited.example',
    role: 'viewer',
    website_roles: null,
    invited_by: owner.email,
    created_at: '2030-05-15T12:00:01Z',
    expires_at: '2030-05-22T12:00:01Z',
  });
  expect(url).toMatch(/^http:\/\/localhost:3000\/invitation#[\w-]{43}$/);
  expect(await list()).toEqual([shown]);
  const { email, role, expires_at } = shown;
  const link = { email, role, is_reset: false, invited_by: owner.email, websites: [], website_count: 0, expires_at };
  expect((await read(tokenOf(url))).json()).toEqual({ invitation: link });
  expect((await accept(tokenOf(url), 'short')).json().issues[0].path).toBe('password');

  const accepted = await accept(tokenOf(url));
  expect([accepted.statusCode, accepted.json().user]).toMatchObject([
    201,
    { email: 'new@invited.example', role: 'viewer', plan: 'business' },
  ]);
  const session = await detour.call('GET', '/api/auth/session', { cookie: cookieFrom(accepted) });
  expect(session.json().user).toEqual({ ...accepted.json().user, website_roles: null });
  for (const again of [await accept(tokenOf(url)), await read(tokenOf(url))]) {
    expect([again.statusCode, again.json().code]).toEqual([404, 'INVITATION_NOT_FOUND']);
  }
  expect(await list()).toEqual([]);
});

test('of two concurrent uses of a link exactly one succeeds', async () => {
  const token = tokenOf((await invite('twice@invited.example')).json().invitation.url);
  const answers = await Promise.all([accept(token), accept(token)]);
  expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([201, 404]);
});

test('withdrawn, replaced and expired links do not work, and their tokens are stored as hashes', async () => {
  const first = (await invite('three@invited.example')).json().invitation;
  const second = (await invite('three@invited.example')).json().invitation;
  expect((await accept(tokenOf(first.url))).statusCode).toBe(404);
  const rows = await detour.database.db.select().from(invitations);
  expect(rows.map(({ tokenHash }) => tokenHash.length)).toEqual(rows.map(() => 32));
  expect(JSON.stringify(rows)).not.toContain(tokenOf(second.url));
  const withdraw = () => detour.call('DELETE', `/api/invitations/${second.id}`, { cookie });
  const other = await detour.account();
  const theirs = await detour.cookieOf(other.email);
  const foreign = await detour.call('DELETE', `/api/invitations/${second.id}`, { cookie: theirs });
  expect([foreign.statusCode, foreign.json().code]).toEqual([404, 'INVITATION_NOT_FOUND']);
  expect((await withdraw()).json()).toEqual({ message: expect.any(String) });
  expect((await withdraw()).statusCode).toBe(404);
  expect((await accept(tokenOf(second.url))).statusCode).toBe(404);

  const late = (await invite('late@invited.example')).json().invitation;
  detour.clock.advance(7 * 86_400_000);
  expect((await accept(tokenOf(late.url))).statusCode).toBe(404);
  expect(await list()).toEqual([]);
  await purgeExpired(detour.database.db, detour.clock.now());
  expect(await detour.database.db.$count(invitations)).toBe(0);
  cookie = await detour.cookieOf(owner.email);
});

test('a link names the websites that the invited person reaches, three at most', async () => {
  const fresh = await detour.account('business');
  const theirs = await detour.cookieOf(fresh.email);
  const ids: number[] = [];
  for (const name of ['Delta', 'Alpha', 'Gamma', 'Beta']) {
    const created = await detour.call('POST', '/api/websites', { cookie: theirs, body: { name } });
    ids.push(created.json().website.id);
  }
  const shown = async (roles: Record<string, string> | null) => {
    const body = { email: 'seen@invited.example', role: 'viewer', website_roles: roles };
    const { invitation } = (await detour.call('POST', '/api/invitations', { cookie: theirs, body })).json();
    const { websites, website_count: count } = (await read(tokenOf(invitation.url))).json().invitation;
    return { websites, count };
  };
  expect(await shown(null)).toEqual({ websites: ['Alpha', 'Beta', 'Delta'], count: 4 });
  expect(await shown({ [String(ids[2])]: 'editor' })).toEqual({ websites: ['Gamma'], count: 1 });
});

test('an email of another account is invited like any other; accepting says what to do and keeps the link', async () => {
  const other = await detour.account();
  const created = await invite(other.email);
  expect([created.statusCode, Object.keys(created.json().invitation)]).toEqual([
    201,
    ['id', 'email', 'role', 'website_roles', 'invited_by', 'created_at', 'expires_at', 'url', 'mailed'],
  ]);
  const refused = await accept(tokenOf(created.json().invitation.url));
  expect([refused.statusCode, refused.json().code]).toEqual([409, 'CONFLICT']);
  expect(refused.headers).not.toHaveProperty('set-cookie');
  expect((await detour.call('GET', '/api/account', { cookie: await detour.cookieOf(other.email) })).statusCode).toBe(
    200,
  );
  expect(await list()).toHaveLength(1);
  expect((await invite(owner.email)).statusCode).toBe(409);
});

test('an email address that mail servers do not take as it is written is 422', async () => {
  for (const email of ['"x\\"y"@b.example\n', '"x"@b.example', 'a@b.example\n']) {
    const refused = await invite(email);
    expect([refused.statusCode, refused.json().issues[0].path], email).toEqual([422, 'email']);
  }
});

test('an account has at most 100 open invitations', async () => {
  const fresh = await detour.account();
  const theirs = await detour.cookieOf(fresh.email);
  const statuses = new Set<number>();
  for (let i = 0; i < 101; i++) {
    const body = { email: `many${i}@invited.example`, role: 'viewer' };
    const answer = await detour.call('POST', '/api/invitations', { cookie: theirs, body });
    statuses.add(answer.statusCode);
    if (i === 100) expect(answer.json().code).toBe('TOO_MANY_ITEMS');
  }
  expect([...statuses]).toEqual([201, 422]);
});

test('a password reset sets a new password once within 24 hours, and ends the other sessions', async () => {
  const { email } = await detour.account();
  const theirs = await detour.cookieOf(email);
  const context = { publicUrl: 'https://detour.example', now: detour.clock.now() };
  const reset = (withoutTotp = false) => createPasswordReset(detour.database.db, { email, withoutTotp }, context);
  const [old, { url, expiresAt }] = [await reset(), await reset()];
  expect(url).toMatch(/^https:\/\/detour\.example\/reset-password#[\w-]{43}$/);
  expect(expiresAt.getTime() - detour.clock.now().getTime()).toBe(86_400_000);
  expect((await accept(tokenOf(old.url), 'another long one')).statusCode).toBe(404);
  const done = await accept(tokenOf(url), 'another long one');
  expect([done.statusCode, done.json().user.email]).toEqual([201, email]);
  expect((await detour.call('GET', '/api/auth/session', { cookie: theirs })).statusCode).toBe(401);
  expect((await detour.call('GET', '/api/auth/session', { cookie: cookieFrom(done) })).statusCode).toBe(200);
  await detour.cookieOf(email, 'another long one');
  expect((await accept(tokenOf(url), 'a third long one')).statusCode).toBe(404);
  const late = await reset();
  detour.clock.advance(86_400_000);
  expect((await accept(tokenOf(late.url), 'a third long one')).statusCode).toBe(404);
  await expect(
    createPasswordReset(detour.database.db, { email: 'none@example.com', withoutTotp: false }, context),
  ).rejects.toMatchObject({ code: 'USER_NOT_FOUND' });
});

test('an owner creates a reset link for a user of the account only, who keeps the password until it is used', async () => {
  cookie = await detour.cookieOf(owner.email);
  const { email } = await owner.user('editor');
  const theirs = await detour.cookieOf(email);
  const users = (await detour.call('GET', '/api/users', { cookie })).json().users;
  const { id } = users.find((each: { email: string }) => each.email === email);
  const reset = (by: string) => detour.call('POST', `/api/users/${id}/password-reset`, { cookie: by });
  expect((await reset(theirs)).statusCode).toBe(403);
  const other = await detour.account();
  expect((await reset(await detour.cookieOf(other.email))).json().code).toBe('USER_NOT_FOUND');
  const answer = await reset(cookie);
  const { password_reset: made } = answer.json();
  expect([answer.statusCode, made.user_id, made.email]).toEqual([201, id, email]);
  expect((await detour.call('GET', '/api/auth/session', { cookie: theirs })).statusCode).toBe(200);
  expect((await accept(tokenOf(made.url), 'another long one')).statusCode).toBe(201);
  expect((await detour.call('GET', '/api/auth/session', { cookie: theirs })).statusCode).toBe(401);
  await detour.cookieOf(email, 'another long one');
});

test('a change of the password or of TOTP ends an open reset link', async () => {
  const { email, userId } = await detour.account();
  const theirs = await detour.cookieOf(email);
  const context = { publicUrl: 'https://detour.example', now: detour.clock.now() };
  const call = (method: Method, path: string, body?: unknown) =>
    detour.call(method, `/api/auth/${path}`, { cookie: theirs, body });
  const totp = await call('POST', 'totp');
  const code = new TOTP({ secret: Secret.fromBase32(totp.json().totp.secret) });
  const changes = [
    () => call('POST', 'totp/confirm', { code: code.generate({ timestamp: detour.clock.now().getTime() }) }),
    () => call('DELETE', 'totp', { password: PASSWORD }),
    () => call('POST', 'password', { current_password: PASSWORD, new_password: 'another long one' }),
  ];
  for (const change of changes) {
    const { url } = await createPasswordReset(detour.database.db, { email, withoutTotp: false }, context);
    const changed = await change();
    expect(changed.statusCode, changed.body).toBe(200);
    expect((await accept(tokenOf(url), 'a third long one')).json().code).toBe('INVITATION_NOT_FOUND');
  }
  expect(await detour.database.db.$count(invitations, eq(invitations.userId, userId))).toBe(0);
});

test('the audit log has invitations, their use and resets', async () => {
  cookie = await detour.cookieOf(owner.email);
  const { entries } = (await detour.call('GET', '/api/audit?limit=1000', { cookie })).json();
  const actions = new Set(entries.map(({ action }: { action: string }) => action));
  expect([...actions]).toEqual(
    expect.arrayContaining(['invitation.created', 'invitation.revoked', 'invitation.accepted', 'user.signed_in']),
  );
});
