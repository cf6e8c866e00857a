/**
 * Mail about users, as people receive it: from a whole service, through an SMTP server on a socket. Holds the rules of
 * src/accounts/mail/link-mails.ts, outbox.ts and src/accounts/forgot-password.ts.
 */
import { sql } from 'drizzle-orm';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { PASSWORD, storeAccount } from '../support/account.ts';
import { send, startTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { type SmtpServer, startSmtpServer } from '../support/smtp-server.ts';
import { until } from '../support/wait.ts';

const FROM = 'Detour <noreply@detour.example>';
let smtp: SmtpServer;
let detour: TestDetour;
let owner: TestAccount;
beforeAll(async () => {
  smtp = await startSmtpServer();
  detour = await startTestDetour({ SMTP_URL: smtp.url, MAIL_FROM: FROM, TRUST_PROXY: '1' });
});
beforeEach(async () => void (owner = await detour.account()));
afterAll(async () => {
  await detour?.stop();
  await smtp?.stop();
});

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- responses of any shape
type AnyBody = any;

let clients = 0;
/** From another client each time, because one has 100 requests a minute. */
const post = (path: string, body: object, address = detour.address) =>
  send<AnyBody>(address, 'POST', path, body, { 'x-forwarded-for': `192.0.2.${++clients % 250}` });
const forgot = (email: string) => post('/api/auth/forgot-password', { email });
const linkOf = (text: string): string => /https?:\/\/\S+/.exec(text)?.[0] ?? '';
const tokenOf = (text: string): string => linkOf(text).split('#')[1] ?? '';
/** The first mails to the address. */
async function mailsTo(address: string, count = 1) {
  const found = () => smtp.mails.filter(({ to }) => to.includes(address));
  await until(() => Promise.resolve(found().length >= count), 10_000);
  return found();
}
const mailTo = async (address: string, count = 1) =>
  (await mailsTo(address, count))[count - 1] ?? expect.fail('no mail');

interface Row extends Record<string, unknown> {
  state: string;
  message: Buffer | null;
  last_status: number | null;
  last_error: string | null;
}

/** Deliveries of mail of the account, in order, without those that are pending or in flight if `ended`. */
async function deliveries({ ended = true } = {}): Promise<Row[]> {
  const read = async () =>
    (
      await detour.db.execute<Row>(
        sql`select state, message, last_status, last_error from deliveries where webhook_id = ${`mail_${owner.accountId}`} order by id`,
      )
    ).rows;
  const hasEnded = (rows: Row[]): boolean =>
    rows.length > 0 && rows.every(({ state }) => !/pending|sending/.test(state));
  return until(async () => {
    const rows = await read();
    return (!ended || hasEnded(rows)) && rows;
  });
}

test('an invitation is mailed with its link, and the link works', async () => {
  const email = 'new@invited.example';
  const { status, body } = await owner.call('POST', '/api/invitations', { email, role: 'editor' });
  expect([status, body.invitation.mailed]).toEqual([201, true]);
  const mail = await mailTo(email);
  expect([mail.from, mail.to]).toEqual(['noreply@detour.example', [email]]);
  expect(mail.headers).toMatchObject({
    from: FROM,
    to: email,
    subject: 'You are invited to Detour',
    'message-id': `<${body.invitation.id}@detour.example>`,
    'auto-submitted': 'auto-generated',
  });
  expect(linkOf(mail.text)).toBe(body.invitation.url);
  expect(mail.text).toContain(`${owner.email} invites you`);
  expect(mail.html).toContain(`<a class="button" href="${body.invitation.url}">`);
  expect(mail.html).toContain('prefers-color-scheme: dark');
  expect([...mail.html.matchAll(/https?:[^"<\s]+/g)].map(([url]) => url)).toEqual(Array(2).fill(body.invitation.url));
  expect((await post('/api/auth/accept-invitation', { token: tokenOf(mail.text), password: PASSWORD })).status).toBe(
    201,
  );
});

test('what is stored of a mail is sealed, and removed when it is delivered; no log has the link', async () => {
  const email = 'sealed@invited.example';
  smtp.reply('RCPT', '450 4.2.1 later');
  const { body } = await owner.call('POST', '/api/invitations', { email, role: 'viewer' });
  const token = tokenOf(body.invitation.url);
  const [waiting] = await until(async () => {
    const rows = await deliveries({ ended: false });
    return rows[0]?.last_status === 450 && rows;
  });
  expect(waiting).toMatchObject({ state: 'pending', last_error: 'the server replied with 450 4.2.1' });
  expect(waiting?.message?.toString('latin1')).not.toMatch(/invited\.example|http/);
  smtp.reply('RCPT', undefined);
  await mailTo(email);
  expect(await deliveries()).toMatchObject([{ state: 'delivered', message: null, last_status: 250 }]);
  for (const table of ['deliveries', 'attempts', 'audit', 'webhooks', 'events', 'invitations']) {
    const { rows } = await detour.db.execute(sql`select t::text as text from ${sql.identifier(table)} t`);
    expect(JSON.stringify(rows)).not.toContain(token);
  }
});

test('a mail that a 5xx reply rejects has failed: it is not sent again, and the quoted link is not stored', async () => {
  const email = 'rejected@invited.example';
  smtp.reply('DATA.', '554 5.7.1 spam: http://localhost:3000/invitation#secret');
  await owner.call('POST', '/api/invitations', { email, role: 'viewer' });
  expect(await deliveries()).toMatchObject([
    { state: 'failed', message: null, last_status: 554, last_error: 'the server replied with 554 5.7.1' },
  ]);
  smtp.reply('DATA.', undefined);
  const second = await owner.call('POST', '/api/invitations', { email: 'next@invited.example', role: 'viewer' });
  expect(second.body.invitation.mailed).toBe(true);
  await mailTo('next@invited.example');
  expect(smtp.mails.filter(({ to }) => to.includes(email))).toEqual([]);
});

test('a mail that waits is canceled when its link ends', async () => {
  smtp.reply('RCPT', '450 later');
  const input = { email: 'withdrawn@invited.example', role: 'viewer' };
  const { body } = await owner.call('POST', '/api/invitations', input);
  await until(async () => (await deliveries({ ended: false }))[0]?.last_status === 450);
  expect((await owner.call('DELETE', `/api/invitations/${body.invitation.id}`)).status).toBe(200);
  expect(await deliveries()).toMatchObject([{ state: 'canceled', message: null }]);
  smtp.reply('RCPT', undefined);
});

test('the 21st invitation of 24 hours is created with its link and not mailed; password resets do not count', async () => {
  const invite = (n: number) => owner.call('POST', '/api/invitations', { email: `n${n}@many.example`, role: 'viewer' });
  const { user } = (
    await owner.call('POST', '/api/users', { email: 'colleague@many.example', role: 'viewer', password: PASSWORD })
  ).body;
  const reset = () => owner.call('POST', `/api/users/${user.id}/password-reset`);
  expect((await reset()).body.password_reset.mailed).toBe(true);
  for (let n = 1; n <= 20; n++) expect((await invite(n)).body.invitation.mailed).toBe(true);
  const { status, body } = await invite(21);
  expect([status, body.invitation.mailed]).toEqual([201, false]);
  expect(body.invitation.url).toMatch(/\/invitation#[\w-]{43}$/);
  const last = (await reset()).body.password_reset;
  expect(last.mailed).toBe(true);
  expect(linkOf((await mailTo('colleague@many.example', 2)).text)).toBe(last.url);
  const other = await detour.account();
  const elsewhere = await other.call('POST', '/api/invitations', { email: 'n22@many.example', role: 'viewer' });
  expect(elsewhere.body.invitation.mailed).toBe(true);
  // The next test looks at all commands of the mail server.
  await mailTo('n22@many.example');
});

test('addresses that could add headers or recipients are 422, and nothing is sent', async () => {
  const before = smtp.commands.length;
  for (const email of [
    'a@b.example\r\nBcc: c@d.example',
    'a@b.example\nSubject: x',
    '"a b"@c.example',
    'a@b.example, c@d.example',
    'Name <a@b.example>',
    'a@[127.0.0.1]',
    'a@b.example>',
  ]) {
    const { status, body } = await owner.call('POST', '/api/invitations', { email, role: 'viewer' });
    expect([email, status, body.code]).toEqual([email, 422, 'VALIDATION_ERROR']);
  }
  expect(
    await detour.db.execute(sql`select from deliveries where webhook_id = ${`mail_${owner.accountId}`}`),
  ).toMatchObject({ rows: [] });
  expect(smtp.commands.slice(before)).toEqual([]);
});

test('a name with markup, of a user of an earlier version, stays text and makes no link', async () => {
  const name = `<img src=x onerror=alert(1)>"'&http://evil.example/${'long'.repeat(60)}\r\nBcc: x@y.example`;
  await detour.db.execute(sql`update users set email = ${name} where email = ${owner.email}`);
  await owner.call('POST', '/api/invitations', { email: 'escaped@invited.example', role: 'viewer' });
  const mail = await mailTo('escaped@invited.example');
  expect(mail.html).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;http:\u200b//evil.\u200bexample/');
  expect(mail.html).not.toContain('<img');
  const [shown = ''] = mail.text.split(' invites you');
  expect([...shown.replaceAll('\u200b', '')]).toHaveLength(200);
  expect(mail.raw).not.toMatch(/^Bcc:/im);
  expect(mail.to).toEqual(['escaped@invited.example']);
});

test('a forgotten password: a mailed link sets a new one; earlier links stop working', async () => {
  expect((await forgot(` ${owner.email.toUpperCase()} `)).status).toBe(202);
  const first = await mailTo(owner.email);
  expect(linkOf(first.text)).toMatch(/^http:\/\/localhost:3000\/reset-password#[\w-]{43}$/);
  expect((await forgot(owner.email)).status).toBe(202);
  const second = await mailTo(owner.email, 2);
  const accept = (text: string) =>
    post('/api/auth/accept-invitation', { token: tokenOf(text), password: 'a new password' });
  expect((await accept(first.text)).status).toBe(404);
  expect((await accept(second.text)).status).toBe(201);
  expect((await post('/api/auth/sign-in', { email: owner.email, password: 'a new password' })).status).toBe(200);
  expect((await owner.call('GET', '/api/auth/session')).status).toBe(401);
  const { rows } = await detour.db.execute(
    sql`select actor_type, target, address from audit where action = 'user.password_reset_requested' and account_id = ${owner.accountId}`,
  );
  expect(rows).toEqual(
    Array(2).fill({ actor_type: 'system', target: owner.email, address: expect.stringMatching(/^192\.0\.2\./) }),
  );
});

test('the fourth request for an email within an hour makes no mail', async () => {
  for (let n = 1; n <= 5; n++) expect((await forgot(owner.email)).status).toBe(202);
  await until(
    async () => (await detour.db.execute(sql`select from password_requests where email is not null`)).rows.length === 0,
  );
  await deliveries();
  // Earlier links end with the next request, so their mails may be canceled before they are sent.
  const { rows } = await detour.db.execute(
    sql`select from audit where action = 'user.password_reset_requested' and account_id = ${owner.accountId}`,
  );
  expect(rows).toHaveLength(3);
  expect((await mailsTo(owner.email)).length).toBeLessThanOrEqual(3);
});

test('requests for known and unknown emails get the same response in the same time', async () => {
  const known = Array.from({ length: 30 }, (_, n) => `known${n}@example.com`);
  for (const email of known) await storeAccount(detour.db, { email, plan: 'free' });
  const timed = async (email: string) => {
    const startedAt = performance.now();
    const { status, text, headers } = await forgot(email);
    return { ms: performance.now() - startedAt, seen: [status, text, [...headers.keys()]] };
  };
  const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
  const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] };
  for (const [n, email] of known.entries()) {
    const [yes, no] = [await timed(email), await timed(`unknown${n}@example.com`)];
    expect(no.seen).toEqual(yes.seen);
    times.known.push(yes.ms);
    times.unknown.push(no.ms);
  }
  const [yes, no] = [median(times.known), median(times.unknown)];
  console.log(`median of 30: known ${yes.toFixed(2)} ms, unknown ${no.toFixed(2)} ms`);
  expect(Math.abs(yes - no)).toBeLessThan(Math.max(3, yes / 2));
});

test('an invalid email is 202 too, and a missing one 400', async () => {
  expect((await forgot('not an email\r\nBcc: a@b.example')).status).toBe(202);
  expect((await post('/api/auth/forgot-password', {})).status).toBe(400);
});

test('a user with TOTP needs its code after a reset by mail', async () => {
  const { totp } = (await owner.call('POST', '/api/auth/totp')).body;
  const code = (ahead = 0) =>
    new TOTP({ secret: Secret.fromBase32(totp.secret) }).generate({ timestamp: Date.now() + ahead * 30_000 });
  expect((await owner.call('POST', '/api/auth/totp/confirm', { code: code() })).status).toBe(200);
  await forgot(owner.email);
  const token = tokenOf((await mailTo(owner.email)).text);
  const accept = (more: object) => post('/api/auth/accept-invitation', { token, password: 'a new password', ...more });
  expect((await accept({})).body.code).toBe('TOTP_REQUIRED');
  expect((await accept({ code: code(1) })).status).toBe(201);
});

test('the session says that mail is sent, also to signed-out clients', async () => {
  expect((await owner.call('GET', '/api/auth/session')).body.mail).toBe(true);
  const { status, body } = await send<AnyBody>(detour.address, 'GET', '/api/auth/session', undefined, {});
  expect([status, body.code, body.mail]).toEqual([401, 'UNAUTHORIZED', true]);
});

test('mail is no webhook: it is in no list, and a deleted account has none', async () => {
  await owner.call('POST', '/api/invitations', { email: 'hidden@invited.example', role: 'viewer' });
  await mailTo('hidden@invited.example');
  expect((await owner.keyCall('GET', '/api/webhooks')).body.webhooks).toEqual([]);
  expect((await owner.keyCall('GET', `/api/webhooks/mail_${owner.accountId}`)).status).toBe(404);
  expect((await owner.keyCall('GET', `/api/webhooks/mail_${owner.accountId}/deliveries`)).status).toBe(404);
  expect((await owner.call('DELETE', '/api/account', { password: PASSWORD })).status).toBe(200);
  expect((await detour.db.execute(sql`select from webhooks where account_id = ${owner.accountId}`)).rows).toEqual([]);
});

test('without mail, invitations have their link and a forgotten password is 202', async () => {
  const plain = await startTestDetour();
  const alone = await plain.account();
  const created = await alone.call('POST', '/api/invitations', { email: 'plain@invited.example', role: 'viewer' });
  expect([created.status, created.body.invitation.mailed]).toEqual([201, false]);
  expect((await post('/api/auth/forgot-password', { email: alone.email }, plain.address)).status).toBe(202);
  expect((await alone.call('GET', '/api/auth/session')).body.mail).toBe(false);
  expect((await plain.db.execute(sql`select from deliveries`)).rows).toEqual([]);
  await plain.stop();
});
