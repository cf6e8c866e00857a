/** Export and deletion of an account with data in every table. */
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COMMANDS } from '../../src/admin/commands.ts';
import { loadConfig } from '../../src/platform/config/config.ts';
import { startTestDetour, type TestAccount, type TestDetour, visitAt } from '../support/detour.ts';
import { namedDay } from '../support/hits.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { addRedirect, createSite } from '../support/site.ts';
import { until } from '../support/wait.ts';

let detour: TestDetour;
let receiver: Receiver;
let owner: TestAccount;
let other: TestAccount;
let site: number;
beforeAll(async () => {
  [detour, receiver] = await Promise.all([startTestDetour({ WEBHOOK_EGRESS: 'private' }), startReceiver()]);
  [owner, other] = [await detour.account(), await detour.account()];
  site = await fill(owner, 'gone.example');
  await fill(other, 'kept.example');
});
afterAll(async () => {
  await detour?.stop();
  await receiver?.stop();
});

/** Creates a website with redirects, an import with an error, a webhook with a delivery, and a hit. */
async function fill(account: TestAccount, host: string): Promise<number> {
  const body = { name: 'all', url: receiver.url, events: ['redirect.created'] };
  expect((await account.keyCall('POST', '/api/webhooks', body)).status).toBe(201);
  const id = await createSite(account, [host]);
  await addRedirect(account, id, { old_path: '/a', new_path: '/b', notes: 'a "note"', group_id: 'g' });
  await addRedirect(account, id, { old_path: '/r/(.*)', new_path: '/s/$1', is_regex: true, status_code: 302 });
  const rows = [
    { old_path: '/x', new_path: '/y' },
    { old_path: '/y', new_path: 'bad target' },
  ];
  await account.keyCall('POST', `/api/v1/redirects/bulk`, { website_id: String(id), redirects: rows });
  await until(async () => (await detour.visit(host, '/a')).location === '/b');
  await until(async () => (await count('redirect_hits', 'website_id', id)) > 0);
  await until(async () => (await count('attempts', 'true', true)) > 0);
  return id;
}

async function count(table: string, column: string, value: unknown): Promise<number> {
  const { rows } = await detour.db.$client.query<{ n: number }>(
    `select count(*)::int as n from ${table} where ${column} = $1`,
    [value],
  );
  return rows[0]?.n ?? 0;
}

/** Tables with rows of the account, by its columns account_id and website_id. */
async function tablesOf({ accountId }: TestAccount, websiteId: number): Promise<string[]> {
  const { rows } = await detour.db.$client.query<{ table: string; column: string }>(`
    select c.table_name as table, c.column_name as column from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = current_schema() and t.table_type = 'BASE TABLE' and c.column_name in ('account_id', 'website_id')`);
  expect(rows.length).toBeGreaterThan(20);
  const found = new Set<string>();
  for (const { table, column } of rows) {
    const value = column === 'account_id' ? accountId : websiteId;
    if ((await count(table, column, value)) > 0) found.add(table);
  }
  return [...found];
}

const run = (name: string, flags: Record<string, string>) =>
  COMMANDS[name]?.run(detour.db, flags, loadConfig({ SECRET_KEY: Buffer.alloc(32, 7).toString('base64') }), {
    address: null,
    userAgent: null,
    at: new Date(),
    audited: [],
  });

