/** Notices as their users meet them: from a whole service, through receivers and an SMTP server on sockets. */
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type SmtpServer, startSmtpServer } from '../support/smtp-server.ts';
import { until } from '../support/wait.ts';

let smtp: SmtpServer;
let detour: TestDetour;
let owner: TestAccount;
let chat: Receiver;
beforeAll(async () => {
  smtp = await startSmtpServer();
  const mail = { SMTP_URL: smtp.url, MAIL_FROM: 'Detour <noreply@detour.example>' };
  detour = await startTestDetour({ ...mail, WEBHOOK_EGRESS: 'private' });
});
afterAll(async () => {
  await detour?.stop();
  await smtp?.stop();
});
beforeEach(async () => {
  owner = await detour.account();
  chat = await startReceiver();
});
afterEach(() => chat.stop());

const NOTICES = '/api/v1/notices';
const slack = () => ({ type: 'slack', url: chat.url });
const post = async (body: object) => {
  const { status, body: answer, text } = await owner.keyCall('POST', NOTICES, { name: 'Ops', ...body });
  expect(status, text).toBe(201);
  return answer.notice;
};
const mailsTo = (address: string) => smtp.mails.filter(({ to }) => to.includes(address));
const mailTo = (address: string, count = 1) => until(() => Promise.resolve(mailsTo(address)[count - 1]), 15_000);
let sites = 0;
async function website(options: object = {}) {
  const host = `notices${++sites}.example`;
  const body = { name: `Shop ${sites}`, hosts: [{ hostname: host, environment: 'production' }], ...options };
  const { body: answer, text } = await owner.keyCall('POST', '/api/v1/websites', body);
  expect(answer.website, text).toBeDefined();
  return { id: answer.website.id as string, host, name: body.name };
}
/** The text of the first message that arrived. */
async function reported(count = 1, withinMs = 15_000): Promise<string> {
  const requests = await chat.got(count, withinMs);
  return requests[count - 1]?.body ?? '';
}

test('a notice is created, read, changed and deleted; its URL is shown masked only, also in the audit log', async () => {
  const notice = await post({ channel: slack(), kinds: ['deployment.failed'] });
  const masked = `${new URL(chat.url).origin}/…`;
  expect(notice).toMatchObject({
    ...{ id: expect.stringMatching(/^ntc_/), name: 'Ops', channel: { type: 'slack', url: masked } },
    ...{ kinds: ['deployment.failed'], website_ids: null, is_active: true, status: 'active', time_zone: 'UTC' },
    ...{ last_success_at: null, failing_since: null, test_failed_at: null },
  });
  const path = `${NOTICES}/${notice.id}`;
  const { body: changed } = await owner.keyCall('PUT', path, { name: 'Night', kinds: ['urls.lost', 'quota.near'] });
  expect(changed.notice).toMatchObject({ name: 'Night', kinds: ['urls.lost', 'quota.near'], channel: notice.channel });
  expect((await owner.keyCall('GET', NOTICES)).body.notices).toEqual([changed.notice]);
  expect((await owner.call('GET', path, undefined, { 'x-detour-dashboard': '1' })).body.notice).toEqual(changed.notice);
  expect((await owner.keyCall('GET', '/api/webhooks')).body.webhooks).toEqual([]);
  expect((await owner.keyCall('GET', `/api/webhooks/${notice.id}`)).status).toBe(404);
  const { text: audit } = await owner.call('GET', '/api/audit');
  expect(audit).toContain('notice.created');
  expect(audit).not.toContain('/hook');
  const { rows } = await detour.db.execute(sql`select * from webhooks where id = ${notice.id}`);
  expect(JSON.stringify(rows)).not.toContain('/hook');
  expect((await owner.keyCall('DELETE', path)).status).toBe(200);
  expect((await owner.keyCall('GET', path)).body.code).toBe('NOTICE_NOT_FOUND');
  const other = await detour.account();
  expect((await other.keyCall('PUT', path, { name: 'Mine' })).body.code).toBe('NOTICE_NOT_FOUND');
});

