/** Applies moves and decides unmatched paths, against a running service that answers the old URLs. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { missingPath } from '../support/hits.ts';
import { storeMove } from '../support/moves.ts';
import { addRedirect, createSite, settled } from '../support/site.ts';

let detour: TestDetour;
let owner: TestAccount;
let sites = 0;

beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
});
afterAll(() => detour.stop());

interface Decided {
  url: string;
  decision: 'redirect' | 'gone' | 'keep' | 'skip';
  target?: string;
  status_code?: number;
}

/** A website, and a move with these decisions. */
async function newMove(decided: Decided[], options: Record<string, unknown> = {}) {
  const host = `apply-${++sites}.example`;
  const site = await createSite(owner, [host], options);
  const id = await storeMove(detour.db, site, { rows: decided.map(({ url }) => ({ url })) });
  const path = `/api/v1/websites/${site}/moves/${id}`;
  const call = (method: string, rest: string, body?: unknown) => owner.keyCall(method, path + rest, body);
  const { status } = await call('PUT', '/rows', { rows: decided.map((row) => ({ ...row, revision: 0 })) });
  expect(status).toBe(200);
  const apply = async (body: object = {}) => {
    const result = await call('POST', '/apply', body);
    expect(result, JSON.stringify(result.body)).toMatchObject({ status: 200 });
    await settled(owner, site);
    return result.body;
  };
  const answers = async (...urls: string[]) =>
    Promise.all(
      urls.map((url) => detour.visit(host, url).then(({ status: code, location }) => [code, location ?? null])),
    );
  return { site, id, host, call, apply, answers };
}

const expectations = async (site: number): Promise<Record<string, unknown>[]> =>
  (await owner.keyCall('GET', `/api/v1/websites/${site}/expectations`)).body.expectations;
const storeRule = (id: string, site: number, pattern: string, target: string) =>
  detour.db.$client.query(
    `insert into move_rules (move_id, pattern, website_id, target, step, actor_type, actor_id, actor_name)
     values ($1, $2, $3, $4, 1, 'system', '', 'system')`,
    [id, pattern, site, target],
  );

