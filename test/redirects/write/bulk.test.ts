/**
 * bulk-update and bulk-delete: by ids or by filter, atomic. Holds the rules of src/redirects/write/bulk-plan.ts and
 * selection.ts.
 */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';
import {
  type Caller,
  colleague,
  eventsOf,
  expectRefusal,
  importFile,
  newRedirect,
  newWebsite,
  readRedirect,
  redirectsOf,
} from '../../surfaces/session-api/site.ts';

let detour: TestDetour;
let owner: TestAccount;
let other: TestAccount;
beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
  other = await detour.account();
});
afterAll(() => detour.stop());

const update = (body: unknown) => owner.call('POST', '/api/redirects/bulk-update', body);
const remove = (body: unknown) => owner.call('DELETE', '/api/redirects/bulk-delete', body);

/** A website with rules /r0, /r1, ...; its id and theirs. */
async function siteOf(count: number, fields: object = {}, account = owner): Promise<{ id: number; ids: number[] }> {
  const id = await newWebsite(account);
  const ids: number[] = [];
  for (let index = 0; index < count; index++) {
    const redirect = await newRedirect(account, {
      website_id: id,
      old_path: `/r${index}`,
      new_path: '/x',
      ...fields,
    });
    ids.push(redirect.id);
  }
  return { id, ids };
}

const CHANGE = {
  change_id: expect.stringMatching(/^chg_/),
  change_ids: [expect.stringMatching(/^chg_/)],
};