test.each([
  [{ kinds: [] }, 422, 'kinds'],
  [{ kinds: ['urls.lost', 'urls.lost'] }, 422, 'kinds'],
  [{ kinds: ['nonsense'] }, 422, 'kinds'],
  [{ website_ids: [] }, 422, 'website_ids'],
  [{ website_ids: [2147483647] }, 422, 'website_ids'],
  [{ website_ids: ['2147483647'] }, 422, 'website_ids'],
  [{ website_ids: ['9999999999'] }, 422, 'website_ids'],
  [{ website_ids: ['x'] }, 422, 'website_ids'],
  [{ channel: { type: 'fax', url: 'https://chat.example/' } }, 422, 'channel.type'],
  [{ time_zone: 'Mars/Base' }, 422, 'time_zone'],
  [{ time_zone: '+01:00' }, 422, 'time_zone'],
  [{ channel: { type: 'email', to: 'a@b.example\nBcc: c@d.example' } }, 422, 'channel.to'],
  [{ channel: { type: 'email', to: '"x"@b.example' } }, 422, 'channel.to'],
  [{ channel: { type: 'slack', url: 'ftp://chat.example' } }, 422, 'channel.url'],
  [{ channel: { type: 'slack', url: 'https://chat.example/…' } }, 422, 'channel.url'],
  [{ channel: { type: 'slack', to: 'a@b.example' } }, 400, 'channel'],
])('%j is refused with %i, which names %s', async (change, status, field) => {
  const body = { name: 'Ops', channel: { type: 'slack', url: chat.url }, kinds: ['urls.lost'], ...change };
  const answer = await owner.keyCall('POST', NOTICES, body);
  expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(field)]);
  expect((await owner.keyCall('GET', NOTICES)).body.notices).toEqual([]);
});

test('its websites have string ids, as everything below /api/v1; numbers are accepted', async () => {
  const { id } = await website({});
  const notice = await post({ channel: slack(), kinds: ['urls.lost'], website_ids: [id] });
  expect(notice.website_ids).toEqual([id]);
  const put = (website_ids: unknown) => owner.keyCall('PUT', `${NOTICES}/${notice.id}`, { website_ids });
  expect((await put(null)).body.notice.website_ids).toBeNull();
  expect((await put([Number(id)])).body.notice.website_ids).toEqual([id]);
  await owner.keyCall('DELETE', `${NOTICES}/${notice.id}`);
});

test('a chat needs a plan with webhooks, an email does not', async () => {
  const pro = await detour.account('pro');
  const body = { name: 'Ops', channel: slack(), kinds: ['urls.lost'] };
  expect((await pro.keyCall('POST', NOTICES, body)).body.code).toBe('PLAN_REQUIRED');
  const email = { ...body, channel: { type: 'email', to: pro.email } };
  expect((await pro.keyCall('POST', NOTICES, email)).body.notice.status).toBe('active');
});

