/** GET /api/websites/{id}/health: the working state of an environment, its lists, counts and pages. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemActorByEmail } from '../../src/accounts/system-actor.ts';
import { reportHealth } from '../../src/health/report.ts';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { addRedirect, createSite, deploy } from '../support/site.ts';
import { expectStatus } from '../support/expect-status.ts';

let detour: TestDetour;
let owner: TestAccount;

beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
});

afterAll(() => detour.stop());

const healthOf = async (site: number, environment = 'production', cursor = '') => {
  const query = `environment=${environment}${cursor && `&cursor=${cursor}`}`;
  const { status, text, body } = await owner.call('GET', `/api/websites/${site}/health?${query}`);
  expectStatus({ status, text }, 200);
  return body;
};

/** Adds by the bulk call, which takes loops, and answers the ids by old_path. */
async function put(site: number, redirects: object[]): Promise<Record<string, number>> {
  const body = { website_id: String(site), redirects };
  const { status, body: answer } = await owner.keyCall('POST', '/api/v1/redirects/bulk', body);
  expect([status, answer.errors]).toEqual([200, []]);
  const list = (await owner.call('GET', `/api/redirects?website_id=${site}`)).body.redirects;
  return Object.fromEntries(list.map((each: { old_path: string; id: number }) => [each.old_path, each.id]));
}

const rule = (old_path: string, new_path: string | null, more: object = {}) => ({
  old_path,
  new_path,
  ...more,
});

const NOTHING = {
  counts: { loops: 0, chains: 0, shadowed: 0, duplicates: 0, broken_targets: 0 },
  loops: [],
  chains: [],
  shadowed: [],
  duplicates: [],
  next_cursor: null,
};

describe('the report', () => {
  test('of a website without redirects, or with none that meet, is empty', async () => {
    const site = await createSite(owner, []);
    expect(await healthOf(site)).toEqual(NOTHING);
    await put(site, [rule('/a', '/b'), rule('/c', '/b'), rule('/x/(.*)', '/y/$1', { is_regex: true })]);
    expect(await healthOf(site)).toEqual(NOTHING);
  });

  test('names loops, chains, shadowed rules and duplicates of what is not deployed yet', async () => {
    const site = await createSite(owner, ['health.example'], { auto_deploy: false });
    const before = [rule('/live', '/b'), rule('/b', '/c'), rule('/gone-soon', '/b')];
    await put(site, before);
    await deploy(owner, site);
    const id = await put(site, [
      rule('/Ä', '/round', { status_code: 302 }),
      rule('/round', '/Ä'),
      rule('/to-gone', '/on', { status_code: 302 }),
      rule('/on', '/gone'),
      rule('/gone', null, { status_code: 410 }),
      rule('/into', '/round'),
      rule('/live/', '/elsewhere'),
      rule('^/live$', '/never', { is_regex: true }),
      rule('/draft', '/b', { target_environments: [] }),
      rule('/staged', '/b', { target_environments: ['staging'] }),
    ]);
    await owner.call('DELETE', `/api/redirects/${id['/gone-soon']}`);
    expect(await healthOf(site)).toEqual({
      counts: { loops: 1, chains: 3, shadowed: 1, duplicates: 1, broken_targets: 0 },
      loops: [{ redirect_ids: [id['/Ä'], id['/round']], old_paths: ['/Ä', '/round'], hops: 2 }],
      chains: [
        { redirect_id: id['/live'], old_path: '/live', hops: 2, via: ['/b'], final_path: '/c', final_status: 301 },
        {
          redirect_id: id['/into'],
          old_path: '/into',
          hops: 3,
          via: ['/round', '/%C3%84'],
          final_path: null,
          final_status: null,
        },
        {
          redirect_id: id['/to-gone'],
          old_path: '/to-gone',
          hops: 2,
          via: ['/on'],
          final_path: '/gone',
          final_status: 410,
        },
      ],
      shadowed: [
        {
          redirect_id: id['^/live$'],
          old_path: '^/live$',
          new_path: '/never',
          by_redirect_id: id['/live'],
          by_old_path: '/live',
          by_new_path: '/b',
        },
      ],
      duplicates: [
        {
          redirect_ids: [id['/live'], id['/live/']],
          old_paths: ['/live', '/live/'],
          new_paths: ['/b', '/elsewhere'],
          count: 2,
        },
      ],
      next_cursor: null,
    });
    // One environment's redirects are nothing to another's.
    expect(await healthOf(site, 'staging')).toEqual(NOTHING);
    // The redirects as they are, whatever is live.
    await deploy(owner, site);
    expect((await healthOf(site)).counts).toEqual({
      loops: 1,
      chains: 3,
      shadowed: 1,
      duplicates: 1,
      broken_targets: 0,
    });
    await owner.call('PUT', `/api/websites/${site}`, { trailing_slash: 'exact' });
    expect((await healthOf(site)).counts.duplicates).toBe(0);
  });

  test('does not change what visitors get, and another process says the same', async () => {
    const host = 'same.example';
    const site = await createSite(owner, [host], { auto_deploy: false });
    await put(site, [rule('/a', '/b')]);
    await deploy(owner, site);
    await put(site, [rule('/a', '/z'), rule('/b', '/c'), rule('/z', '/b')]);
    const report = await healthOf(site);
    expect(report.counts.chains).toBe(2);
    expect((await detour.visit(host, '/a')).location).toBe('/b');
    const other = await detour.another();
    const answer = await fetch(`${other.address}/api/websites/${site}/health`, {
      headers: { cookie: owner.cookie },
    });
    expect(await answer.json()).toEqual(report);
  });

  test('shows twenty rules of a long loop and how many there are', async () => {
    const site = await createSite(owner, []);
    await put(
      site,
      Array.from({ length: 50 }, (_, i) => rule(`/p${i}`, `/p${(i + 1) % 50}`)),
    );
    const { loops } = await healthOf(site);
    expect([loops.length, loops[0].hops, loops[0].old_paths.length]).toEqual([1, 50, 20]);
    expect(loops[0].old_paths.slice(0, 2)).toEqual(['/p0', '/p1']);
    const first = await owner.call('GET', `/api/redirects/${loops[0].redirect_ids[1]}`);
    expect([loops[0].redirect_ids.length, first.body.redirect.old_path]).toEqual([20, '/p1']);
  });
});

