/** The audit log: who reads it, its pages, its limits, and the same lines in the service's log. */
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { purgeAudit, recordAudit, recordRejection } from '../../src/accounts/audit.ts';
import { audit } from '../../src/db/schema/accounts.ts';
import { uuidv7 } from '../../src/platform/ids.ts';
import { DomainError } from '../../src/vocabulary/error.ts';
import type { Actor } from '../../src/vocabulary/actor.ts';
import { startTestApp, type TestApp, type TestOwner } from '../support/app.ts';

interface Entry {
  id: string;
  created_at: string;
  actor: { type: string; id: string; name: string };
  action: string;
  target: string | null;
  details: Record<string, unknown> | null;
  address: string | null;
  user_agent: string | null;
}

let detour: TestApp;
let owner: TestOwner;
let cookie: string;
const lines: Record<string, unknown>[] = [];
beforeAll(async () => {
  detour = await startTestApp({ onLog: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
  owner = await detour.account();
  cookie = await detour.cookieOf(owner.email);
});
afterAll(() => detour.close());

async function read(query = ''): Promise<{ entries: Entry[]; next_cursor: string | null }> {
  const answer = await detour.call('GET', `/api/audit${query}`, { cookie });
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json();
}

test('a change by a request has an entry with its client, and a line in the log', async () => {
  const created = await detour.call('POST', '/api/keys', {
    cookie,
    body: { name: 'CI', scope: 'read' },
    headers: { 'user-agent': 'curl/8' },
    remoteAddress: '192.0.2.7',
  });
  const { id, key } = created.json<{ api_key: { id: string; key: string } }>().api_key;
  const { entries } = await read('?action=api_key.created&limit=1');
  const expected = {
    created_at: '2030-05-15T12:00:01Z',
    actor: { type: 'user', id: String(owner.userId), name: owner.email },
    action: 'api_key.created',
    target: `CI (${id})`,
    details: { scope: 'read', expires_at: null },
    address: '192.0.2.7',
    user_agent: 'curl/8',
  };
  expect(entries).toEqual([{ id: expect.any(String), ...expected }]);
  const line = lines.find(({ action }) => action === 'api_key.created');
  expect(line).toMatchObject({ ...expected, audit: true, level: 30, account_id: owner.actor.accountId });
  expect(line?.['request_id']).toBe(created.headers['x-request-id']);
  expect(JSON.stringify([entries, line])).not.toContain(key);
});

test('only owners read it, and only that of their account', async () => {
  const editor = await detour.cookieOf((await owner.user('editor')).email);
  expect((await detour.call('GET', '/api/audit', { cookie: editor })).statusCode).toBe(403);
  const other = await detour.account();
  await recordAudit(detour.database.db, other.actor, { action: 'account.plan_changed', target: 'not yours' });
  expect(JSON.stringify(await read())).not.toContain('not yours');
});

test('pages follow each other without gaps, and a wrong cursor is 400', async () => {
  for (let n = 1; n <= 5; n++)
    await recordAudit(detour.database.db, owner.actor, { action: 'host.verified', target: `h${n}` });
  const targets: (string | null)[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page = await read(`?action=host.verified&limit=2${cursor && `&cursor=${cursor}`}`);
    targets.push(...page.entries.map(({ target }) => target));
    cursor = page.next_cursor;
  }
  expect(targets).toEqual(['h5', 'h4', 'h3', 'h2', 'h1']);
  expect((await detour.call('GET', '/api/audit?cursor=x', { cookie })).json()).toMatchObject({
    code: 'INVALID_PARAMETER',
  });
});

test('filters by actor and time, also as CSV of the account alone; wrong values are 400 by name', async () => {
  const { actor, email } = await detour.account();
  const session = await detour.cookieOf(email);
  const get = (query: string) => detour.call('GET', `/api/audit?${query}`, { cookie: session });
  const by = (name: string, time: string) => ({
    ...actor,
    name,
    origin: { address: '192.0.2.7', userAgent: '=cmd()', at: new Date(time), arrivedAt: 0, audited: [] },
  });
  const record = (name: string, time: string, target: string) =>
    recordAudit(detour.database.db, by(name, time), { action: 'host.verified', target, details: { n: 1 } });
  await record('a@example.com', '2030-05-01T10:00:00Z', 'first');
  await record('b@example.com', '2030-05-02T10:00:00Z', '+second, "quoted"');
  await record('a@example.com', '2030-05-03T10:00:00Z', 'third');
  await recordAudit(detour.database.db, owner.actor, { action: 'host.verified', target: 'not yours' });
  const targets = async (query: string) =>
    (await get(query)).json<{ entries: Entry[] }>().entries.map(({ target }) => target);
  const ofHosts = 'action=host.verified';
  expect(await targets(`${ofHosts}&actor=a@example.com`)).toEqual(['third', 'first']);
  expect(await targets(`${ofHosts}&since=2030-05-02T10:00:00Z`)).toEqual(['third', '+second, "quoted"']);
  expect(await targets(`${ofHosts}&until=2030-05-02T10:00:00Z`)).toEqual(['first']);
  expect(await targets(`actor=b@example.com&since=2030-05-01T00:00:00Z&until=2030-05-03T00:00:00Z`)).toHaveLength(1);

  const csv = await get(`${ofHosts}&until=2030-05-03T00:00:00Z&format=csv`);
  expect(csv.headers).toMatchObject({
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': 'attachment; filename="audit-log.csv"',
  });
  const [head, ...rows] = csv.body.trimEnd().split('\n');
  expect(head).toBe('created_at,actor_type,actor_id,actor,action,target,details,address,user_agent,id');
  const cells = (time: string, name: string, target: string) =>
    `${time},${actor.type},${actor.id},${name},host.verified,${target},"{""n"":1}",192.0.2.7, =cmd(),`;
  expect(rows.map((row) => row.slice(0, -36))).toEqual([
    cells('2030-05-02T10:00:00Z', 'b@example.com', '" +second, ""quoted"""'),
    cells('2030-05-01T10:00:00Z', 'a@example.com', 'first'),
  ]);
  expect((await get('format=csv')).body).not.toContain('not yours');

  for (const [query, name] of [
    ['since=yesterday', 'since'],
    ['until=2030-13-01T00:00:00Z', 'until'],
    ['since=2030-05-02T00:00:00Z&until=2030-05-02T00:00:00Z', 'since'],
    ['since=2030-05-02T00:00:00Z&until=2030-05-02T00:00:00Z&format=csv', 'since'],
    ['actor=%00', 'actor'],
    ['action=none', 'action'],
    ['format=xml', 'format'],
    ['format=csv&limit=5', 'limit'],
  ] as const) {
    const answer = await get(query);
    expect([query, answer.statusCode]).toEqual([query, 400]);
    expect(answer.json<{ details: string }>().details, query).toContain(name);
  }
});

test('a user gets 20 failed sign-ins an hour, and an entry that says that more are omitted', async () => {
  const { actor, user } = await detour.account();
  const other = await user('viewer');
  const failed = new DomainError('INVALID_CREDENTIALS', 'wrong');
  const at = (time: string, id = actor.id): Actor => ({
    ...actor,
    id,
    origin: { address: '192.0.2.7', userAgent: null, at: new Date(time), arrivedAt: 0, audited: [] },
  });
  const counts = async (): Promise<Record<string, number>> => {
    const rows = await detour.database.db.select().from(audit);
    const own = rows.filter(
      ({ accountId, action }) => accountId === actor.accountId && action.startsWith('user.sign_in'),
    );
    return Object.fromEntries(Object.entries(Object.groupBy(own, (row) => row.action)).map(([k, v]) => [k, v.length]));
  };
  for (let n = 0; n < 30; n++) await recordRejection(detour.database.db, at('2030-05-15T12:00:00Z'), failed);
  expect(await counts()).toEqual({ 'user.sign_in_failed': 20, 'user.sign_in_failures_omitted': 1 });
  await recordRejection(detour.database.db, at('2030-05-15T12:00:00Z', String(other.id)), failed);
  expect(await counts()).toEqual({ 'user.sign_in_failed': 21, 'user.sign_in_failures_omitted': 1 });
  await recordRejection(detour.database.db, at('2030-05-15T13:00:01Z'), failed);
  expect(await counts()).toEqual({ 'user.sign_in_failed': 22, 'user.sign_in_failures_omitted': 1 });
});

test('sign-ins and passwords that the lock rejects have entries', async () => {
  const { email, userId } = await detour.account();
  const session = await detour.cookieOf(email);
  const signIn = () => detour.call('POST', '/api/auth/sign-in', { body: { email, password: 'wrong password' } });
  const confirm = () =>
    detour.call('POST', '/api/auth/confirm', { cookie: session, body: { password: 'wrong password' } });
  for (const attempt of [signIn, confirm]) {
    for (let i = 0; i < 10; i++) await attempt();
    expect((await attempt()).statusCode).toBe(429);
  }
  const rows = await detour.database.db
    .select()
    .from(audit)
    .where(eq(audit.actorId, String(userId)));
  expect(rows.filter(({ action }) => action === 'user.sign_in_blocked')).toMatchObject([
    { actorName: email, address: '127.0.0.1', details: null },
    { actorName: email, details: { reason: 'wrong current password' } },
  ]);
});

test('entries are deleted after 400 days', async () => {
  const { actor } = await detour.account();
  const row = {
    accountId: actor.accountId,
    action: 'user.added',
    actorType: 'system',
    actorId: '',
    actorName: '',
  } as const;
  await detour.database.db.insert(audit).values([
    { ...row, id: uuidv7(), target: 'old', createdAt: new Date('2029-01-01T00:00:00Z') },
    { ...row, id: uuidv7(), target: 'kept', createdAt: new Date('2029-01-01T00:00:02Z') },
  ]);
  await purgeAudit(detour.database.db, new Date('2030-02-05T00:00:01Z'));
  const kept = await detour.database.db.select().from(audit);
  expect(
    kept.filter((one) => one.accountId === actor.accountId && one.action === row.action).map(({ target }) => target),
  ).toEqual(['kept']);
});

test('keys say who created them, and the removal of their creator revokes them and says so', async () => {
  const second = await owner.user('owner');
  const creator = await detour.cookieOf(second.email);
  const created = await detour.call('POST', '/api/keys', { cookie: creator, body: { name: 'theirs' } });
  const { api_keys: keys } = (await detour.call('GET', '/api/keys', { cookie })).json<{
    api_keys: { name: string; created_by: unknown }[];
  }>();
  const createdBy = { type: 'user', id: String(second.id), name: second.email };
  expect(keys.find(({ name }) => name === 'theirs')).toMatchObject({ created_by: createdBy, last_used_address: null });
  const removed = await detour.call('DELETE', `/api/users/${second.id}`, { cookie });
  expect(removed.json()).toEqual({ message: 'User removed; 1 API key that the user created is revoked' });
  const target = `theirs (${created.json().api_key.id})`;
  const { entries } = await read('?action=user.removed&limit=1');
  expect(entries[0]?.details).toEqual({ revoked_api_keys: [target] });
  expect((await read('?action=api_key.revoked&limit=1')).entries[0]?.target).toBe(target);
});