/** The redirects of an export, without what another account assigns. */
function redirectsIn(folder: string): unknown[] {
  const [own = ''] = readdirSync(folder).filter((name) => name.startsWith('website-'));
  const lines = readFileSync(join(folder, own, 'redirects.ndjson'), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.map((line) => {
    const {
      id: _id,
      created_at: _at,
      deployed_to_prod: _deployed,
      ...redirect
    } = JSON.parse(line) as Record<string, unknown>;
    return redirect;
  });
}

test('an export is imported into a new account, with equal redirects and options', async () => {
  const base = mkdtempSync(join(tmpdir(), 'audit-export-'));
  await namedDay(detour.db, { websiteId: site, day: '2026-11-29', name: 'GPTBot', hits: 2, unmatched: 1 });
  await run('account export', { email: owner.email, out: join(base, 'one') });
  const own = join(base, 'one', `website-${site}`);
  const website = JSON.parse(readFileSync(join(own, 'website.json'), 'utf8')) as Record<string, unknown>;
  expect(website['hosts']).toEqual([{ hostname: 'gone.example', environment: 'production' }]);
  const sources = readFileSync(join(own, 'hit-sources.csv'), 'utf8');
  expect(sources).toMatch(/^day,environment,redirect_id,kind,name,hits\n/);
  expect(sources).toContain('2026-11-29,production,,agents,GPTBot,3\n');
  expect(readFileSync(join(own, 'hits.csv'), 'utf8')).toMatch(
    /^day,environment,redirect_id,hits,bot_hits,assistant_hits,unmatched\n\d{4}-\d\d-\d\d,production,\d+,1,/,
  );
  const account = readFileSync(join(base, 'one', 'account.json'), 'utf8');
  expect(account).toContain(owner.email);
  expect(account).not.toMatch(/argon2|whsec_|dtr_/);

  const heir = await detour.account();
  const made = await heir.call('POST', '/api/websites', { ...website, hosts: [] });
  expect(made.status, made.text).toBe(201);
  const answer = await fetch(`${detour.address}/api/v1/redirects/bulk?website_id=${made.body.website.id}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${heir.key}`, 'content-type': 'application/x-ndjson' },
    body: readFileSync(join(own, 'redirects.ndjson')),
  });
  expect(answer.status, await answer.text()).toBeLessThan(300);
  await run('account export', { email: heir.email, out: join(base, 'two') });
  expect(redirectsIn(join(base, 'two'))).toEqual(redirectsIn(join(base, 'one')));
  expect(redirectsIn(join(base, 'two'))).toHaveLength(3);
  await expect(run('account export', { email: owner.email, out: base })).rejects.toThrow('EEXIST');
});

test('an owner deletes the account with the password: it ends at once and leaves no row', async () => {
  const { db } = detour;
  const second = await detour.another();
  const invited = await owner.call('POST', '/api/invitations', { email: 'late@gone.example', role: 'owner' });
  const token = String(invited.body.invitation.url).split('#')[1];
  expect((await owner.call('DELETE', '/api/account', { password: 'wrong password' })).status).toBe(422);
  expect(await tablesOf(owner, site)).toEqual(expect.arrayContaining(['redirects', 'deliveries', 'imports', 'audit']));
  const answer = await owner.call('DELETE', '/api/account', { password: owner.password });
  expect([answer.status, answer.body]).toEqual([200, { message: 'Account deleted' }]);
  expect(answer.headers.get('set-cookie')).toMatch(/session-token=;/);
  expect((await owner.call('GET', '/api/account')).status).toBe(401);
  expect((await owner.keyCall('GET', '/api/v1/websites')).status).toBe(401);
  // An invited user would keep the rest of the account from being deleted.
  const password = 'correct horse battery';
  expect((await owner.call('POST', '/api/auth/accept-invitation', { token, password })).status).toBe(404);
  for (const address of [detour.address, second.address])
    await until(async () => (await visitAt(address, 'gone.example', '/a')).status !== 301);

  // The rows of a website stay for a minute, in which every process sees that it is gone.
  await db.$client.query(`update websites set deleting_since = now() - interval '1 hour' where id = $1`, [site]);
  await until(async () => (await count('accounts', 'id', owner.accountId)) === 0, 30_000);
  expect(await tablesOf(owner, site)).toEqual([]);
  expect(await count('import_errors', 'true', true)).toBe(1);
  expect((await detour.visit('kept.example', '/a')).location).toBe('/b');
});

test('the operator deletes an account that is named twice', async () => {
  expect(COMMANDS['account delete']?.check?.({ email: other.email, confirm: 'x' })).toMatch('--confirm');
  await run('account delete', { email: other.email, confirm: other.email });
  await until(async () => (await detour.visit('kept.example', '/a')).status !== 301);
  expect((await other.call('GET', '/api/account')).status).toBe(401);
});