describe('pages', () => {
  test('show every entry once, whatever is edited meanwhile, with the same counts', { timeout: 60_000 }, async () => {
    const site = await createSite(owner, [], { auto_deploy: false });
    const chains = Array.from({ length: 1_500 }, (_, i) => [rule(`/a${i}`, `/b${i}`), rule(`/b${i}`, `/c${i}`)]);
    const twins = Array.from({ length: 2_001 }, (_, i) => [rule(`/t${i}`, `/1`), rule(`/t${i}/`, `/2`)]);
    await put(site, [...chains.flat(), ...twins.flat()]);
    await deploy(owner, site);
    const seen = new Set<string>();
    const lengths: number[][] = [];
    let cursor = '';
    do {
      const page = await healthOf(site, 'production', cursor);
      expect(page.counts).toEqual({ loops: 0, chains: 1_500, shadowed: 0, duplicates: 2_001, broken_targets: 0 });
      for (const entry of [...page.chains, ...page.duplicates]) seen.add(JSON.stringify(entry));
      for (const { old_path } of page.chains) expect(old_path).toMatch(/^\/a\d+$/);
      for (const { old_paths, new_paths } of page.duplicates)
        expect([old_paths, new_paths]).toEqual([
          [old_paths[0], `${old_paths[0]}/`],
          ['/1', '/2'],
        ]);
      lengths.push([page.chains.length, page.duplicates.length]);
      cursor = page.next_cursor ?? '';
      await put(site, [rule(`/a${lengths.length}`, '/z'), rule(`/new${lengths.length}`, '/b1')]);
    } while (cursor !== '');
    expect(lengths).toEqual([
      [1_000, 1_000],
      [500, 1_000],
      [0, 1],
    ]);
    expect(seen.size).toBe(3_501);
  });

  test('continue from a process that does not serve the first version yet', async () => {
    const site = await createSite(owner, [], { auto_deploy: false });
    await put(site, Array.from({ length: 1_001 }, (_, i) => [rule(`/t${i}`, `/1`), rule(`/t${i}/`, `/2`)]).flat());
    await deploy(owner, site);
    const actor = await systemActorByEmail(detour.db, owner.email);
    const input = { websiteId: site, environment: 'production' } as const;
    const late = { db: detour.db, live: () => undefined };
    const { nextCursor } = await reportHealth(late, actor, input);
    expect((await healthOf(site, 'production', nextCursor ?? '')).duplicates).toHaveLength(1);
  });

  test('end with a change of the options or another list, and are rejected if invalid', async () => {
    const site = await createSite(owner, []);
    await put(site, Array.from({ length: 1_001 }, (_, i) => [rule(`/t${i}`, `/1`), rule(`/t${i}/`, `/2`)]).flat());
    const { next_cursor } = await healthOf(site);
    const refused = async (environment: string, cursor: string) => {
      const path = `/api/websites/${site}/health?environment=${environment}&cursor=${cursor}`;
      const { status, body } = await owner.call('GET', path);
      return [status, body.code];
    };
    expect(await refused('staging', next_cursor)).toEqual([400, 'INVALID_PARAMETER']);
    expect(await refused('production', 'bm9uZQ')).toEqual([400, 'INVALID_PARAMETER']);
    await owner.call('PUT', `/api/websites/${site}`, { case_sensitive: false });
    expect(await refused('production', next_cursor)).toEqual([400, 'INVALID_PARAMETER']);
  });
});

describe('who may ask', () => {
  test('404 for a website of another account, 400 for an unknown environment', async () => {
    const site = await createSite(owner, []);
    const stranger = await detour.account();
    const foreign = await stranger.call('GET', `/api/websites/${site}/health`);
    expect([foreign.status, foreign.body.code]).toEqual([404, 'WEBSITE_NOT_FOUND']);
    const unknown = await owner.call('GET', `/api/websites/${site}/health?environment=live`);
    expect([unknown.status, unknown.body.code]).toEqual([400, 'INVALID_PARAMETER']);
  });
});

test('a redirect that only this environment has is found with those of others beside it', async () => {
  const site = await createSite(owner, [], { auto_deploy: false });
  await addRedirect(owner, site, {
    old_path: '/a',
    new_path: '/b',
    target_environments: 'staging,development',
  });
  await addRedirect(owner, site, { old_path: '/b', new_path: '/c', target_environments: 'staging' });
  expect((await healthOf(site, 'staging')).counts.chains).toBe(1);
  expect((await healthOf(site, 'development')).counts.chains).toBe(0);
});
