/**
 * POST /api/redirects/check: what a write would say, and where a redirect would lead, before it is written. Holds the
 * rules of src/redirects/draft/try-draft.ts.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';
import { addRedirect, createSite, settled } from '../../support/site.ts';
import { colleague, eventsOf, expectRefusal, newHost, redirectsOf } from '../../surfaces/session-api/site.ts';
import { expectStatus } from '../../support/expect-status.ts';

let detour: TestDetour;
let owner: TestAccount;
beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
});
afterAll(() => detour.stop());

/** A website with these redirects, each live. */
async function site(redirects: object[], options: Record<string, unknown> = {}) {
  const host = newHost();
  const id = await createSite(owner, [host], options);
  const ids: number[] = [];
  for (const redirect of redirects) {
    ids.push(await addRedirect(owner, id, { old_path: '/', new_path: '/', ...redirect }));
  }
  await settled(owner, id);
  const ask = async (fields: object) => {
    const answer = await owner.call('POST', '/api/redirects/check', { website_id: id, ...fields });
    expectStatus(answer, 200);
    return answer.body;
  };
  return { id, ids, host, ask };
}

const issue = (path: string, code: string) =>
  expect.objectContaining({ path, code, message: expect.stringMatching(/./) });

describe('what is wrong', () => {
  test.each([
    [{ old_path: 'x', new_path: '/y' }],
    [{ old_path: '/x', new_path: 'y' }],
    [{ old_path: '/x', new_path: null }],
    [{ old_path: '/x', new_path: '/y', status_code: 200 }],
    [{ old_path: '/x', new_path: '/y', status_code: 410 }],
    [{ old_path: '/x', new_path: 'https://elsewhere.example/y' }],
    [{ old_path: '/x(', new_path: '/y', is_regex: true }],
    [{ old_path: '/x(.*)', new_path: '/y/$2', is_regex: true }],
    [{ old_path: '/x', new_path: '/x' }],
    [{ old_path: '/x', new_path: '/loop' }],
    [{ old_path: 'x', new_path: 'y', group_id: 'a\u0007b', notes: 'a\u0000' }],
  ])('%j has the same issues as its creation', async (fields) => {
    const { id, ask } = await site([{ old_path: '/loop', new_path: '/x' }]);
    const refused = await owner.call('POST', '/api/redirects', { website_id: id, ...fields });
    expect(refused.status).toBe(422);
    expect((await ask(fields)).issues).toEqual(refused.body.issues);
  });

  test('a redirect that can be created has no issues, and the check writes nothing and publishes no event', async () => {
    const { id, ask } = await site([{ old_path: '/a', new_path: '/b' }]);
    const before = (await eventsOf(detour, owner, id)).length;
    expect(await ask({ old_path: '/x', new_path: '/y' })).toMatchObject({
      issues: [],
      taken_by: null,
      loops: [],
    });
    expect(await redirectsOf(owner, id)).toHaveLength(1);
    expect(await eventsOf(detour, owner, id)).toHaveLength(before);
  });

  test('a change is checked as a change: what it leaves out stays, and what it leaves as it was is not held against it', async () => {
    const { id, ids, ask } = await site(
      [
        { old_path: '/a', new_path: 'https://gone.example/', notes: 'n' },
        { old_path: '/c', new_path: '/d' },
      ],
      { allowed_target_hosts: ['gone.example'] },
    );
    await owner.call('PUT', `/api/websites/${id}`, { allowed_target_hosts: [] });
    const own = { id: ids[0], old_path: '/a' };
    expect((await ask({ ...own, new_path: 'https://gone.example/', notes: 'other' })).issues).toEqual([]);
    expect((await ask({ ...own, new_path: 'https://gone.example/x' })).issues).toEqual([
      issue('new_path', 'TARGET_HOST_NOT_ALLOWED'),
    ]);
    expect((await ask({ id: ids[1], old_path: '/c', status_code: 410 })).issues).toEqual([
      issue('new_path', 'TARGET_NOT_ALLOWED'),
    ]);
  });

  test('reports the limits that a write would exceed', async () => {
    const { id, ask } = await site([]);
    const patterns = Array.from({ length: 53 }, (_, index) => `/.*a${index}.*[xy]`);
    for (const old_path of patterns) await addRedirect(owner, id, { old_path, new_path: '/y', is_regex: true });
    expect((await ask({ old_path: '/.*b.*[xy]', new_path: '/y', is_regex: true })).issues).toEqual([
      issue('old_path', 'TOO_MANY_PATTERNS'),
    ]);
    expect((await ask({ old_path: '/blog/([^/]+)', new_path: '/y', is_regex: true })).issues).toEqual([]);
  });
});