describe('bulk-update', () => {
  test('changes the fields that it names, and answers how many', async () => {
    const { id, ids } = await siteOf(3, { group_id: 'old', notes: 'kept' });
    const answer = await update({
      redirectIds: ids.slice(0, 2),
      updates: { target_environments: 'staging, production', group_id: ' new ', status_code: 302 },
    });
    expect([answer.status, answer.body]).toEqual([
      200,
      { updated: 2, ...CHANGE, message: expect.stringContaining('2') },
    ]);
    const [third, second, first] = await redirectsOf(owner, id);
    for (const redirect of [first, second]) {
      expect(redirect).toMatchObject({
        target_environments: 'production,staging',
        group_id: 'new',
        status_code: 302,
        notes: 'kept',
        new_path: '/x',
      });
    }
    expect(third).toMatchObject({ group_id: 'old', status_code: 301, target_environments: 'production' });
  });

  test('null and empty clear group and notes, an empty target makes drafts, is_regex makes patterns', async () => {
    const { ids } = await siteOf(2, { group_id: 'g', notes: 'n' });
    const updates = { group_id: null, notes: '', target_environments: '', is_regex: true };
    expect((await update({ redirectIds: ids, updates })).body.updated).toBe(2);
    expect(await readRedirect(owner, ids[0] ?? 0)).toMatchObject({
      group_id: null,
      notes: null,
      target_environments: '',
      is_regex: true,
    });
  });

  test("counts the account's own redirects, each once, those that stay as they are included", async () => {
    const { id, ids } = await siteOf(2, { group_id: 'same' });
    const theirs = await siteOf(1, {}, other);
    const redirectIds = [...ids, ...ids, ...theirs.ids, 2_000_000_000, 0, -5, Number.MAX_SAFE_INTEGER];
    const answer = await update({ redirectIds, updates: { group_id: 'same' } });
    expect([answer.status, answer.body.updated]).toEqual([200, 2]);
    expect((await readRedirect(other, theirs.ids[0] ?? 0)).group_id).toBeNull();
    expect(await eventsOf(detour, owner, id)).toHaveLength(2);
    expect((await update({ redirectIds: theirs.ids, updates: { notes: 'n' } })).body.updated).toBe(0);
  });

  test('takes 1 to 10,000 ids', async () => {
    const ids = Array.from({ length: 10_001 }, (_, index) => 1_000_000_000 + index);
    expect((await update({ redirectIds: ids.slice(1), updates: { notes: 'n' } })).body).toMatchObject({
      updated: 0,
    });
    expectRefusal(await update({ redirectIds: ids, updates: { notes: 'n' } }), 422, 'TOO_MANY_ITEMS', 'redirectIds');
    expect((await update({ redirectIds: [], updates: { notes: 'n' } })).status).toBe(400);
  });

  test('with a filter touches every match of it, in one website or in all', async () => {
    const { id, ids } = await siteOf(3, { group_id: 'pick me' });
    const second = await siteOf(2, { group_id: 'pick me' });
    const theirs = await siteOf(1, { group_id: 'pick me' }, other);
    const one = await update({ filter: { website_id: id, q: '/R1' }, updates: { notes: 'one' } });
    expect([one.status, one.body.updated]).toEqual([200, 1]);
    expect((await readRedirect(owner, ids[1] ?? 0)).notes).toBe('one');
    const all = await update({ filter: { group: 'pick me' }, updates: { notes: 'all' } });
    expect(all.body.updated).toBe(5);
    expect((await readRedirect(owner, second.ids[0] ?? 0)).notes).toBe('all');
    expect((await readRedirect(other, theirs.ids[0] ?? 0)).notes).toBeNull();
    const none = await update({ filter: { website_id: id, status_code: 302 }, updates: { notes: 'none' } });
    expect(none.body.updated).toBe(0);
    expectRefusal(
      await update({ filter: { website_id: theirs.id }, updates: { notes: 'x' } }),
      404,
      'WEBSITE_NOT_FOUND',
    );
  });

  test('one redirect that would break rejects the whole call', async () => {
    const { id, ids } = await siteOf(2);
    const gone = await newRedirect(owner, { website_id: id, old_path: '/gone', status_code: 410 });
    const pattern = await newRedirect(owner, {
      website_id: id,
      old_path: '/p/(.*)',
      new_path: '/q/$1',
      is_regex: true,
    });
    const before = await redirectsOf(owner, id);
    const redirectIds = [...ids, gone.id, pattern.id];
    expect((await update({ redirectIds, updates: { status_code: 302, notes: 'n' } })).status).toBe(422);
    expect((await update({ redirectIds: ids, updates: { status_code: 410 } })).status).toBe(422);
    expect((await update({ redirectIds: [...ids, pattern.id], updates: { is_regex: false } })).body.updated).toBe(3);
    await update({ redirectIds: [pattern.id], updates: { is_regex: true } });
    expect((await redirectsOf(owner, id)).map((each: { notes: null }) => each.notes)).toEqual(before.map(() => null));
    const odd = await newRedirect(owner, { website_id: id, old_path: '/odd(', new_path: '/x' });
    expect((await update({ redirectIds: [...ids, odd.id], updates: { is_regex: true } })).status).toBe(422);
    for (const each of ids) expect((await readRedirect(owner, each)).is_regex).toBe(false);
  });

  test.each([
    [{ updates: { notes: 'n' } }, 400, 'MISSING_PARAMETER', 'redirectIds'],
    [{ redirectIds: 'IDS' }, 400, 'MISSING_PARAMETER', 'updates'],
    [{ redirectIds: 'IDS', updates: {} }, 400, 'MISSING_PARAMETER', 'updates'],
    [{ redirectIds: 'IDS', updates: null }, 400, 'INVALID_PARAMETER', 'updates'],
    [{ redirectIds: 'IDS', updates: [] }, 400, 'INVALID_PARAMETER', 'updates'],
    [{ redirectIds: 'IDS', updates: { notes: 'n', old_path: '/o' } }, 422, 'VALIDATION_ERROR', 'old_path'],
    [{ redirectIds: 'IDS', updates: { notes: 'n', new_path: '/o' } }, 422, 'VALIDATION_ERROR', 'new_path'],
    [{ redirectIds: 'IDS', updates: { notes: 'n', new_path: null } }, 422, 'VALIDATION_ERROR', 'new_path'],
    [{ redirectIds: 'IDS', updates: { notes: 'n', website_id: 1 } }, 400, 'UNKNOWN_FIELD', 'website_id'],
    [{ redirectIds: 'IDS', updates: { notes: 'n', nonsense: 1 } }, 400, 'UNKNOWN_FIELD', 'nonsense'],
    [{ redirectIds: 'IDS', updates: { notes: 1 } }, 400, 'INVALID_PARAMETER', 'notes'],
    [{ redirectIds: 'IDS', updates: { notes: 'n'.repeat(2_001) } }, 422, 'VALIDATION_ERROR', 'notes'],
    [{ redirectIds: 'IDS', updates: { notes: 'n\u0000' } }, 422, 'VALIDATION_ERROR', 'notes'],
    [{ redirectIds: 'IDS', updates: { group_id: 'g'.repeat(201) } }, 422, 'VALIDATION_ERROR', 'group_id'],
    [{ redirectIds: 'IDS', updates: { group_id: '\ud800' } }, 422, 'VALIDATION_ERROR', 'group_id'],
    [{ redirectIds: 'IDS', updates: { status_code: 200 } }, 422, 'VALIDATION_ERROR', 'status_code'],
    [{ redirectIds: 'IDS', updates: { status_code: '302' } }, 400, 'INVALID_PARAMETER', 'status_code'],
    [{ redirectIds: 'IDS', updates: { is_regex: 'true' } }, 400, 'INVALID_PARAMETER', 'is_regex'],
    [
      { redirectIds: 'IDS', updates: { target_environments: ['staging'] } },
      400,
      'INVALID_PARAMETER',
      'target_environments',
    ],
    [{ redirectIds: 'IDS', updates: { target_environments: null } }, 400, 'INVALID_PARAMETER', 'target_environments'],
    [{ redirectIds: 'IDS', updates: { target_environments: 'test' } }, 422, 'VALIDATION_ERROR', 'target_environments'],
    [{ redirectIds: 'IDS', updates: { notes: 'n' }, extra: 1 }, 400, 'UNKNOWN_FIELD', 'extra'],
    [{ redirectIds: 'IDS', filter: { group: 'g' }, updates: { notes: 'n' } }, 400, 'INVALID_PARAMETER', 'redirectIds'],
    [{ redirectIds: ['1'], updates: { notes: 'n' } }, 400, 'INVALID_PARAMETER', 'redirectIds'],
    [{ redirectIds: [1.5], updates: { notes: 'n' } }, 400, 'INVALID_PARAMETER', 'redirectIds'],
    [{ redirectIds: [null], updates: { notes: 'n' } }, 400, 'INVALID_PARAMETER', 'redirectIds'],
    [{ redirectIds: 1, updates: { notes: 'n' } }, 400, 'INVALID_PARAMETER', 'redirectIds'],
    [{ redirectIds: { 0: 1 }, updates: { notes: 'n' } }, 400, 'INVALID_PARAMETER', 'redirectIds'],
    [{ filter: {}, updates: { notes: 'n' } }, 400, 'MISSING_PARAMETER', 'filter'],
    [{ filter: { nonsense: 1 }, updates: { notes: 'n' } }, 400, 'UNKNOWN_FIELD', 'nonsense'],
    [{ filter: { website_id: '1' }, updates: { notes: 'n' } }, 400, 'INVALID_PARAMETER', 'website_id'],
    [{ filter: { website_id: 2 ** 40 }, updates: { notes: 'n' } }, 404, 'WEBSITE_NOT_FOUND', 'website'],
    [{ filter: { website_id: -1 }, updates: { notes: 'n' } }, 404, 'WEBSITE_NOT_FOUND', 'website'],
    [{ filter: { q: 'a\u0000' }, updates: { notes: 'n' } }, 422, 'VALIDATION_ERROR', 'filter.q'],
    [{ filter: { environment: 'test' }, updates: { notes: 'n' } }, 422, 'VALIDATION_ERROR', 'filter.environment'],
    [[], 400, 'INVALID_PARAMETER', ''],
  ])('rejects %j and changes nothing', async (body, status, code, field) => {
    const { id, ids } = await siteOf(1);
    const before = await redirectsOf(owner, id);
    const text = JSON.stringify(body).replace('"IDS"', JSON.stringify(ids));
    expectRefusal(await update(text), status, code, field);
    expect(await redirectsOf(owner, id)).toEqual(before);
  });

  test('adds and removes environments, and replaces text in targets, by the values of each redirect', async () => {
    const { id, ids } = await siteOf(2, { new_path: '/old/old.html', target_environments: 'production' });
    const gone = await newRedirect(owner, { website_id: id, old_path: '/gone', status_code: 410 });
    await owner.call('PUT', `/api/redirects/${ids[1]}`, { target_environments: 'staging', new_path: '/OLD' });
    const updates = {
      add_environments: 'development',
      remove_environments: 'staging',
      replace_in_new_path: { find: 'old', replace_with: '$&new' },
    };
    const answer = await update({ filter: { website_id: id }, updates });
    expect([answer.status, answer.body]).toEqual([200, { updated: 3, ...CHANGE, message: expect.any(String) }]);
    const rows = await Promise.all([...ids, gone.id].map((each) => readRedirect(owner, each)));
    expect(rows.map((row) => [row.target_environments, row.new_path])).toEqual([
      ['production,development', '/$&new/$&new.html'],
      ['development', '/OLD'],
      ['production,development', null],
    ]);
    expect((await owner.call('POST', `/api/changes/${answer.body.change_id}/undo`, {})).body.undo.restored).toBe(3);
    expect((await readRedirect(owner, ids[0] ?? 0)).new_path).toBe('/old/old.html');
    const dry = await update({
      redirectIds: ids,
      updates: { replace_in_new_path: { find: '/old/', replace_with: '/new/' } },
      dry_run: true,
    });
    expect(dry.body.effect.samples[0]).toMatchObject({ before: '/old/old.html', after: '/new/old.html' });
    const long = { replace_in_new_path: { find: 'o', replace_with: 'x'.repeat(2_048) } };
    expect((await update({ redirectIds: ids, updates: long })).status).toBe(422);
  });

  test('replaces text in paths; one that another redirect has or had is a conflict, whatever the order', async () => {
    const { id } = await siteOf(0);
    const add = async (old_path: string) => (await newRedirect(owner, { website_id: id, old_path, new_path: '/t' })).id;
    const ids = [await add('/a'), await add('/ab'), await add('/abb'), await add('/other'), await add('/x/1')];
    const updates = { replace_in_old_path: { find: '/a', replace_with: '/ab' } };
    const preview = await update({ redirectIds: ids, updates, dry_run: true });
    expect(preview.body.effect).toMatchObject({
      ...{ changed: 1, unchanged: 2, invalid: 2 },
      problems: [
        { field: 'old_path', code: 'CONFLICT', count: 2, redirects: [{ old_path: '/a' }, { old_path: '/ab' }] },
      ],
      samples: [{ old_path: '/abb', new_old_path: '/abbb', before: '/t', after: '/t' }],
    });
    expectRefusal(await update({ redirectIds: ids, updates }), 422, 'VALIDATION_ERROR', 'old_path');
    const done = await update({ redirectIds: ids, updates, skip_invalid: true });
    expect(done.body.effect).toEqual(preview.body.effect);
    const paths = async () =>
      (await redirectsOf(owner, id)).map((each: { old_path: string }) => each.old_path).toSorted();
    expect(await paths()).toEqual(['/a', '/ab', '/abbb', '/other', '/x/1']);
    const same = { replace_in_old_path: { find: '/other', replace_with: '/x/1' } };
    expect((await update({ redirectIds: ids, updates: same, dry_run: true })).body.effect.invalid).toBe(1);
    expect((await owner.call('POST', `/api/changes/${done.body.change_id}/undo`, {})).body.undo.restored).toBe(1);
    expect(await paths()).toEqual(['/a', '/ab', '/abb', '/other', '/x/1']);
    const merged = { replace_in_old_path: { find: 'bb', replace_with: 'b' } };
    expect((await update({ redirectIds: ids, updates: merged, dry_run: true })).body.effect.invalid).toBe(1);
  });

  test('a dry run counts effects and problems and changes nothing; skip_invalid changes the others', async () => {
    const { id, ids } = await siteOf(3);
    await owner.call('PUT', `/api/redirects/${ids[2]}`, { status_code: 302 });
    const gone = await newRedirect(owner, { website_id: id, old_path: '/gone', status_code: 410 });
    const before = await redirectsOf(owner, id);
    const body = { filter: { website_id: id }, updates: { status_code: 302 } };
    const effect = {
      changed: 2,
      unchanged: 1,
      invalid: 1,
      problems: [
        {
          field: 'new_path',
          code: 'TARGET_REQUIRED',
          message: expect.any(String),
          count: 1,
          redirects: [{ redirect_id: gone.id, old_path: '/gone', message: expect.any(String) }],
        },
      ],
    };
    const dry = await update({ ...body, dry_run: true });
    expect([dry.status, dry.body]).toEqual([
      200,
      { updated: 4, change_id: null, change_ids: [], effect, message: expect.stringContaining('would') },
    ]);
    const keyBody = { website_id: String(id), filter: { q: '/gone' }, updates: { status_code: 302 }, dry_run: true };
    const byKey = await owner.keyCall('POST', '/api/v1/redirects/bulk-update', keyBody);
    expect(byKey.body.effect.problems[0].redirects[0].redirect_id).toBe(String(gone.id));
    expect((await update(body)).status).toBe(422);
    expect(await redirectsOf(owner, id)).toEqual(before);
    const done = await update({ ...body, skip_invalid: true });
    expect([done.status, done.body]).toEqual([
      200,
      { updated: 3, ...CHANGE, effect, message: expect.stringContaining('3') },
    ]);
    expect((await readRedirect(owner, ids[0] ?? 0)).status_code).toBe(302);
    expect((await readRedirect(owner, gone.id)).status_code).toBe(410);
  });

  test('what stays as it is keeps updated_at', async () => {
    const { id, ids } = await siteOf(2, { group_id: 'g' });
    await detour.db.$client.query(`update redirects set updated_at = '2020-01-01' where website_id = $1`, [id]);
    await owner.call('PUT', `/api/redirects/${ids[1]}`, { notes: 'n' });
    expect((await update({ redirectIds: ids, updates: { notes: 'n' } })).body.updated).toBe(2);
    expect((await readRedirect(owner, ids[0] ?? 0)).updated_at).not.toBe('2020-01-01T00:00:00Z');
    await detour.db.$client.query(`update redirects set updated_at = '2020-01-01' where website_id = $1`, [id]);
    expect((await update({ redirectIds: ids, updates: { notes: 'n', group_id: ' g ' } })).body.updated).toBe(2);
    for (const each of ids) expect((await readRedirect(owner, each)).updated_at).toBe('2020-01-01T00:00:00Z');
  });
});

