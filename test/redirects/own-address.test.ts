/** A redirect to its own address on a host of the website: every write and report gives the same answer. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { importFile, newHost, newWebsite } from '../surfaces/session-api/site.ts';

let detour: TestDetour;
let owner: TestAccount;
beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
});
afterAll(() => detour.stop());

/** A website's hosts, and redirects with the environments in which each is a loop. */
function siteWithCases() {
  const [own, staging, moved] = [newHost(), newHost(), newHost()];
  const cases: [from: string, to: string, environments: string[], loopsIn: string[]][] = [
    ['/a', `https://${own}/a`, ['production'], ['production']],
    ['/b', `https://${own}/b#part`, ['production'], ['production']],
    ['/%7ec', `https://${own.toUpperCase()}:443/~c`, ['production'], ['production']],
    ['/d?x=1', `https://${own}/d?x=1`, ['production'], ['production']],
    ['/e', `https://shop.${own}/e`, ['production'], ['production']],
    ['/f', `https://${staging}/f`, ['staging'], ['staging']],
    ['/g', `https://${staging}/g`, ['production', 'staging'], ['staging']],
    ['/h', `https://${staging}/h`, ['production'], []],
    ['/i', `https://${own}/i`, [], []],
    ['/j', `https://${moved}/j`, ['production'], []],
    ['/k', 'https://elsewhere.example.org/k', ['production'], []],
    ['/l', `https://${own}/l/other`, ['production'], []],
  ];
  const hosts = [
    { hostname: own, environment: 'production' },
    { hostname: `*.${own}`, environment: 'production' },
    { hostname: staging, environment: 'staging' },
    { hostname: moved, environment: 'production', redirect_to: { url: 'https://elsewhere.example.org' } },
  ];
  const allowed_target_hosts = [own, `shop.${own}`, staging, moved, 'elsewhere.example.org'];
  const entries = cases.map(([old_path, new_path, target_environments]) => ({
    old_path,
    new_path,
    target_environments,
  }));
  return { cases, entries, hosts, allowed_target_hosts };
}

const { cases: CASES, entries, hosts, allowed_target_hosts } = siteWithCases();
const LOOPS = CASES.filter(([, , , loopsIn]) => loopsIn.length > 0).map(([from]) => from);

type Failure = { code: string; index: number; line: number };

/** The paths of the errors, each of which must be a loop. */
function pathsOf(errors: Failure[], caseOf: (error: Failure) => (typeof CASES)[number] | undefined): string[] {
  expect(errors.filter(({ code }) => code !== 'REDIRECT_LOOP')).toEqual([]);
  return errors.map((error) => caseOf(error)?.[0] ?? 'unknown').sort();
}

const byIndex = ({ index }: Failure) => CASES[index];

describe('a redirect to its own address on a host of the website', () => {
  let id: number;
  beforeAll(async () => {
    id = await newWebsite(owner, { hosts, allowed_target_hosts });
  });

  test.each(CASES)(
    '%s to %s in %s: a check and a creation agree',
    async (old_path, new_path, environments, loopsIn) => {
      const codes = loopsIn.length > 0 ? ['REDIRECT_LOOP'] : [];
      const rule = { website_id: id, old_path, new_path, target_environments: environments.join(',') };
      const checked = await owner.call('POST', '/api/redirects/check', rule);
      expect(checked.body.issues.map(({ code }: Failure) => code)).toEqual(codes);
      const created = await owner.call('POST', '/api/redirects', rule);
      expect([created.status, created.body.code]).toEqual(codes.length > 0 ? [422, 'REDIRECT_LOOP'] : [201, undefined]);
      if (created.status !== 201) return;
      await owner.call('DELETE', `/api/redirects/${created.body.redirect.id}`);
    },
  );

  test.each([
    ['website_id first', (redirects: object[]) => ({ website_id: String(id), redirects })],
    ['website_id last', (redirects: object[]) => ({ redirects, website_id: String(id) })],
  ])('the bulk call says the same, with %s', async (_, bodyOf) => {
    const { body } = await owner.keyCall('POST', '/api/v1/redirects/bulk', { ...bodyOf(entries), dry_run: true });
    expect(pathsOf(body.errors, byIndex)).toEqual(LOOPS.toSorted());
    expect(body.summary.created).toBe(CASES.length - LOOPS.length);
  });

  test('a sync says the same', async () => {
    const path = `/api/v1/websites/${id}/redirects?dry_run=true`;
    const { body } = await owner.keyCall('PUT', path, { redirects: entries });
    expect(pathsOf(body.errors, byIndex)).toEqual(LOOPS.toSorted());
  });

  test('a CSV file says the same', async () => {
    // An empty cell of environments says nothing, so the draft is missing.
    const cases = CASES.filter(([, , environments]) => environments.length > 0);
    const rows = cases.map(([from, to, environments]) => `${from},${to},"${environments.join(',')}"`);
    const file = ['old_path,new_path,target_environments', ...rows].join('\n');
    const { body } = await importFile(owner, file, { website_id: String(id), dry_run: 'true' });
    expect(pathsOf(body.errors, ({ line }) => cases[line - 2])).toEqual(LOOPS.toSorted());
  });

  test('a JSON file says the same', async () => {
    const file = entries.map((entry) => JSON.stringify(entry)).join('\n');
    const { body } = await importFile(owner, file, { website_id: String(id), dry_run: 'true' });
    expect(pathsOf(body.errors, ({ line }) => CASES[line - 1])).toEqual(LOOPS.toSorted());
  });

  test('a change of an existing redirect says the same', async () => {
    const created = await owner.call('POST', '/api/redirects', { website_id: id, old_path: '/a', new_path: '/to' });
    const { id: redirectId } = created.body.redirect;
    const changed = await owner.call('PUT', `/api/redirects/${redirectId}`, { new_path: CASES[0]?.[1] });
    expect([changed.status, changed.body.code]).toEqual([422, 'REDIRECT_LOOP']);
    const bulk = { website_id: String(id), redirects: entries.slice(0, 1), dry_run: true };
    const { body } = await owner.keyCall('POST', '/api/v1/redirects/bulk', bulk);
    expect(pathsOf(body.errors, byIndex)).toEqual(['/a']);
  });
});

