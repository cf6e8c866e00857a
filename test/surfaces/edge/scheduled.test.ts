/** Redirects with a window: two processes serve each moment without a deployment, and every surface shows the window. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testClock } from '../../support/clock.ts';
import { startTestDetour, type TestAccount, type TestDetour, visitAt } from '../../support/detour.ts';
import { addRedirect, createSite, settled } from '../../support/site.ts';
import { until } from '../../support/wait.ts';

const HOST = 'sale.example';
/** The clock starts one second after noon. */
const FROM = '2030-05-15T12:00:10Z';
const UNTIL = '2030-05-15T12:00:20Z';

const clock = testClock();
let detour: TestDetour;
let owner: TestAccount;
let other: string;
let site: number;
let scheduled: number;

beforeAll(async () => {
  detour = await startTestDetour({}, { clock });
  owner = await detour.account();
  other = (await detour.another()).address;
  site = await createSite(owner, [HOST]);
  await addRedirect(owner, site, { old_path: '/s(.*)', new_path: '/rest', is_regex: true });
  scheduled = await addRedirect(owner, site, {
    old_path: '/sale',
    new_path: '/offers',
    active_from: '2030-05-15T14:00:10+02:00',
    active_until: UNTIL,
  });
  await settled(owner, site);
  // The second version decides how long the response of the first redirect may be cached. Either process published it.
  for (const at of [detour.address, other])
    await until(async () => (await visitAt(at, HOST, '/sale')).headers['cache-control'] === 'private, max-age=9');
});
afterAll(() => detour.stop());

/** The response of both processes, which must be the same. */
async function visit(path: string): Promise<[location: string | undefined, cacheControl: unknown]> {
  const [one, two] = [await detour.visit(HOST, path), await visitAt(other, HOST, path)];
  expect([two.status, two.location, two.headers['cache-control']]).toEqual([
    one.status,
    one.location,
    one.headers['cache-control'],
  ]);
  return [one.location, one.headers['cache-control']];
}

const body = async (method: string, path: string, sent?: unknown) => {
  const answer = await owner.call(method, path, sent);
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.body;
};

test('a redirect exists from its start, inclusive, to its end, exclusive, and no response is cached beyond either', async () => {
  expect(await visit('/sale')).toEqual(['/rest', 'private, max-age=9']);
  expect(await visit('/s')).toEqual(['/rest', 'private, max-age=90']);
  clock.set('2030-05-15T12:00:09.999Z');
  expect(await visit('/sale')).toEqual(['/rest', 'private, max-age=0']);
  clock.set(FROM);
  expect(await visit('/sale')).toEqual(['/offers', 'private, max-age=10']);
  expect(await visit('/sale/')).toEqual(['/offers', 'private, max-age=10']);
  clock.set('2030-05-15T12:00:19.999Z');
  expect(await visit('/sale')).toEqual(['/offers', 'private, max-age=0']);
  clock.set(UNTIL);
  expect(await visit('/sale')).toEqual(['/rest', 'private, max-age=90']);
  expect(await settled(owner, site)).toHaveLength(2);
});

test('the tester takes a time, on both surfaces, and says which redirects have a window', async () => {
  const tested = { url: '/sale', at: '2030-05-15T12:00:15Z' };
  const session = await body('POST', '/api/redirects/test', { website_id: site, ...tested });
  expect(session).toMatchObject({
    at: '2030-05-15T12:00:15Z',
    match: { redirect_id: scheduled, scheduled: true },
    beaten: [{ old_path: '/s(.*)', scheduled: false }],
    location: '/offers',
    final_url: '/offers',
    inactive: null,
  });
  const window = { active_from: FROM, active_until: UNTIL };
  for (const at of ['2030-05-15T12:00:09Z', UNTIL])
    expect(await body('POST', '/api/redirects/test', { website_id: site, url: '/sale', at })).toMatchObject({
      match: { old_path: '/s(.*)' },
      inactive: { redirect_id: scheduled, old_path: '/sale', location: '/offers', status_code: 301, ...window },
    });
  const list = { website_id: site, urls: ['/sale', '/rest'], at: UNTIL };
  expect((await body('POST', '/api/redirects/test', list)).results).toMatchObject([
    { inactive: { redirect_id: scheduled, location: '/offers', ...window } },
    { inactive: null },
  ]);
  const now = await body('POST', '/api/redirects/test', { website_id: site, url: '/sale' });
  expect(now).toMatchObject({ at: UNTIL, match: { scheduled: false }, beaten: [], location: '/rest' });
  const wrong = await owner.call('POST', '/api/redirects/test', { website_id: site, url: '/sale', at: 'noon' });
  expect([wrong.status, wrong.body.code]).toEqual([422, 'VALIDATION_ERROR']);
  expect(wrong.body.issues).toMatchObject([{ path: 'at', code: 'INVALID_SCHEDULE' }]);
});