describe('bulk-delete', () => {
  test("deletes the account's own redirects and answers how many", async () => {
    const { id, ids } = await siteOf(3);
    const theirs = await siteOf(1, {}, other);
    const answer = await remove({
      redirectIds: [...ids.slice(0, 2), ids[0], ...theirs.ids, 2_000_000_000, -1],
    });
    expect([answer.status, answer.body]).toEqual([
      200,
      { deleted: 2, ...CHANGE, message: expect.stringContaining('2') },
    ]);
    expect((await redirectsOf(owner, id)).map((each: { id: number }) => each.id)).toEqual([ids[2]]);
    expect(await readRedirect(other, theirs.ids[0] ?? 0)).toBeDefined();
    expect((await remove({ redirectIds: ids.slice(0, 2) })).body.deleted).toBe(0);
  });

  test('with a filter deletes every match of it', async () => {
    const { id } = await siteOf(3, { group_id: 'out' });
    await newRedirect(owner, { website_id: id, old_path: '/stays', new_path: '/x' });
    expect((await remove({ filter: { website_id: id, group: 'out' } })).body.deleted).toBe(3);
    expect((await redirectsOf(owner, id)).map((each: { old_path: string }) => each.old_path)).toEqual(['/stays']);
  });

  test('a dry run says how many would be deleted, with their environments and hits of 30 days', async () => {
    const { id, ids } = await siteOf(3, { group_id: 'tried', target_environments: 'staging' });
    const theirs = await siteOf(1, {}, other);
    await detour.db.execute(sql`
      insert into redirect_hits (website_id, environment, redirect_id, day, hits, bot_hits, micros, countries, visitors)
      select ${id}, e, r, current_date, 2, 50, 0, '{}', '' from unnest(array['production', 'staging']) e,
        unnest(${sql.param(ids.slice(0, 2))}::bigint[]) r`);
    const viewer = await colleague(detour, owner, 'viewer');
    const tryAs = (caller: Caller, body: object) =>
      caller.call('DELETE', '/api/redirects/bulk-delete', { ...body, dry_run: true });
    const byFilter = await tryAs(viewer, { filter: { website_id: id, group: 'tried' } });
    expect([byFilter.status, byFilter.body]).toEqual([
      200,
      {
        ...{ deleted: 3, change_id: null, change_ids: [] },
        message: '3 redirects would be deleted',
        effect: { environments: ['staging'], hits: 8 },
      },
    ]);
    const byId = await tryAs(owner, { redirectIds: [...ids.slice(1), ...theirs.ids] });
    expect(byId.body).toMatchObject({ deleted: 2, effect: { hits: 4 } });
    expect((await tryAs(owner, { redirectIds: theirs.ids })).body.effect).toEqual({ environments: [], hits: 0 });
    expect((await viewer.call('DELETE', '/api/redirects/bulk-delete', { redirectIds: ids })).status).toBe(403);
    expect(await redirectsOf(owner, id)).toHaveLength(3);
  });

  test('a rejected call deletes nothing', async () => {
    const { id, ids } = await siteOf(2);
    for (const [body, status] of [
      [{ redirectIds: [...ids, '1'] }, 400],
      [{ redirectIds: [] }, 400],
      [{ redirectIds: ids, updates: { notes: 'n' } }, 400],
      [{ redirectIds: ids, filter: { website_id: id } }, 400],
      [{ filter: {} }, 400],
      [{ filter: { website_id: id, status_code: 200 } }, 422],
      [{}, 400],
      ['', 400],
      [{ redirectIds: Array.from({ length: 10_001 }, () => ids[0]) }, 422],
    ] as const) {
      expect([body, (await remove(body)).status]).toEqual([body, status]);
    }
    expect(await redirectsOf(owner, id)).toHaveLength(2);
  });
});