test('health reports the same of redirects that were stored before the website had the hosts', async () => {
  const site = siteWithCases();
  const id = await newWebsite(owner, { allowed_target_hosts: site.allowed_target_hosts });
  const stored = { website_id: String(id), redirects: site.entries };
  const bulk = (body: object) => owner.keyCall('POST', '/api/v1/redirects/bulk', body);
  expect((await bulk(stored)).body.summary.created).toBe(site.cases.length);
  expect((await owner.call('PUT', `/api/websites/${id}`, { hosts: site.hosts })).status).toBe(200);
  for (const environment of ['production', 'staging']) {
    const { body } = await owner.call('GET', `/api/websites/${id}/health?environment=${environment}`);
    const paths = body.loops.flatMap((each: { old_paths: string[] }) => each.old_paths);
    const expected = site.cases.filter(([, , , loopsIn]) => loopsIn.includes(environment)).map(([from]) => from);
    expect([environment, paths.sort()]).toEqual([environment, expected.toSorted()]);
  }
  // A single write does not reject a loop that it does not make.
  expect((await bulk(stored)).body.errors).toEqual([]);
});

test('every write stores a target on an own host as its path', async () => {
  const hostname = newHost();
  const site = await newWebsite(owner, { hosts: [{ hostname, environment: 'production' }] });
  const id = typeof site === 'number' ? site : (site as { id: number }).id;
  const to = (path: string) => `https://${hostname}${path}`;
  const created = await owner.call('POST', '/api/redirects', { website_id: id, old_path: '/c', new_path: to('/1') });
  expect([created.status, created.body.redirect?.new_path]).toEqual([201, '/1']);
  const path = `/api/v1/redirects/${created.body.redirect.id}`;
  expect((await owner.keyCall('PUT', path, { new_path: to('/2') })).body.redirect.new_path).toBe('/2');
  const entries = [{ old_path: '/b', new_path: to('/3') }];
  await owner.keyCall('POST', '/api/v1/redirects/bulk', { redirects: entries, website_id: String(id) });
  await owner.keyCall('POST', '/api/v1/redirects/bulk', {
    website_id: String(id),
    redirects: [{ old_path: '/p/(.*)', new_path: to('/q/$1'), is_regex: true }],
  });
  const { redirects } = (await owner.call('GET', `/api/redirects?website_id=${id}`)).body;
  const targets = redirects.map(({ new_path }: { new_path: string }) => new_path);
  expect(targets.toSorted()).toEqual(['/2', '/3', '/q/$1']);
  const same = { old_path: '/same', new_path: to('/same') };
  const refused = await owner.call('POST', '/api/redirects', { website_id: id, ...same });
  expect([refused.status, refused.body.code]).toEqual([422, 'VALIDATION_ERROR']);
});