test('a run of expectations and a test of many URLs take the moment; a version is exported with its windows', async () => {
  const expectations = [
    { url: '/sale', status_code: 301, location: '/offers' },
    { url: '/sale?', status_code: 301, location: '/rest' },
  ];
  await body('POST', `/api/websites/${site}/expectations`, { expectations });
  const results: unknown[] = [];
  for (const time of [FROM, UNTIL]) {
    clock.set(time);
    const { run, failures } = await body('POST', `/api/websites/${site}/expectations/run`, {});
    results.push([run.passed, failures.map(({ actual }: { actual: { location: string } }) => actual.location)]);
  }
  expect(results).toEqual([
    [1, ['/offers']],
    [1, ['/rest']],
  ]);
  await body('PUT', `/api/websites/${site}/expectations?max_delete=100%25`, { expectations: [] });
  const urls = ['/sale', '/s'];
  for (const [at, location] of [
    ['2030-05-15T12:00:15Z', '/offers'],
    [UNTIL, '/rest'],
  ]) {
    const tested = await body('POST', '/api/redirects/test', { website_id: site, urls, at, version: 2 });
    expect(tested.results.map((each: { location: string }) => each.location)).toEqual([location, '/rest']);
  }
  const file = `/api/v1/redirects/bulk/export?website_id=${site}&version=2`;
  const { redirects } = (await owner.keyCall('GET', file)).body;
  expect(redirects).toContainEqual(
    expect.objectContaining({ old_path: '/sale', active_from: FROM, active_until: UNTIL }),
  );
});

test('a check tries a redirect at its start, and takes every redirect of a loop as active', async () => {
  const later = { website_id: site, old_path: '/later', new_path: '/x', active_from: '2031-01-01T00:00:00Z' };
  const checked = await body('POST', '/api/redirects/check', later);
  expect(checked).toMatchObject({ issues: [], trial: { at: '2031-01-01T00:00:00Z', result: 'fired', location: '/x' } });
  const expired = { ...later, active_from: null, active_until: '2029-01-01T00:00:00Z' };
  expect(await body('POST', '/api/redirects/check', expired)).toMatchObject({ trial: { result: 'unmatched' } });
  const back = { website_id: site, old_path: '/offers', new_path: '/sale' };
  const loop = await body('POST', '/api/redirects/check', back);
  expect(loop.issues).toMatchObject([{ code: 'REDIRECT_LOOP' }]);
  expect(loop.loops).toMatchObject([{ paths: ['/offers', '/sale', '/offers'], scheduled: true }]);
});

test('writes keep what they do not send, and reject a window without time', async () => {
  const path = `/api/redirects/${scheduled}`;
  const { redirect } = await body('PUT', path, { active_until: '2030-05-15T12:00:30Z' });
  expect(redirect).toMatchObject({ id: scheduled, active_until: '2030-05-15T12:00:30Z' });
  expect((await body('GET', path)).redirect).toMatchObject({ active_from: FROM, active_until: '2030-05-15T12:00:30Z' });
  await settled(owner, site);
  await until(async () => (await visitAt(other, HOST, '/sale')).location === '/offers');
  expect(await visit('/sale')).toEqual(['/offers', 'private, max-age=10']);
  for (const [sent, field] of [
    [{ active_until: FROM }, 'active_until'],
    [{ active_from: '2030-05-15' }, 'active_from'],
  ] as const) {
    const wrong = await owner.call('PUT', path, sent);
    expect([wrong.status, wrong.body.issues]).toMatchObject([422, [{ path: field, code: 'INVALID_SCHEDULE' }]]);
  }
  const updates = { active_from: null, active_until: UNTIL };
  await body('POST', '/api/redirects/bulk-update', { redirectIds: [scheduled], updates });
  expect((await body('GET', path)).redirect).toMatchObject(updates);
  const { events } = await body('GET', `/api/events?website_id=${site}&limit=10`);
  const { id } = events.find(({ event }: { event: string }) => event === 'redirect.updated');
  const restored = await body('POST', '/api/redirects/restore', { website_id: site, event_id: id });
  expect(restored.redirect).toMatchObject({ active_from: FROM, active_until: '2030-05-15T12:00:30Z' });
});

