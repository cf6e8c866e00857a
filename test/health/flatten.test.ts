/**
 * POST /api/websites/{id}/health/flatten: what is written, what is left and why, and that it happens wholly or not at
 * all. Holds the rules of src/health/plan-flattening.ts.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { addRedirect, createSite, deploymentsOf, settled } from '../support/site.ts';
import { colleague } from '../surfaces/session-api/site.ts';
import { expectStatus } from '../support/expect-status.ts';

let detour: TestDetour;
let owner: TestAccount;
let sites = 0;

beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
});

afterAll(() => detour.stop());

const newHost = () => `flat${++sites}.example`;

const flatten = async (site: number, more: object = {}) => {
  const body = { environment: 'production', ...more };
  const { status, text, body: answer } = await owner.call('POST', `/api/websites/${site}/health/flatten`, body);
  expectStatus({ status, text }, 200);
  return answer;
};

const targets = async (site: number): Promise<Record<string, string | null>> => {
  const { redirects } = (await owner.call('GET', `/api/redirects?website_id=${site}`)).body;
  return Object.fromEntries(
    redirects.map((each: { old_path: string; new_path: string | null }) => [each.old_path, each.new_path]),
  );
};

const add = (site: number, old_path: string, new_path: string, more: object = {}) =>
  addRedirect(owner, site, { old_path, new_path, ...more });

test('a viewer may make a dry run, and no more', async () => {
  const site = await createSite(owner, [newHost()]);
  const viewer = await colleague(detour, owner, 'viewer');
  const call = (dry_run: boolean) =>
    viewer.call('POST', `/api/websites/${site}/health/flatten`, { environment: 'production', dry_run });
  expect((await call(true)).status).toBe(200);
  expect([(await call(false)).status, (await call(false)).body.code]).toEqual([403, 'INSUFFICIENT_ROLE']);
});

test('redirect_ids flattens those chains only, and ignores other redirects', async () => {
  const site = await createSite(owner, [newHost()]);
  const [a] = [await add(site, '/a', '/b'), await add(site, '/b', '/c')];
  const end = await add(site, '/c', '/end');
  expect(await flatten(site, { redirect_ids: [a, end, 999_999_999] })).toMatchObject({ updated: 1, left_count: 0 });
  expect(await targets(site)).toEqual({ '/a': '/end', '/b': '/c', '/c': '/end' });
  const none = { environment: 'production', redirect_ids: [] };
  const refused = await owner.call('POST', `/api/websites/${site}/health/flatten`, none);
  expect([refused.status, refused.body.issues[0].path]).toEqual([422, 'redirect_ids']);
});

test('a dry run lists each change', async () => {
  const site = await createSite(owner, [newHost()]);
  const [a, b] = [await add(site, '/a', '/b'), await add(site, '/b', '/c')];
  await add(site, '/c', '/end');
  expect(await flatten(site, { dry_run: true })).toMatchObject({
    updated: 2,
    changes: [
      { redirect_id: a, old_path: '/a', before: '/b', after: '/end' },
      { redirect_id: b, old_path: '/b', before: '/c', after: '/end' },
    ],
  });
  expect(await targets(site)).toEqual({ '/a': '/b', '/b': '/c', '/c': '/end' });
});

describe('flattening', () => {
  test('sends every redirect of a chain straight to its end, and deploys that', async () => {
    const host = newHost();
    const site = await createSite(owner, [host]);
    const [a, b] = [
      await add(site, '/a', '/b', { status_code: 308, notes: 'kept' }),
      await add(site, '/b', '/c', { status_code: 308 }),
    ];
    await add(site, '/c', '/end?x=1#top', { status_code: 308 });
    await settled(owner, site);
    const earlier = (await deploymentsOf(owner, site)).length;
    expect(await flatten(site)).toEqual({
      updated: 2,
      left_count: 0,
      left: [],
      change_id: expect.stringMatching(/^chg_/),
      message: '2 redirects updated, 0 chains left',
    });
    expect(await targets(site)).toEqual({ '/a': '/end?x=1#top', '/b': '/end?x=1#top', '/c': '/end?x=1#top' });
    expect(await settled(owner, site)).toHaveLength(earlier + 1);
    expect(await detour.visit(host, '/a?y=2')).toMatchObject({ status: 308, location: '/end?x=1&y=2#top' });
    const { events } = (await owner.call('GET', `/api/events?website_id=${site}&event=redirect.updated`)).body;
    expect(events.map((each: { data: { redirect: object; previous: object } }) => each.data)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          redirect: expect.objectContaining({ id: String(a), notes: 'kept' }),
          previous: { new_path: '/b' },
        }),
        expect.objectContaining({
          redirect: expect.objectContaining({ id: String(b) }),
          previous: { new_path: '/c' },
        }),
      ]),
    );
    expect(events).toHaveLength(2);
    expect(await flatten(site)).toMatchObject({ updated: 0, left_count: 0 });
  });

  test('a dry run says the same and changes nothing', async () => {
    const site = await createSite(owner, [newHost()]);
    await add(site, '/a', '/b');
    await add(site, '/b', '/c');
    await settled(owner, site);
    const before = await deploymentsOf(owner, site);
    expect(await flatten(site, { dry_run: true })).toMatchObject({
      updated: 1,
      left_count: 0,
      left: [],
      message: '1 redirect would be updated, 0 chains left',
    });
    expect(await targets(site)).toEqual({ '/a': '/b', '/b': '/c' });
    expect(await deploymentsOf(owner, site)).toEqual(before);
  });

  test('returns the unchanged chains with their reasons', async () => {
    const site = await createSite(owner, [newHost()], { auto_deploy: false });
    const temporary = await add(site, '/a', '/b');
    await add(site, '/b', '/c', { status_code: 302 });
    const pattern = await add(site, '/o/.*', '/p', { is_regex: true });
    await add(site, '/p', '/q');
    const staged = await add(site, '/s', '/p', { target_environments: 'production,staging' });
    const long = await add(site, '/long', `/${'x'.repeat(2_000)}`);
    await add(site, `/${'x'.repeat(2_000)}`, `/${'y'.repeat(2_040)}#${'z'}`);
    const answer = await flatten(site);
    expect(answer).toMatchObject({ updated: 1, left_count: 3, message: '1 redirect updated, 3 chains left' });
    const left = answer.left.map((each: { redirect_id: number; reason: string }) => [each.redirect_id, each.reason]);
    expect(left).toEqual([
      [temporary, 'TEMPORARY'],
      [pattern, 'PATTERN'],
      [staged, 'ENVIRONMENTS'],
    ]);
    expect(answer.left.every((each: { message: string }) => each.message.length > 10)).toBe(true);
    expect((await targets(site))['/long']).toBe(`/${'y'.repeat(2_040)}#z`);
    expect(long).toBeGreaterThan(0);
  });

  test('shortens a chain up to a redirect that may not be skipped', async () => {
    const site = await createSite(owner, [newHost()], { auto_deploy: false });
    await add(site, '/a', '/b#top');
    await add(site, '/b', '/c');
    const last = await add(site, '/c', '/d', { status_code: 302 });
    await add(site, '/d', '/end');
    const soon = { active_from: new Date(Date.now() + 3_600_000).toISOString() };
    await add(site, '/s', '/t');
    await add(site, '/t', '/u');
    await add(site, '/u', '/end', soon);
    expect(await flatten(site)).toMatchObject({ updated: 3, left_count: 2 });
    const flat = { '/a': '/c#top', '/b': '/c', '/c': '/end', '/d': '/end', '/s': '/u', '/t': '/u', '/u': '/end' };
    expect(await targets(site)).toEqual(flat);
    const again = await flatten(site);
    expect(again.left.map(({ reason }: { reason: string }) => reason)).toEqual([
      'TEMPORARY',
      'TEMPORARY',
      'SCHEDULED',
      'SCHEDULED',
    ]);
    expect(again).toMatchObject({ updated: 0, left: expect.not.arrayContaining([{ redirect_id: last }]) });
  });

  test('a redirect of several environments is shortened where the chain is the same in each', async () => {
    const site = await createSite(owner, [newHost()]);
    const everywhere = { target_environments: 'production,staging,development' };
    await add(site, '/a', '/b', everywhere);
    await add(site, '/b', '/c', everywhere);
    await settled(owner, site);
    expect(await flatten(site)).toMatchObject({ updated: 1, left_count: 0 });
    const ended = await settled(owner, site);
    expect(new Set(ended.slice(0, 3).map(({ environment }) => environment)).size).toBe(3);
  });

  test('over 10,000 redirects are one event', { timeout: 120_000 }, async () => {
    const site = await createSite(owner, []);
    const redirects = Array.from({ length: 10_001 }, (_, i) => ({ old_path: `/p${i}`, new_path: '/hub' }));
    const body = {
      website_id: String(site),
      redirects: [...redirects, { old_path: '/hub', new_path: '/end' }],
    };
    expect((await owner.keyCall('POST', '/api/v1/redirects/bulk', body)).status).toBe(200);
    expect(await flatten(site)).toMatchObject({ updated: 10_001, left_count: 0 });
    const { events } = (await owner.call('GET', `/api/events?website_id=${site}&event=redirect.updated`)).body;
    expect(events.map((each: { data: object }) => each.data)).toEqual([
      {
        redirect: null,
        previous: null,
        bulk: { filter: { website_id: String(site), environment: 'production' }, updates: {}, count: 10_001 },
      },
    ]);
    const { body: health } = await owner.call('GET', `/api/websites/${site}/health`);
    expect(health.counts).toEqual({ loops: 0, chains: 0, shadowed: 0, duplicates: 0, broken_targets: 0 });
  });

  test('with edits at the same time nothing of them is lost, and no redirect ends elsewhere', async () => {
    const site = await createSite(owner, []);
    await Promise.all(Array.from({ length: 30 }, (_, i) => add(site, `/p${i}`, '/hub')));
    const hub = await add(site, '/hub', '/end');
    const edit = async (i: number) => {
      const { status } = await owner.call('PUT', `/api/redirects/${hub}`, { new_path: `/end${i}` });
      expect(status).toBe(200);
    };
    const call = owner.call('POST', `/api/websites/${site}/health/flatten`, { environment: 'production' });
    for (let i = 0; i < 20; i++) await edit(i);
    expect([200, 503]).toContain((await call).status);
    const now = await targets(site);
    expect(now['/hub']).toBe('/end19');
    // All of one moment: before it, or after it.
    expect(new Set(Array.from({ length: 30 }, (_, i) => now[`/p${i}`])).size).toBe(1);
  });
});

describe('who may', () => {
  test('an editor, on a website of the account, naming an environment', async () => {
    const site = await createSite(owner, []);
    const stranger = await detour.account();
    const path = `/api/websites/${site}/health/flatten`;
    const foreign = await stranger.call('POST', path, { environment: 'production' });
    expect([foreign.status, foreign.body.code]).toEqual([404, 'WEBSITE_NOT_FOUND']);
    const none = await owner.call('POST', path, {});
    expect([none.status, none.body.code]).toEqual([400, 'MISSING_PARAMETER']);
    const unknown = await owner.call('POST', path, { environment: 'live' });
    expect([unknown.status, unknown.body.code]).toEqual([422, 'VALIDATION_ERROR']);
  });
});