test('a failed deployment is reported, with one link; a second one within the hour is counted', async () => {
  await post({ channel: slack(), kinds: ['deployment.failed'] });
  const { id, name } = await website({ auto_deploy: false });
  const form = new FormData();
  form.set('website_id', id);
  form.set('file', new Blob(['old_path,new_path\n/a,/b\n/b,/a\n']), 'loop.csv');
  expect((await owner.call('POST', '/api/redirects/import', form)).status).toBe(200);
  await owner.keyCall('PUT', `/api/v1/websites/${id}`, { on_loop: 'fail' });
  const deploy = () => owner.keyCall('POST', '/api/v1/deployments', { website_id: id, environment: 'production' });
  expect((await deploy()).status).toBe(202);
  const message = await reported();
  expect(message).toContain(name);
  expect([...message.matchAll(/https?:[^"|>\\\s]+/g)].map(([url]) => url)).toEqual([
    expect.stringContaining(`http://localhost:3000/websites/${id}/deployments`),
  ]);
  await deploy();
  const counted = sql`select more from notice_causes where notice_id in (select id from notices where account_id = ${owner.accountId})`;
  await until(async () => (await detour.db.execute<{ more: number }>(counted)).rows[0]?.more === 1, 10_000);
  expect(chat.requests).toHaveLength(1);
});

test('an address of another person is asked first, by a link that a scanner may open; one POST unsubscribes it', async () => {
  const to = 'press@elsewhere.example';
  const notice = await post({ channel: { type: 'email', to }, kinds: ['webhook.disabled'] });
  expect(notice).toMatchObject({ status: 'unconfirmed', channel: { type: 'email', to } });
  const test = () => owner.keyCall('POST', `${NOTICES}/${notice.id}/test`, {});
  expect((await test()).body.code).toBe('CONFLICT');
  const confirm = /http:\/\/localhost:3000(\/mail\/confirm\S+)/.exec((await mailTo(to))?.text ?? '')?.[1] ?? '';
  const status = async () => (await owner.keyCall('GET', `${NOTICES}/${notice.id}`)).body.notice.status;
  const opened = await fetch(detour.address + confirm);
  expect([opened.status, await opened.text()]).toEqual([200, expect.stringContaining('<form method="post">')]);
  expect(await status()).toBe('unconfirmed');
  expect((await fetch(detour.address + confirm, { method: 'POST' })).status).toBe(200);
  expect(await status()).toBe('active');
  expect((await test()).body).toMatchObject({ delivered: true, status: 250, outcome: 'delivered' });
  const mail = await mailTo(to, 2);
  expect(mail?.headers['list-unsubscribe-post']).toBe('List-Unsubscribe=One-Click');
  const unsubscribe = /<http:\/\/localhost:3000(.*)>/.exec(mail?.headers['list-unsubscribe'] ?? '')?.[1] ?? '';
  expect((await fetch(detour.address + unsubscribe)).status).toBe(200);
  expect(await status()).toBe('active');
  const form = { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) };
  expect((await fetch(detour.address + unsubscribe, form)).status).toBe(200);
  expect(await status()).toBe('unsubscribed');
  expect((await test()).status).toBe(409);
  await owner.keyCall('PUT', `${NOTICES}/${notice.id}`, { channel: { type: 'email', to } });
  expect(await status()).toBe('unsubscribed');
  expect(await mailTo(to, 3)).toMatchObject({ headers: { subject: 'Confirm that Detour may write to you' } });
  // Another link of the same kind, or a changed one, does nothing.
  expect((await fetch(`${detour.address}${unsubscribe.replace('unsubscribe', 'confirm')}`, form)).status).toBe(410);
  expect((await fetch(`${detour.address}${unsubscribe.slice(0, -3)}`, form)).status).toBe(410);
});

test('an address is asked at most 3 times a day, over all accounts', async () => {
  const to = 'flooded@elsewhere.example';
  for (let i = 0; i < 4; i++) {
    const account = await detour.account();
    const body = { name: 'Ops', channel: { type: 'email', to }, kinds: ['urls.lost'] };
    expect((await account.keyCall('POST', NOTICES, body)).body.notice.status).toBe('unconfirmed');
  }
  await mailTo(to, 3);
  const { rows } = await detour.db.execute(
    sql`select mails from mail_counts where key like 'confirm %' and mails >= 3`,
  );
  expect(rows).toEqual([{ mails: 3 }]);
  expect(mailsTo(to)).toHaveLength(3);
});

test('an account without mails left today asks no address, and sends no test; other accounts do', async () => {
  const own = await post({ channel: { type: 'email', to: owner.email }, kinds: ['urls.lost'] });
  const test = () => owner.keyCall('POST', `${NOTICES}/${own.id}/test`, {});
  expect((await test()).body.delivered).toBe(true);
  await detour.db.execute(sql`update mail_counts set mails = 499 where key = ${`account ${owner.accountId}`}`);
  expect((await test()).body.delivered).toBe(true);
  const { status, headers, text } = await test();
  expect([status, text]).toEqual([429, expect.stringContaining('500 mails of the day')]);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  const to = 'stranger@elsewhere.example';
  const notice = { channel: { type: 'email', to }, kinds: ['urls.lost'] };
  expect((await post(notice)).status).toBe('unconfirmed');
  owner = await detour.account();
  await post(notice);
  await mailTo(to);
  expect(mailsTo(to)).toHaveLength(1);
});

test('the sixth test within an hour is 429, and the log shows the others without their text', async () => {
  const notice = await post({ channel: { type: 'discord', url: chat.url }, kinds: ['urls.lost'] });
  const test = () => owner.keyCall('POST', `${NOTICES}/${notice.id}/test`, {});
  const failedAt = async () => (await owner.keyCall('GET', `${NOTICES}/${notice.id}`)).body.notice.test_failed_at;
  chat.reply(404);
  expect((await test()).body).toMatchObject({ delivered: false, status: 404 });
  expect(await failedAt()).toEqual(expect.any(String));
  chat.reply(200);
  for (let i = 0; i < 4; i++) expect((await test()).body).toMatchObject({ delivered: true, status: 200 });
  expect(await failedAt()).toBeNull();
  const { status, headers } = await test();
  expect([status, Number(headers.get('retry-after')) > 3_500]).toEqual([429, true]);
  expect(JSON.parse(chat.requests[0]?.body ?? '{}')).toMatchObject({ allowed_mentions: { parse: [] } });
  const { body: page } = await owner.keyCall('GET', `${NOTICES}/${notice.id}/deliveries?limit=2`);
  expect(page.deliveries).toHaveLength(2);
  expect(page.deliveries[0]).toMatchObject({ kind: 'test', state: 'delivered', attempt_count: 1, last_status: 200 });
  expect(page.next_cursor).toMatch(/^whd_/);
});

test('a chat that is gone is failing until it is activated; a removed user must confirm', async () => {
  chat.reply(410);
  const notice = await post({ channel: slack(), kinds: ['webhook.disabled'] });
  await detour.db.execute(sql`
    insert into notice_signals (account_id, kind, data)
    values (${owner.accountId}, 'webhook.disabled', '{"webhook": "CRM", "webhookId": "wh_1", "reason": "gone"}')`);
  const read = async (id: string) => (await owner.keyCall('GET', `${NOTICES}/${id}`)).body.notice;
  await until(async () => (await read(notice.id)).status === 'failing', 15_000);
  expect(await read(notice.id)).toMatchObject({ is_active: true, failing_since: expect.any(String) });
  chat.reply(200);
  await owner.keyCall('PUT', `${NOTICES}/${notice.id}`, { is_active: true });
  await chat.got(2);
  await until(async () => (await read(notice.id)).last_success_at !== null, 15_000);
  expect(await read(notice.id)).toMatchObject({ status: 'active', failing_since: null });
  const { body } = await owner.call('POST', '/api/users', {
    ...{ email: `jo${sites}@example.com`, role: 'viewer', password: 'correct horse battery' },
  });
  const mail = await post({ channel: { type: 'email', to: body.user.email }, kinds: ['webhook.disabled'] });
  expect(mail.status).toBe('active');
  expect((await owner.call('DELETE', `/api/users/${body.user.id}`)).status).toBe(200);
  expect((await read(mail.id)).status).toBe('unconfirmed');
});

test('a webhook that is gone, lost URLs, and a quota are reported', async () => {
  await post({ channel: slack(), kinds: ['webhook.disabled', 'urls.lost'] });
  const gone = await startReceiver({ reply: 410 });
  await owner.keyCall('POST', '/api/webhooks', { name: 'Old CRM', url: gone.url, events: ['redirect.created'] });
  const { id, name } = await website();
  const body = { website_id: id, old_path: '/a', new_path: '/b', status_code: 301 };
  await owner.keyCall('POST', '/api/v1/redirects', body);
  expect(await reported()).toContain('Old CRM');
  await gone.stop();
  const push = (urls: string[]) =>
    owner.keyCall('PUT', `/api/v1/websites/${id}/urls/living?max_removed=100%25`, {
      urls: urls.map((url) => ({ url })),
    });
  const pushed = await push(['/one', '/two', '/three']);
  expect(pushed.status, pushed.text).toBe(200);
  expect((await push(['/one'])).status).toBe(200);
  const message = await reported(2, 60_000);
  expect(message).toContain(name);
  expect(message).toContain('2 lost URLs');
}, 90_000);

test('50 people who meet a missing path are reported within 60 seconds of the last one', async () => {
  const { host } = await website();
  await post({ channel: slack(), kinds: ['not_found.burst'] });
  const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' };
  for (let i = 0; i < 49; i++) await detour.visit(host, '/spring-sale', { headers });
  await detour.visit(host, '/other', { headers });
  await detour.visit(host, '/spring-sale', { headers });
  const startedAt = performance.now();
  const requests = await chat.got(2, 60_000);
  expect(performance.now() - startedAt).toBeLessThan(60_000);
  const text = requests.map(({ body }) => body).join('\n');
  expect(text).toContain('/spring-sale');
  expect(text).toContain('50 requests');
  expect(text).not.toContain('/other');
}, 90_000);