describe('over 10,000 matches', () => {
  test('a filter makes one event that says what was done', async () => {
    const id = await newWebsite(owner);
    const rows = Array.from({ length: 10_001 }, (_, index) => `/many/${index},/x`);
    await importFile(owner, `old_path,new_path\n${rows.join('\n')}`, { website_id: String(id) });
    const eventsBefore = (await eventsOf(detour, owner, id)).length;
    const filter = { website_id: id, q: '/many/' };
    const answer = await update({
      filter,
      updates: { group_id: 'all', target_environments: 'staging,production' },
    });
    expect([answer.status, answer.body.updated]).toEqual([200, 10_001]);
    const [updated, ...earlier] = await eventsOf(detour, owner, id);
    expect(earlier).toHaveLength(eventsBefore);
    expect(updated).toMatchObject({
      event: 'redirect.updated',
      data: {
        redirect: null,
        bulk: { filter: { website_id: String(id), q: '/many/' }, updates: expect.anything(), count: 10_001 },
      },
    });
    expect(updated.data.bulk.updates).toEqual({
      group_id: 'all',
      target_environments: ['production', 'staging'],
    });

    const gone = await remove({ filter });
    expect(gone.body.deleted).toBe(10_001);
    const [deleted, ...others] = await eventsOf(detour, owner, id);
    expect(others).toHaveLength(eventsBefore + 1);
    expect(deleted).toMatchObject({
      event: 'redirect.deleted',
      data: { redirect: null, bulk: { count: 10_001 } },
    });
    expect(await redirectsOf(owner, id)).toEqual([]);
  });
});