describe('a path that is taken', () => {
  test('is reported with the existing redirect, for every spelling of the path', async () => {
    const { ids, ask } = await site([{ old_path: '/caf%C3%A9', new_path: '/x', group_id: 'menu' }]);
    const answer = await ask({ old_path: '/café', new_path: '' });
    expect(answer.taken_by).toMatchObject({
      id: ids[0],
      old_path: '/caf%C3%A9',
      group_id: 'menu',
      deployed_to_prod: expect.any(String),
    });
    expect(answer.canonical_old_path).toBe('/caf%C3%A9');
    expect(answer.trial).toBeNull();
    expect((await ask({ old_path: '/cafe', new_path: '/y' })).taken_by).toBeNull();
  });

  test('is not taken by the redirect that is changed', async () => {
    const { ids, ask } = await site([
      { old_path: '/a', new_path: '/x' },
      { old_path: '/b', new_path: '/x' },
    ]);
    expect((await ask({ id: ids[0], old_path: '/a', new_path: '/y' })).taken_by).toBeNull();
    expect((await ask({ id: ids[0], old_path: '/b', new_path: '/y' })).taken_by.id).toBe(ids[1]);
  });
});

describe('where it would lead', () => {
  test('each step to the end, the new redirect without an id', async () => {
    const { ids, ask } = await site([{ old_path: '/b', new_path: '/c', status_code: 302 }]);
    const { trial, now } = await ask({ old_path: '/a', new_path: '/b' });
    expect(now).toBeNull();
    expect(trial).toMatchObject({
      environment: 'production',
      path: '/a',
      query: null,
      result: 'fired',
      location: '/b',
      winner: null,
      hops: [
        { url: '/a', redirect_id: null, status_code: 301, location: '/b' },
        { url: '/b', redirect_id: ids[0], status_code: 302, location: '/c' },
      ],
      outcome: 'end',
      final_url: '/c',
    });
  });

  test('to a living page, or to one that no list has', async () => {
    const { id, ask } = await site([{ old_path: '/old-shop', new_path: '/shop' }]);
    const pageAt = async (new_path: string | null, more: object = {}) =>
      (await ask({ old_path: '/a', new_path, ...more })).trial.final_page;
    expect(await pageAt('/shop')).toBeNull();
    const push = (urls: string[]) =>
      owner.keyCall('PUT', `/api/v1/websites/${id}/urls/living?max_removed=100%25`, { urls });
    expectStatus(await push(['/shop', '/former']), 200);
    expectStatus(await push(['/shop', '/new']), 200);
    expect(await pageAt('/shop#top')).toBe('living');
    expect(await pageAt('/old-shop')).toBe('living');
    expect(await pageAt('/former')).toBe('removed');
    expect(await pageAt('/shpo')).toBe('unknown');
    expect(await pageAt('/shpo', { target_environments: 'staging' })).toBe('unknown');
    expect(await pageAt(null, { status_code: 410 })).toBeNull();
    await settled(owner, id);
    const urls = ['/old-shop', '/shop', '/former', '/x', '/gone'];
    const tested = await owner.call('POST', '/api/redirects/test', { website_id: id, urls });
    expect(tested.body.results.map((result: { final_page: string | null }) => result.final_page)).toEqual([
      ...['living', 'living', 'removed'],
      ...['unknown', 'unknown'],
    ]);
  });

  test('a pattern is tried on a path or an address of the website', async () => {
    const { host, ask } = await site([{ old_path: '/blog/2024/first', new_path: '/one' }]);
    const pattern = {
      old_path: '/blog/(\\d{4})/(?P<slug>.+)',
      new_path: '/articles/${slug}?year=$1',
      is_regex: true,
    };
    expect((await ask(pattern)).trial).toBeNull();
    const tried = async (try_path: string) => (await ask({ ...pattern, try_path })).trial;
    expect(await tried('/blog/2024/hello')).toMatchObject({
      result: 'fired',
      location: '/articles/hello?year=2024',
      final_url: '/articles/hello?year=2024',
    });
    expect(await tried(`https://${host}/blog/2023/x?y=1`)).toMatchObject({
      result: 'fired',
      path: '/blog/2023/x',
      query: 'y=1',
    });
    expect(await tried('/blog/latest')).toMatchObject({ result: 'unmatched', location: null, winner: null });
    expect(await tried('/blog/2024/first')).toMatchObject({
      result: 'beaten',
      location: '/articles/first?year=2024',
      winner: { old_path: '/blog/2024/first', location: '/one' },
    });
    expect((await ask({ ...pattern, try_path: 'https://elsewhere.example/blog/2024/x' })).issues).toEqual([
      issue('try_path', 'VALIDATION_ERROR'),
    ]);
  });

  test('reports the current rule before a target is given, and a change replaces its own rule', async () => {
    const { ids, ask } = await site([
      { old_path: '/shop/.*', new_path: '/store', is_regex: true },
      { old_path: '/a', new_path: '/b' },
      { old_path: '/b', new_path: '/c' },
    ]);
    const answer = await ask({ old_path: '/shop/sale', new_path: '' });
    expect(answer).toMatchObject({
      now: { redirect_id: ids[0], old_path: '/shop/.*', is_regex: true, location: '/store' },
      trial: null,
    });
    const moved = await ask({ id: ids[1], old_path: '/a2', new_path: '/b' });
    expect(moved.trial.hops.map((hop: { redirect_id: number }) => hop.redirect_id)).toEqual([ids[1], ids[2]]);
    expect((await ask({ id: ids[1], old_path: '/a', new_path: '/b' })).now).toBeNull();
    expect((await ask({ id: ids[2], old_path: '/b', new_path: '/a2' })).trial).toMatchObject({
      final_url: '/a2',
      outcome: 'end',
    });
  });

  test('a loop is named in each environment, also one through a pattern, which a write does not look for', async () => {
    const { ask } = await site([
      { old_path: '/p/(.*)', new_path: '/q/$1', is_regex: true, target_environments: 'production,staging' },
    ]);
    const answer = await ask({
      old_path: '/q/x',
      new_path: '/p/x',
      target_environments: 'production,staging,development',
    });
    expect(answer.issues).toEqual([]);
    expect(answer.loops).toEqual([
      { environment: 'production', endless: false, paths: ['/q/x', '/p/x', '/q/x'] },
      { environment: 'staging', endless: false, paths: ['/q/x', '/p/x', '/q/x'] },
    ]);
    expect(answer.trial.outcome).toBe('loop');
    const itself = await ask({ old_path: '/r/(.*)', new_path: '/r/x$1', is_regex: true, try_path: '/r/1' });
    expect(itself.trial.outcome).toBe('too-many');
  });

  test('a loop through a pattern is found without a path to try it on, also one that comes back to no address', async () => {
    const { ask } = await site([{ old_path: '/q/(.*)', new_path: '/p/$1', is_regex: true }]);
    const pattern = async (old_path: string, new_path: string) =>
      (await ask({ old_path, new_path, is_regex: true })).loops;
    expect(await pattern('/p/(.*)', '/q/$1')).toEqual([
      { environment: 'production', endless: false, paths: ['/q/x', '/p/x', '/q/x'] },
    ]);
    expect(await pattern('/r/(.*)', '/r/s/$1')).toEqual([
      { environment: 'production', endless: true, paths: ['/r/s/x', '/r/s/s/x', '/r/s/s/s/x'] },
    ]);
    expect(await pattern('/y/(\\d{4})', '/y/$1?again')).toEqual([]);
    expect(await pattern('/z/.*', '/z/home')).toEqual([]);
    expect(await pattern('/p/(.*)', '/elsewhere/$1')).toEqual([]);
  });

  test('a loop that is there without it is not its own', async () => {
    const { ask } = await site([
      { old_path: '/a/(.*)', new_path: '/b/$1', is_regex: true },
      { old_path: '/b/(.*)', new_path: '/a/$1', is_regex: true },
    ]);
    const { loops, trial } = await ask({ old_path: '/into', new_path: '/a/1' });
    expect([loops, trial.outcome]).toEqual([[], 'loop']);
  });

  test('where case is ignored, the loop over paths in another case is named too', async () => {
    const { ask } = await site([{ old_path: '/A', new_path: '/b' }], { case_sensitive: false });
    expect((await ask({ old_path: '/B', new_path: '/a' })).loops).toEqual([
      { environment: 'production', endless: false, paths: ['/a', '/b', '/a'] },
    ]);
  });
});

describe('who may ask', () => {
  test('a viewer may, another account does not learn that there is such a website or redirect', async () => {
    const { id, ids } = await site([{ old_path: '/a', new_path: '/b' }]);
    const viewer = await colleague(detour, owner, 'viewer');
    const fields = { website_id: id, old_path: '/a', new_path: '/b' };
    expect((await viewer.call('POST', '/api/redirects/check', fields)).status).toBe(200);
    const other = await detour.account();
    expectRefusal(await other.call('POST', '/api/redirects/check', fields), 404, 'WEBSITE_NOT_FOUND');
    expectRefusal(
      await other.call('POST', '/api/redirects/check', { id: ids[0], old_path: '/a' }),
      404,
      'REDIRECT_NOT_FOUND',
    );
    const elsewhere = await createSite(owner, [newHost()]);
    expectRefusal(
      await owner.call('POST', '/api/redirects/check', { id: ids[0], old_path: '/a', website_id: elsewhere }),
      422,
      'VALIDATION_ERROR',
      'website_id',
    );
  });
});