test('imports and lossless exports keep the window; a server format reports it', async () => {
  const entry = { old_path: '/imported', new_path: '/x', active_from: FROM, active_until: UNTIL };
  const lines = [
    entry,
    { ...entry, old_path: '/never', active_until: FROM },
    { ...entry, old_path: '/b', active_from: 'b' },
  ];
  const imported = await owner.keyCall('POST', '/api/v1/redirects/bulk', {
    website_id: String(site),
    redirects: lines,
  });
  expect(imported.body).toMatchObject({
    summary: { created: 1, errors: 2 },
    errors: [
      { index: 1, code: 'INVALID_SCHEDULE' },
      { index: 2, code: 'INVALID_SCHEDULE' },
    ],
  });
  const oneBound = [{ old_path: '/imported', new_path: '/x', active_until: '2030-05-15T12:00:00Z' }];
  const late = await owner.keyCall('POST', '/api/v1/redirects/bulk', { website_id: String(site), redirects: oneBound });
  expect(late.body).toMatchObject({ summary: { updated: 0, errors: 1 }, errors: [{ code: 'INVALID_SCHEDULE' }] });

  const exportAs = async (format: string, more = '') =>
    owner.keyCall('GET', `/api/v1/redirects/bulk/export?website_id=${site}&format=${format}${more}`);
  const csv = (await exportAs('csv')).text;
  expect(csv).toContain(`,${FROM},${UNTIL},`);
  const copy = await createSite(owner, []);
  const form = new FormData();
  form.set('file', new Blob([csv]), 'export.csv');
  form.set('website_id', String(copy));
  await body('POST', '/api/redirects/import', form);
  const list = await body('GET', `/api/redirects?website_id=${copy}&schedule=any`);
  expect(list.redirects.map((each: { old_path: string }) => each.old_path).toSorted()).toEqual(['/imported', '/sale']);
  expect((await body('GET', `/api/redirects?website_id=${copy}&schedule=none`)).redirects).toHaveLength(1);
  expect(list.redirects.find((each: { old_path: string }) => each.old_path === '/imported')).toMatchObject({
    active_from: FROM,
    active_until: UNTIL,
  });
  const json = (await exportAs('json')).body as unknown as { redirects: Record<string, unknown>[] };
  expect(json.redirects.find(({ old_path }) => old_path === '/imported')).toMatchObject({
    active_from: FROM,
    active_until: UNTIL,
  });
  const nginx = await exportAs('nginx');
  expect([nginx.status, nginx.text]).toEqual([422, expect.stringContaining('active_from')]);
  expect((await exportAs('nginx', '&lossy=true')).text).toMatch(/# omitted: .* \/imported: .*active_until/);
});

test('health takes a redirect with a window as active, says so, and leaves chains through it as they are', async () => {
  const chained = await addRedirect(owner, site, { old_path: '/chain', new_path: '/imported' });
  const health = await body('GET', `/api/websites/${site}/health?environment=production`);
  expect(health.chains).toEqual([expect.objectContaining({ redirect_id: chained, scheduled: true })]);
  const flatten = { environment: 'production', dry_run: true };
  const { left } = await body('POST', `/api/websites/${site}/health/flatten`, flatten);
  expect(left).toMatchObject([{ redirect_id: chained, reason: 'SCHEDULED' }]);
  const diff = await body('GET', `/api/deployments/diff?website_id=${site}&environment=staging`);
  expect(diff.added).toEqual([]);
});