describe('an apply', () => {
  test('answers every decided URL, expects it, and is undone as a whole', async () => {
    const { site, apply, answers, call } = await newMove([
      { url: '/a', decision: 'redirect', target: '/new/a' },
      { url: '/b?id=7', decision: 'redirect', target: '/new/b', status_code: 302 },
      { url: '/c', decision: 'gone' },
      { url: '/d', decision: 'keep' },
      { url: '/e', decision: 'skip' },
    ]);
    const dry = await apply({ dry_run: true });
    expect(dry).toMatchObject({ apply: { created: 3, updated: 0, gone: 1, left_out: 0 }, change_id: null });
    expect(dry.writes).toEqual([
      { old_path: '/a', new_path: '/new/a', status_code: 301, is_regex: false },
      { old_path: '/b?id=7', new_path: '/new/b', status_code: 302, is_regex: false },
      { old_path: '/c', new_path: null, status_code: 410, is_regex: false },
    ]);
    expect(await answers('/a', '/c')).toEqual([
      [404, null],
      [404, null],
    ]);
    const applied = await apply({ group_id: 'relaunch' });
    expect(applied).toMatchObject({ apply: { ...dry.apply }, conflicts: [], flatten: [] });
    expect(await answers('/a', '/b?id=7', '/b?id=8', '/c', '/d', '/e')).toEqual([
      [301, '/new/a'],
      [302, '/new/b'],
      [404, null],
      [410, null],
      [404, null],
      [404, null],
    ]);
    expect((await expectations(site)).map(({ url, status_code, location }) => [url, status_code, location])).toEqual([
      ['/a', 301, '/new/a'],
      ['/b?id=7', 302, '/new/b'],
      ['/c', 410, null],
    ]);
    const { body: shown } = await call('GET', '');
    expect(shown.move).toMatchObject({ state: 'applied', change_id: applied.change_id });
    const imported = await owner.keyCall('GET', `/api/v1/imports/${applied.import_id}`);
    expect(imported.body.import).toMatchObject({ source: 'move', status: 'completed' });

    expect(await apply()).toMatchObject({ apply: { created: 0, updated: 0, left_out: 3 }, change_id: null });
    const preview = await owner.keyCall('POST', `/api/v1/changes/${applied.change_id}/undo`, { dry_run: true });
    expect(preview.body.undo).toMatchObject({ deleted: 3, expectations: 3 });
    const undone = await owner.keyCall('POST', `/api/v1/changes/${applied.change_id}/undo`, {});
    expect(undone.body.undo).toMatchObject({ deleted: 3, expectations: 3, conflicts: 0 });
    await settled(owner, site);
    expect(await answers('/a', '/c')).toEqual([
      [404, null],
      [404, null],
    ]);
    expect(await expectations(site)).toEqual([]);
  });

  test('lists redirects that lead elsewhere as conflicts, and replaces them if asked', async () => {
    const { site, apply, answers } = await newMove([
      { url: '/a', decision: 'redirect', target: '/new/a' },
      { url: '/b', decision: 'redirect', target: '/new/b' },
    ]);
    await addRedirect(owner, site, { old_path: '/a', new_path: '/elsewhere', notes: 'kept' });
    await settled(owner, site);
    const first = await apply();
    expect(first).toMatchObject({ apply: { created: 1, updated: 0 }, conflict_count: 1 });
    expect(first.conflicts).toEqual([{ url: '/a', code: 'CONFLICT', message: expect.stringContaining('/elsewhere') }]);
    expect((await expectations(site)).map(({ url }) => url)).toEqual(['/b']);
    expect(await apply({ on_conflict: 'update' })).toMatchObject({ apply: { created: 0, updated: 1, left_out: 1 } });
    expect(await answers('/a')).toEqual([[301, '/new/a']]);
  });

  test('writes rules in place of the rows that they answer, and leaves a rule out that answers a kept row', async () => {
    const { site, id, apply, answers } = await newMove([
      { url: '/old/a', decision: 'redirect', target: '/new/a' },
      { url: '/old/b', decision: 'redirect', target: '/other' },
      { url: '/blog/a', decision: 'redirect', target: '/news/a' },
      { url: '/blog/b', decision: 'keep' },
    ]);
    await storeRule(id, site, '/old/(.*)', '/new/$1');
    await storeRule(id, site, '/blog/(.*)', '/news/$1');
    const applied = await apply();
    expect(applied).toMatchObject({ apply: { created: 3, rules: 1 } });
    expect(applied.conflicts).toMatchObject([{ url: '/blog/(.*)', code: 'RULE_ANSWERS_ROW' }]);
    expect(await answers('/old/a', '/old/b', '/old/z', '/blog/a', '/blog/b')).toEqual([
      [301, '/new/a'],
      [301, '/other'],
      [301, '/new/z'],
      [301, '/news/a'],
      [404, null],
    ]);
    expect(await apply()).toMatchObject({ apply: { created: 0, updated: 0, left_out: 3 } });
  });

  test('offers older redirects to moved pages for flattening, and keeps an expectation that says otherwise', async () => {
    const { site, apply, answers } = await newMove([{ url: '/a', decision: 'redirect', target: '/new/a' }]);
    const older = await addRedirect(owner, site, { old_path: '/older', new_path: '/a' });
    const stored = await owner.keyCall('POST', `/api/v1/websites/${site}/expectations`, {
      expectations: [{ url: '/a', status_code: 404 }],
    });
    expect(stored.status).toBe(200);
    const dry = await apply({ dry_run: true });
    expect(dry.flatten).toEqual([{ redirect_id: String(older), old_path: '/older', before: '/a', after: '/new/a' }]);
    const applied = await apply({ flatten: true });
    expect(applied).toMatchObject({ apply: { created: 1, updated: 1 } });
    expect(applied.conflicts).toMatchObject([{ url: '/a', code: 'EXPECTATION_CONFLICT' }]);
    expect(await answers('/older')).toEqual([[301, '/new/a']]);
    expect(await expectations(site)).toMatchObject([{ url: '/a', status_code: 404 }]);
  });

  test('twice at once writes each row once', async () => {
    const rows = Array.from({ length: 50 }, (_, n): Decided => ({
      url: `/p/${n}`,
      decision: 'redirect',
      target: `/q/${n}`,
    }));
    const { site, call } = await newMove(rows);
    const both = await Promise.all([call('POST', '/apply', {}), call('POST', '/apply', {})]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    expect(both.map(({ body }) => body.apply.created).sort()).toEqual([0, 50]);
    await settled(owner, site);
    expect(await expectations(site)).toHaveLength(50);
  });

  test('needs an environment, a role and a known move', async () => {
    const { call } = await newMove([{ url: '/a', decision: 'gone' }]);
    expect(await call('POST', '/apply', { target_environments: [] })).toMatchObject({
      status: 400,
      body: { details: expect.stringContaining('target_environments') },
    });
    expect(await call('POST', '/apply', { status_code: 404 })).toMatchObject({ status: 422 });
    expect(await call('POST', 'x/apply', {})).toMatchObject({ status: 404, body: { code: 'MOVE_NOT_FOUND' } });
  });
});

describe('unmatched paths', () => {
  test('are grouped by folder and form, and decided as one change', async () => {
    const host = 'unmatched-moves.example';
    const site = await createSite(owner, [host]);
    for (let n = 0; n < 6; n++) {
      await missingPath(detour.db, { websiteId: site, path: `/old/${n}.html`, hits: 10 - n });
      await missingPath(detour.db, { websiteId: site, path: `/item/${n}`, hits: 1 });
    }
    const path = `/api/v1/websites/${site}/not-found`;
    const { body } = await owner.keyCall('GET', `${path}/clusters`);
    expect(body.clusters).toEqual([
      {
        folder: '/old/',
        shape: 'page',
        paths: 6,
        hits: 45,
        examples: ['/old/0.html', '/old/1.html', '/old/2.html'],
        pattern: '/old/([^/]+)\\.html',
      },
      expect.objectContaining({ folder: '/item/', shape: 'number', paths: 6, pattern: '/item/([0-9]+)' }),
    ]);
    const gone = await owner.keyCall('POST', `${path}/decide`, { paths: ['/item/1', '/item/2'], decision: 'gone' });
    expect(gone.body).toMatchObject({ apply: { created: 2, gone: 2 }, conflicts: [] });
    const legal = { paths: ['/item/3'], decision: 'gone', status_code: 451 };
    expect((await owner.keyCall('POST', `${path}/decide`, legal)).body.apply).toMatchObject({ created: 1, gone: 1 });
    const { body: stored } = await owner.keyCall('GET', `/api/v1/redirects?website_id=${site}&status_code=451`);
    expect(stored.redirects).toMatchObject([{ old_path: '/item/3', new_path: null }]);
    const dry = await owner.keyCall('POST', `${path}/decide`, {
      filter: { q: '/old/' },
      decision: 'redirect',
      target: '/archive',
      dry_run: true,
    });
    expect(dry.body).toMatchObject({ apply: { created: 6 }, change_id: null });
    await settled(owner, site);
    expect(await detour.visit(host, '/item/1')).toMatchObject({ status: 410 });
    expect(await detour.visit(host, '/old/1.html')).toMatchObject({ status: 404 });
    await owner.keyCall('POST', `/api/v1/changes/${gone.body.change_id}/undo`, {});
    await settled(owner, site);
    expect(await detour.visit(host, '/item/1')).toMatchObject({ status: 404 });
  });

  test('take suggestions from a confidence on', async () => {
    const site = await createSite(owner, ['suggested-moves.example']);
    await owner.keyCall('PUT', `/api/v1/websites/${site}/urls/living`, { urls: ['/guides/setup', '/guides/install'] });
    const path = `/api/v1/websites/${site}/not-found`;
    const decide = (body: object) => owner.keyCall('POST', `${path}/decide`, body);
    const accepted = await decide({
      paths: ['/guides/Setup.html', '/nothing-like-it'],
      decision: 'accept_suggestion',
      dry_run: true,
    });
    expect(accepted.body).toMatchObject({ apply: { created: 1 } });
    for (const body of [
      { decision: 'gone' },
      { paths: ['/a'], filter: {}, decision: 'gone' },
      { paths: [], decision: 'gone' },
      { paths: ['/a'], decision: 'redirect' },
      { paths: ['/a'], decision: 'gone', target: '/b' },
      { paths: ['/a'], decision: 'gone', min_confidence: 'sure' },
    ])
      expect((await decide(body)).status, JSON.stringify(body)).toBe(400);
    for (const body of [
      { paths: ['/a'], decision: 'gone', status_code: 301 },
      { paths: ['/a'], decision: 'redirect', target: '/b', status_code: 410 },
    ]) {
      const { status, body: refused } = await decide(body);
      expect([status, refused.issues[0]]).toMatchObject([422, { path: 'status_code', code: 'INVALID_STATUS_CODE' }]);
    }
    const many = Array.from({ length: 1_001 }, (_, n) => `/x/${n}`);
    expect(await decide({ paths: many, decision: 'accept_suggestion' })).toMatchObject({
      status: 422,
      body: { code: 'TOO_MANY_ITEMS' },
    });
  });
});
