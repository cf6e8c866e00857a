/**
 * The overview of a running service: each kind of item comes and goes. Holds the rules of src/overview/overview.ts,
 * account.ts, environments.ts, figures.ts, paths.ts, redirects.ts and waiting.ts.
 */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { lookForLostUrls } from '../../src/notices/watch/lost-urls.ts';
import { createSecretBox } from '../../src/platform/secret-box.ts';
import type { OverviewKind } from '../../src/vocabulary/overview.ts';
import { startTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { BROWSER } from '../support/hits.ts';
import { startReceiver } from '../support/receiver.ts';
import { storeTargetState } from '../support/target-states.ts';
import { until } from '../support/wait.ts';

let detour: TestDetour;
let owner: TestAccount;
let site: string;
let host: string;
beforeAll(async () => void (detour = await startTestDetour({ WEBHOOK_EGRESS: 'private' })));
afterAll(() => detour?.stop());
beforeEach(async () => {
  owner = await detour.account();
  ({ id: site, host } = await website());
});

let sites = 0;
async function website(options: object = {}, account = owner) {
  const hostname = `overview${++sites}.example`;
  const body = { name: `Shop ${sites}`, hosts: [{ hostname, environment: 'production' }], ...options };
  return { id: (await post('/websites', body, account)).website.id as string, host: hostname };
}
async function write(method: string, path: string, body: unknown, account = owner) {
  const { status, body: answer, text } = await account.keyCall(method, `/api/v1${path}`, body);
  expect(status, text).toBeLessThan(300);
  return answer;
}
const post = (path: string, body: unknown, account = owner) => write('POST', path, body, account);
const set = (fields: object) => write('PUT', `/websites/${site}`, fields);
const add = async (oldPath: string, fields: object = {}) =>
  (await post('/redirects', { website_id: site, old_path: oldPath, new_path: '/to', ...fields })).redirect;
const place = () => ({ website_id: site, environment: 'production' });
async function deploy() {
  const { deployment } = await post('/deployments', place());
  return until(async () => {
    const { body } = await owner.keyCall('GET', `/api/v1/deployments/${deployment.id}`);
    return ['completed', 'failed'].includes(body.deployment.status) && body.deployment;
  });
}
const live = (version: number) =>
  until(async () => {
    const { body } = await owner.keyCall('GET', `/api/v1/websites/${site}/environments`);
    return body.environments[0].live_version >= version && !body.environments[0].deploying;
  });

const asOwner = { 'sec-fetch-site': 'same-origin' };
/** As the dashboard of an owner reads it. */
async function overview(query = '') {
  const { status, body, text } = await owner.call('GET', `/api/v1/overview${query}`, undefined, asOwner);
  expect(status, text).toBe(200);
  return body;
}
const itemsOf = async (kind: OverviewKind) =>
  (await overview()).items.filter((item: { kind: string }) => item.kind === kind);
const comes = (kind: OverviewKind) => until(async () => (await itemsOf(kind))[0], 40_000);
const gone = (kind: OverviewKind) => until(async () => (await itemsOf(kind)).length === 0, 40_000);

test('nothing needs attention at first, and the week has zeros', async () => {
  const { items, websites, website_count: count } = await overview();
  expect([items, count]).toEqual([[], 1]);
  expect(websites).toEqual([
    {
      ...{ website_id: site, redirects: 0, hits: [0, 0, 0, 0, 0, 0, 0], hits_before: 0, not_found: 0 },
      last_change: null,
    },
  ]);
  await add('/a');
  const [figures] = (await overview()).websites;
  expect(figures).toMatchObject({ redirects: 1, last_change: { kind: 'create', old_path: '/a' } });
});

test('a deployment fails, is gated, and completes', async () => {
  await set({ auto_deploy: false });
  await add('/a', { new_path: '/b' });
  await deploy();
  await set({ on_loop: 'fail' });
  const back = await add('/b', { new_path: '/a' }).catch(() => undefined);
  expect(back).toBeUndefined();
  const form = new FormData();
  form.set('website_id', site);
  form.set('file', new Blob(['old_path,new_path\n/b,/a\n']), 'loop.csv');
  expect((await owner.call('POST', '/api/redirects/import', form)).status).toBe(200);
  const failed = await deploy();
  expect(await comes('deployment.failed')).toMatchObject({
    ...{ ...place(), count: 1, subject_id: failed.id, since: failed.created_at },
    subject: expect.stringContaining('REDIRECT_LOOP'),
  });
  await set({ on_loop: 'warn', gated_environments: ['production'] });
  const expectations = [{ url: '/z', environment: 'production', status_code: 410 }];
  await write('PUT', `/websites/${site}/expectations`, { expectations });
  const gated = await deploy();
  expect(await comes('deployment.gated')).toMatchObject({ subject_id: gated.id });
  expect(await itemsOf('deployment.failed')).toEqual([]);
  await set({ gated_environments: [] });
  await deploy();
  await gone('deployment.gated');
});

test('expectations fail in the last run, until one finds that they hold', async () => {
  const expectations = [
    { url: '/a', status_code: 301 },
    { url: '/b', environment: 'staging', status_code: 301 },
  ];
  await write('PUT', `/websites/${site}/expectations`, { expectations });
  expect(await itemsOf('expectations.failing')).toEqual([]);
  const run = (environment: string) => post(`/websites/${site}/expectations/run`, { environment });
  await run('production');
  await run('staging');
  expect(await itemsOf('expectations.failing')).toMatchObject([
    { ...place(), count: 1, count_is_at_least: false, subject: '/a', since: expect.any(String) },
    { website_id: site, environment: 'staging', count: 1, subject: '/b' },
  ]);
  await add('/a');
  await live(1);
  await run('production');
  expect(await itemsOf('expectations.failing')).toMatchObject([{ environment: 'staging' }]);
});

test('changes wait for a deployment: new, changed, deleted ones, not those that came back', async () => {
  await set({ auto_deploy: false });
  // An old website: its changes wait since the first of them.
  await detour.db.execute(sql`update websites set created_at = '2020-01-01' where id = ${Number(site)}`);
  const [a, b] = [await add('/a'), await add('/b')];
  await add('/draft', { target_environments: ['staging'] });
  const waiting = await comes('changes.waiting');
  expect(waiting).toMatchObject({ ...place(), count: 2, count_is_at_least: false });
  expect(Math.abs(Date.parse(waiting.since) - Date.parse(a.created_at))).toBeLessThan(2_000);
  await deploy();
  const ofProduction = async () =>
    (await itemsOf('changes.waiting')).filter(
      ({ environment }: { environment: string }) => environment === 'production',
    );
  expect(await ofProduction()).toEqual([]);
  await write('PUT', `/redirects/${a.id}`, { new_path: '/elsewhere' });
  await write('PUT', `/redirects/${a.id}`, { notes: 'only a note' });
  await add('/c');
  await write('DELETE', `/redirects/${b.id}`, undefined);
  expect(await ofProduction()).toMatchObject([{ count: 3 }]);
  const { body } = await owner.keyCall('GET', `/api/v1/websites/${site}/environments`);
  expect(body.environments[0].waiting_changes).toBe(3);
  await write('PUT', `/redirects/${a.id}`, { new_path: '/to' });
  expect(await ofProduction()).toMatchObject([{ count: 2 }]);
});

test('a rollback holds an environment, until it is deployed', async () => {
  await add('/a');
  await live(1);
  await add('/b');
  await live(2);
  await post('/deployments/rollback', { ...place(), version: 1 });
  expect(await comes('environment.held')).toMatchObject({ ...place(), since: expect.any(String) });
  expect(await comes('changes.waiting')).toMatchObject({ ...place(), count: 1 });
  await deploy();
  await gone('environment.held');
  expect(await itemsOf('changes.waiting')).toEqual([]);
});

test('pages are lost, also without a notice about them, until a redirect answers them', async () => {
  const push = (urls: string[]) => write('PUT', `/websites/${site}/urls/living`, urls);
  await push(['/old', '/kept']);
  await push(['/kept']);
  await add('/unrelated');
  await live(1);
  const pushedAgo = (seconds: number) =>
    detour.db.execute(sql`
      update url_lists set pushed_at = now() - ${seconds} * interval '1 s' where website_id = ${Number(site)}`);
  // A check often follows a push, so the count waits for 10 s.
  await pushedAgo(0);
  const secretBox = createSecretBox({ secretKey: Buffer.alloc(32), previousSecretKey: null });
  const deps = { secretBox, publicUrl: 'https://detour.example', now: new Date() };
  expect(await lookForLostUrls(detour.db, () => expect.unreachable('it counts too early'), deps)).toBe('idle');
  await pushedAgo(10);
  // A process counts when it starts, and then every 20 s.
  const counting = await detour.another();
  const lost = await comes('urls.lost');
  expect(lost).toMatchObject({ ...place(), count: 1 });
  expect(Math.abs(Date.parse(lost.since) - Date.now())).toBeLessThan(60_000);
  await counting.stop();
  // Changed accepted losses count at once.
  for (const accepted of [[{ glob: '/old', reason: 'Retired' }], []]) {
    await write('PUT', `/websites/${site}/urls/accepted`, { accepted });
    const again = await detour.another();
    await (accepted.length > 0 ? gone('urls.lost') : comes('urls.lost'));
    await again.stop();
  }
  await add('/old');
  await live(2);
  // It rests for a moment after a count.
  await detour.db.execute(sql`update lost_url_watches set claimed_until = null where website_id = ${Number(site)}`);
  await detour.another();
  await gone('urls.lost');
}, 90_000);

test('what lost URLs are counted from marks their count as stale, until it is counted again by the live version', async () => {
  const push = (urls: string[]) => write('PUT', `/websites/${site}/urls/living`, urls);
  await push(['/old', '/older', '/kept']);
  await write('PUT', `/websites/${site}/urls/living?max_removed=2`, ['/kept']);
  const { id: first } = await add('/old', { active_until: new Date(Date.now() + 86_400_000).toISOString() });
  await live(1);
  const ofSite = sql`where website_id = ${Number(site)}`;
  const secretBox = createSecretBox({ secretKey: Buffer.alloc(32), previousSecretKey: null });
  /** Counts the website, if it is due so many hours ahead, with rules of a version. The service never counts it. */
  const look = async (version: number, hours: number) => {
    const now = new Date(Date.now() + hours * 3_600_000);
    await detour.db.execute(sql`insert into lost_url_watches as w (website_id, environment, claimed_until)
      values (${Number(site)}, 'production', now() + interval '1 h') on conflict (website_id, environment)
      do update set claimed_until = greatest(w.claimed_until, excluded.claimed_until)`);
    await detour.db.execute(sql`update url_lists set pushed_at = now() - interval '10 s' ${ofSite}`);
    let counted = false;
    const count = async (_: unknown, { websiteId }: { websiteId: number }) => {
      counted ||= String(websiteId) === site;
      return { lost: 1, examples: [], version, durationMs: 10 };
    };
    const deps = { secretBox, publicUrl: 'https://detour.example', now };
    while ((await lookForLostUrls(detour.db, count, deps)) === 'more');
    await detour.db.execute(sql`update url_lists set pushed_at = now() ${ofSite}`);
    return counted;
  };
  const isStale = async () => (await comes('urls.lost')).count_is_stale;

  // This process has not loaded the version: its count would stay until the next deployment.
  expect(await look(0, 2)).toBe(true);
  expect(await itemsOf('urls.lost')).toEqual([]);
  expect(await look(1, 3)).toBe(true);
  expect(await isStale()).toBe(false);

  const changes: (() => Promise<unknown>)[] = [
    async () => {
      const body = {
        redirectIds: [Number(first)],
        updates: { replace_in_new_path: { find: '/to', replace_with: '/kept' } },
      };
      const { status, text } = await owner.call('POST', '/api/redirects/bulk-update', body);
      expect(status, text).toBe(200);
    },
    () => set({ trailing_slash: 'exact' }),
    () => write('POST', `/websites/${site}/urls/delete`, { filter: { q: 'older' } }),
    () =>
      detour.db.execute(
        sql`update redirects set active_until = date_trunc('second', now()) ${ofSite} and id = ${first}`,
      ),
  ];
  for (const [index, change] of changes.entries()) {
    await change();
    if (index === 0) await live(2);
    expect(await isStale(), `change ${index}`).toBe(true);
    expect(await look(2, index + 4), `change ${index}`).toBe(true);
    expect(await isStale(), `change ${index}`).toBe(false);
  }
});

test('targets are broken, redirects start and end soon, a host is not verified, an agent lags', async () => {
  const soon = new Date(Date.now() + 3 * 86_400_000).toISOString();
  const later = new Date(Date.now() + 9 * 86_400_000).toISOString();
  const broken = await add('/broken');
  const starting = await add('/starts', { active_from: soon });
  const ending = await add('/ends', { active_until: soon });
  await add('/later', { active_from: later, active_until: new Date(Date.now() + 20 * 86_400_000).toISOString() });
  const ofAll = { website_id: site, environment: null, count: 1, count_is_at_least: false };
  await storeTargetState(detour.db, Number(site), Number(broken.id), { state: 'dead' });
  expect(await itemsOf('targets.broken')).toMatchObject([
    { ...ofAll, environments: ['production'], subject: '/broken', subject_id: broken.id },
  ]);
  const inTest = await add('/broken-in-test', { target_environments: ['staging', 'development'] });
  await storeTargetState(detour.db, Number(site), Number(inTest.id), { state: 'dead' });
  expect(await itemsOf('targets.broken')).toMatchObject([
    { count: 2, environments: ['production', 'staging', 'development'] },
  ]);
  expect(await comes('redirect.starts_soon')).toMatchObject({ ...ofAll, subject_id: starting.id, subject: '/starts' });
  expect(await comes('redirect.ends_soon')).toMatchObject({ ...ofAll, subject_id: ending.id, subject: '/ends' });
  for (const { id } of [broken, inTest, starting, ending]) await write('DELETE', `/redirects/${id}`, undefined);
  await detour.db.execute(sql`update website_hosts set verified = false where website_id = ${Number(site)}`);
  expect(await itemsOf('host.unverified')).toMatchObject([{ ...place(), count: 1, subject: host }]);
  await detour.db.execute(sql`update website_hosts set verified = true where website_id = ${Number(site)}`);
  await detour.db.execute(sql`insert into feed_agents (website_id, environment, name, kind, version, last_seen_at)
    values (${Number(site)}, 'production', 'edge-1', 'agent', 1000, now() - interval '1 hour')`);
  expect(await itemsOf('agent.lagging')).toMatchObject([{ ...place(), count: 1, subject: 'edge-1' }]);
  await detour.db.execute(sql`delete from feed_agents where website_id = ${Number(site)}`);
  expect((await overview()).items).toEqual([]);
});

test('a window counts only if it is live, also after another undeployed change of its redirect', async () => {
  await set({ auto_deploy: false });
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  const starting = await add('/starts', { active_from: inDays(2) });
  await add('/ends', { active_until: inDays(2) });
  expect([...(await itemsOf('redirect.starts_soon')), ...(await itemsOf('redirect.ends_soon'))]).toEqual([]);
  await deploy();
  await add('/undeployed', { active_from: inDays(1), active_until: inDays(3) });
  const starts = [{ count: 1, count_is_at_least: false, subject: '/starts' }];
  expect(await itemsOf('redirect.starts_soon')).toMatchObject(starts);
  expect(await itemsOf('redirect.ends_soon')).toMatchObject([{ count: 1, subject: '/ends' }]);
  await write('PUT', `/redirects/${starting.id}`, { new_path: '/elsewhere' });
  expect(await itemsOf('redirect.starts_soon')).toMatchObject(starts);
  await write('PUT', `/redirects/${starting.id}`, { active_from: inDays(3) });
  expect(await itemsOf('redirect.starts_soon')).toEqual([]);
});

test('redirects loop in the live version, until another one is deployed', async () => {
  await set({ auto_deploy: false });
  await add('/a', { new_path: '/b' });
  const form = new FormData();
  form.set('website_id', site);
  form.set('file', new Blob(['old_path,new_path\n/b,/a\n']), 'loop.csv');
  expect((await owner.call('POST', '/api/redirects/import', form)).status).toBe(200);
  expect(await itemsOf('loops.live')).toEqual([]);
  const { deployed_at: since } = await deploy();
  const looping = { ...place(), count: 2, count_is_at_least: false, subject: '/a', since };
  expect(await itemsOf('loops.live')).toMatchObject([looping]);
  await add('/other');
  await deploy();
  // The age is that of the loop, not of the last deployment.
  expect(await itemsOf('loops.live')).toMatchObject([{ count: 2, subject: '/a', since }]);
  const { redirects } = (await owner.call('GET', `/api/redirects?website_id=${site}&q=/b`)).body;
  const [{ id }] = redirects.filter((each: { old_path: string }) => each.old_path === '/b');
  await write('PUT', `/redirects/${id}`, { new_path: '/c' });
  expect(await itemsOf('loops.live')).toHaveLength(1);
  await deploy();
  expect(await itemsOf('loops.live')).toEqual([]);
});

test('unmatched paths that people request, until a redirect answers them', async () => {
  await add('/a');
  await live(1);
  for (let i = 0; i < 12; i++) await detour.visit(host, '/gone', { headers: { 'user-agent': BROWSER } });
  expect(await comes('not_found.paths')).toMatchObject({ ...place(), count: 1, hits: 12, subject: '/gone' });
  expect((await overview()).websites[0].not_found).toBe(12);
  await add('/gone');
  await gone('not_found.paths');
});

test('a move is open, also when its rows are decided, a webhook fails, a key ends, a quota is near', async () => {
  const { move } = await post(`/websites/${site}/moves`, {
    name: 'Relaunch',
    from: { urls: ['/x', '/y'] },
    to: { urls: ['/z'] },
  });
  expect(await itemsOf('move.open')).toMatchObject([
    { website_id: site, subject: 'Relaunch', subject_id: move.id, count: 2 },
  ]);
  await write('PUT', `/websites/${site}/moves/${move.id}/rows`, { filter: {}, decision: 'gone' });
  expect(await itemsOf('move.open')).toMatchObject([{ subject_id: move.id, count: 0 }]);
  await write('DELETE', `/websites/${site}/moves/${move.id}`, undefined);
  const receiver = await startReceiver({ reply: 410 });
  const hook = { name: 'Shop system', url: receiver.url, events: ['redirect.created'] };
  const { webhook } = (await owner.keyCall('POST', '/api/webhooks', hook)).body;
  await add('/hook');
  expect(await comes('webhook.failing')).toMatchObject({
    subject: 'Shop system',
    subject_id: webhook.id,
    website_id: null,
  });
  await owner.keyCall('DELETE', `/api/webhooks/${webhook.id}`);
  await receiver.stop();
  const channel = { type: 'slack', url: 'https://1.1.1.1/in' };
  const { notice } = await post('/notices', { name: 'Operations', channel, kinds: ['urls.lost'] });
  await detour.db.execute(sql`update webhooks set failing_since = now() where id = ${notice.id}`);
  expect(await itemsOf('notice.failing')).toMatchObject([{ subject: 'Operations', subject_id: notice.id }]);
  await write('DELETE', `/notices/${notice.id}`, undefined);
  const expiresAt = new Date(Date.now() + 5 * 86_400_000).toISOString();
  const { status } = await owner.call('POST', '/api/keys', { name: 'CI', scope: 'read', expires_at: expiresAt });
  expect(status).toBe(201);
  expect(await itemsOf('key.ends_soon')).toMatchObject([{ subject: 'CI', count: 1, since: expect.any(String) }]);
  await detour.db.execute(sql`update websites set redirects = 19000000 where id = ${Number(site)}`);
  expect(await itemsOf('quota.near')).toMatchObject([{ subject: 'redirects', count: 19_000_000, website_id: null }]);
  const ofWebsite = await overview(`?website_id=${site}`);
  expect(ofWebsite.items).toEqual([]);
  const { items } = (await owner.keyCall('GET', '/api/v1/overview')).body;
  expect(items.map(({ kind }: { kind: string }) => kind)).toEqual(['quota.near']);
});

test('other accounts, and websites that a key does not reach, never appear', async () => {
  const soon = new Date(Date.now() + 86_400_000).toISOString();
  await add('/first', { active_until: soon });
  const second = await website();
  await post('/redirects', { website_id: second.id, old_path: '/second', new_path: '/to', active_until: soon });
  await until(async () => (await itemsOf('redirect.ends_soon')).length === 2);
  const stranger = await detour.account();
  expect((await stranger.keyCall('GET', '/api/v1/overview')).body).toEqual({
    ...{ items: [], item_count: 0, websites: [], website_count: 0 },
  });
  expect((await stranger.keyCall('GET', `/api/v1/overview?website_id=${site}`)).body.code).toBe('WEBSITE_NOT_FOUND');
  const limited = { name: 'limited', scope: 'read', website_ids: [Number(second.id)] };
  const { body: created, text } = await owner.call('POST', '/api/keys', limited);
  expect(created.api_key, text).toBeDefined();
  const { body } = await owner.call('GET', '/api/v1/overview', undefined, {
    authorization: `Bearer ${created.api_key.key}`,
    cookie: '',
  });
  expect(body.websites.map(({ website_id: id }: { website_id: string }) => id)).toEqual([second.id]);
  expect(body.items.map(({ subject }: { subject: string }) => subject)).toEqual(['/second']);
});
