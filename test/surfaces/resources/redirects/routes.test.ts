/** Single redirects: create, read, update, delete. Holds the rules of src/surfaces/resources/redirects/wire.ts. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../../../support/detour.ts';
import {
  colleague,
  expectRefusal,
  importFile,
  newRedirect,
  newWebsite,
  readRedirect,
  redirectsOf,
} from '../../session-api/site.ts';

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);

let detour: TestDetour;
let owner: TestAccount;
let other: TestAccount;
let website: number;
let foreign: number;
beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
  other = await detour.account();
  website = await newWebsite(owner);
  foreign = await newWebsite(other);
  await newWebsite(owner, { name: 'a second one', allowed_target_hosts: ['shop.example.com'] });
});
afterAll(() => detour.stop());

let paths = 0;
const fresh = () => `/path-${++paths}`;
const post = (fields: unknown) => owner.call('POST', '/api/redirects', fields);
const create = (fields: object) => post({ website_id: website, old_path: fresh(), new_path: '/new', ...fields });
const put = (id: number, fields: unknown) => owner.call('PUT', `/api/redirects/${id}`, fields);

describe('creating a redirect', () => {
  test('two paths are enough; everything else takes its default', async () => {
    const answer = await post({ website_id: website, old_path: '/old', new_path: '/new' });
    expect([answer.status, answer.body]).toEqual([
      201,
      {
        redirect: {
          id: expect.any(Number),
          website_id: website,
          old_path: '/old',
          new_path: '/new',
          status_code: 301,
          is_regex: false,
          group_id: null,
          notes: null,
          target_environments: 'production',
          active_from: null,
          active_until: null,
          created_at: TIME,
          updated_at: TIME,
          deployed_to_prod: null,
          deployed_to_staging: null,
          deployed_to_dev: null,
          target_state: null,
          target_checked_at: null,
        },
        change_id: expect.stringMatching(/^chg_/),
      },
    ]);
    expect(await readRedirect(owner, answer.body.redirect.id)).toEqual(answer.body.redirect);
  });

  test('every field is stored and answered as written', async () => {
    const fields = {
      website_id: website,
      old_path: '/a/%7euser/ü x/../y?b=2&a=1',
      new_path: '/nü/$?q=1#frag',
      status_code: 308,
      is_regex: false,
      group_id: 'grüße 🎉',
      notes: 'tab\tcr\rlf\n',
      target_environments: 'production,staging,development',
    };
    const { status, body } = await post(fields);
    expect([status, body.redirect]).toEqual([201, { ...body.redirect, ...fields, notes: 'tab\tcr\rlf' }]);
    expect(await readRedirect(owner, body.redirect.id)).toEqual(body.redirect);
  });

  test.each([301, 302, 303, 307, 308])('%i has a target', async (status_code) => {
    expect((await create({ status_code })).body.redirect).toMatchObject({ status_code, new_path: '/new' });
    const without = { website_id: website, old_path: fresh(), status_code };
    expectRefusal(await post(without), 400, 'MISSING_PARAMETER', 'new_path');
    expectRefusal(await post({ ...without, new_path: null }), 422, 'VALIDATION_ERROR', 'new_path');
  });

  test.each([410, 451])('%i has none', async (status_code) => {
    const body = { website_id: website, old_path: fresh(), status_code };
    expect((await post(body)).body.redirect).toMatchObject({ status_code, new_path: null });
    expect((await post({ ...body, old_path: fresh(), new_path: null })).status).toBe(201);
    for (const new_path of ['/new', '']) {
      expectRefusal(await post({ ...body, old_path: fresh(), new_path }), 422, 'VALIDATION_ERROR', 'new_path');
    }
  });

  test('environments are answered in their order, and a wrong one is 422', async () => {
    const { status, body } = await create({ target_environments: ' staging , production ' });
    expect([status, body.redirect.target_environments]).toEqual([201, 'production,staging']);
    expect((await create({ target_environments: '' })).body.redirect.target_environments).toBe('');
    expectRefusal(await create({ target_environments: 'live' }), 422, 'VALIDATION_ERROR', 'target_environments');
  });

  test('empty and blank labels are null, surrounding white space of them goes', async () => {
    const { body } = await create({ group_id: '', notes: '' });
    expect(body.redirect).toMatchObject({ group_id: null, notes: null });
    expect((await create({ group_id: '  spring ', notes: ' n \n' })).body.redirect).toMatchObject({
      group_id: 'spring',
      notes: 'n',
    });
    expect((await create({ group_id: null, notes: null })).body.redirect).toMatchObject({
      group_id: null,
      notes: null,
    });
  });

  test('lengths end where the page says', async () => {
    const long = (bytes: number) => `/${'l'.repeat(bytes - 1 - String(++paths).length)}${paths}`;
    expect((await create({ old_path: long(2_048) })).status).toBe(201);
    expectRefusal(await create({ old_path: long(2_049) }), 422, 'VALIDATION_ERROR', 'old_path');
    // 700 letters of two bytes are 1,401 bytes, and 4,201 when they are escaped.
    expectRefusal(await create({ old_path: `/${'ü'.repeat(700)}` }), 422, 'VALIDATION_ERROR', 'old_path');
    expect((await create({ new_path: long(2_048) })).status).toBe(201);
    expectRefusal(await create({ new_path: long(2_049) }), 422, 'VALIDATION_ERROR', 'new_path');
    expect((await create({ group_id: 'g'.repeat(200) })).status).toBe(201);
    expectRefusal(await create({ group_id: 'g'.repeat(201) }), 422, 'VALIDATION_ERROR', 'group_id');
    expect((await create({ notes: 'n'.repeat(2_000) })).status).toBe(201);
    expectRefusal(await create({ notes: 'n'.repeat(2_001) }), 422, 'VALIDATION_ERROR', 'notes');
    expect((await create({ old_path: `/${'(a)'.repeat(333)}`, is_regex: true })).status).toBe(201);
    expectRefusal(
      await create({ old_path: `/${'a'.repeat(1_000)}`, is_regex: true }),
      422,
      'INVALID_REGEX',
      'old_path',
    );
  });

  test('a target on another host needs the website to allow the host', async () => {
    const target = { new_path: 'https://shop.example.com/x?y#z' };
    expectRefusal(await create(target), 422, 'VALIDATION_ERROR', 'new_path');
    const allowing = await newWebsite(owner, { allowed_target_hosts: ['shop.example.com'] });
    expect((await create({ ...target, website_id: allowing })).body.redirect.new_path).toBe(target.new_path);
    const elsewhere = { new_path: 'https://evil.example.com/', website_id: allowing };
    expectRefusal(await create(elsewhere), 422, 'VALIDATION_ERROR', 'new_path');
  });

  test('website_id may be omitted when the account has exactly one website', async () => {
    const single = await detour.account();
    const body = { old_path: '/a', new_path: '/b' };
    expectRefusal(await single.call('POST', '/api/redirects', body), 400, 'MISSING_PARAMETER', 'website_id');
    const only = await newWebsite(single);
    expect((await single.call('POST', '/api/redirects', body)).body.redirect.website_id).toBe(only);
    await newWebsite(single);
    const second = { old_path: '/c', new_path: '/d' };
    expectRefusal(await single.call('POST', '/api/redirects', second), 400, 'MISSING_PARAMETER', 'website_id');
  });

  test.each([
    { old_path: '/a\u0000b' },
    { new_path: 'javascript:alert(1)' },
    { group_id: 'a\nb' },
    { notes: 'a\u0007b' },
  ])('rejects %j with 422', async (fields) => {
    const before = (await redirectsOf(owner, website)).length;
    expectRefusal(await create(fields), 422, 'VALIDATION_ERROR', Object.keys(fields)[0]);
    expect(await redirectsOf(owner, website)).toHaveLength(before);
  });

  test.each(['old_path', 'new_path', 'group_id', 'notes', 'target_environments'])(
    '%s takes a string and nothing else',
    async (field) => {
      for (const value of [1, true, ['production'], { a: 1 }]) {
        expectRefusal(await create({ [field]: value }), 400, 'INVALID_PARAMETER', field);
      }
    },
  );

  test.each([
    ['old_path', [null]],
    ['target_environments', [null, ['staging']]],
    ['status_code', ['301', null, true, [301], {}]],
    ['is_regex', ['true', 1, 0, null, []]],
    ['website_id', ['1', null, 1.5, true, [1], {}]],
  ])('%s of the wrong type is 400', async (field, values) => {
    for (const value of values) {
      expectRefusal(await create({ [field]: value }), 400, 'INVALID_PARAMETER', field);
    }
  });

  test('what is missing, unknown or no object is 400', async () => {
    expectRefusal(await post({ website_id: website, new_path: '/x' }), 400, 'MISSING_PARAMETER', 'old_path');
    expectRefusal(await create({ oldPath: '/x' }), 400, 'UNKNOWN_FIELD', 'oldPath');
    expectRefusal(await create({ 'a\u0000': '/x' }), 400, 'UNKNOWN_FIELD');
    expectRefusal(await post([]), 400, 'INVALID_PARAMETER');
    expectRefusal(await post('"text"'), 400, 'INVALID_PARAMETER');
    expectRefusal(await post('{'), 400, 'INVALID_JSON');
    expect((await post('')).body.code).toBe('MISSING_PARAMETER');
    expect((await post(`{"website_id":${website},"old_path":"/p","new_path":"/q","__proto__":{"id":1}}`)).status).toBe(
      400,
    );
    expectRefusal(await create({ notes: 'n'.repeat(3_000_000) }), 413, 'BODY_TOO_LARGE');
    expectRefusal(
      await post(`{"website_id":${website},"old_path":${'['.repeat(100_000)}${']'.repeat(100_000)},"new_path":"/"}`),
      400,
      'INVALID_PARAMETER',
    );
  });

  test('read-only fields are accepted and ignored', async () => {
    const { status, body } = await create({ id: 1, created_at: 'x', updated_at: null, deployed_to_prod: 7 });
    expect([status, body.redirect.deployed_to_prod]).toEqual([201, null]);
    expect(body.redirect.id).not.toBe(1);
  });

  test('several wrong fields are all named', async () => {
    const { status, body } = await create({ old_path: 'x', new_path: '//y', status_code: 200 });
    expect(status).toBe(422);
    expect(body.issues.map((issue: { path: string }) => issue.path).sort()).toEqual([
      'new_path',
      'old_path',
      'status_code',
    ]);
    for (const issue of body.issues) {
      expect(issue).toEqual({
        path: expect.any(String),
        code: expect.any(String),
        message: expect.stringMatching(/./),
      });
    }
  });
});

describe('one path, one redirect', () => {
  test.each([
    ['/dup/é', '/dup/%c3%A9'],
    ['/dup/c/../d', '/dup/d'],
    ['/dup/e?x=1&y=2', '/dup/e?y=2&x=1'],
  ])('%s and %s are one', async (first, second) => {
    expect((await create({ old_path: first })).status).toBe(201);
    const count = (await redirectsOf(owner, website)).length;
    expectRefusal(await create({ old_path: second }), 409, 'CONFLICT');
    expect(await redirectsOf(owner, website)).toHaveLength(count);
  });

  test.each([
    ['/two/a', '/two/a/'],
    ['/two/b', '/two/B'],
  ])('%s and %s are two', async (first, second) => {
    expect((await create({ old_path: first })).status).toBe(201);
    expect((await create({ old_path: second })).status).toBe(201);
  });

  test('a pattern and a literal share the key; another website does not', async () => {
    const old_path = '/shared/key';
    expect((await create({ old_path })).status).toBe(201);
    expectRefusal(await create({ old_path, is_regex: true }), 409, 'CONFLICT');
    expect((await create({ old_path, website_id: await newWebsite(owner) })).status).toBe(201);
    expect((await other.call('POST', '/api/redirects', { old_path, new_path: '/x', website_id: foreign })).status).toBe(
      201,
    );
  });

  test('the options of the website do not enter the key', async () => {
    const loose = await newWebsite(owner, { case_sensitive: false });
    for (const old_path of ['/p', '/P', '/p/']) {
      expect((await create({ old_path, website_id: loose })).status).toBe(201);
    }
  });
});

describe('patterns', () => {
  test.each(['/blog/(\\d+)', '^/blog/(?P<year>\\d{4})/.*$', '/', '/x?'])('%s is taken as written', async (old_path) => {
    const site = await newWebsite(owner);
    const { status, body } = await create({ website_id: site, old_path, is_regex: true });
    expect([status, body.redirect?.old_path]).toEqual([201, old_path]);
  });

  test('an invalid one is INVALID_REGEX, also one that begins like no path', async () => {
    for (const old_path of ['/a(', 'blog/.*'])
      expectRefusal(await create({ old_path, is_regex: true }), 422, 'INVALID_REGEX', 'old_path');
  });

  test('patterns without a literal prefix are limited by their work alone', async () => {
    const site = await newWebsite(owner);
    const pattern = (old_path: string) => create({ website_id: site, is_regex: true, old_path, new_path: '/x' });
    for (let index = 0; index < 51; index++) expect((await pattern(`/.*/end${index}`)).status).toBe(201);
    let refusal = await pattern('/.*[ab].*[bc].*[xy]');
    for (let index = 0; index < 100 && refusal.status === 201; index++) {
      refusal = await pattern(`/.*[ab]${'[bc]'.repeat(index)}.*[xy]`);
    }
    expectRefusal(refusal, 422, 'TOO_MANY_PATTERNS');
  });
});

describe('updating a redirect', () => {
  test('answers id, the fields of the request as stored, and updated_at', async () => {
    const { id } = await newRedirect(owner, { website_id: website, old_path: fresh(), new_path: '/x' });
    const answer = await put(id, { target_environments: 'staging, production', status_code: 302 });
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        redirect: { id, target_environments: 'production,staging', status_code: 302, updated_at: TIME },
        change_id: expect.stringMatching(/^chg_/),
      },
    ]);
    const again = await put(id, { website_id: website, group_id: ' g ' });
    expect([again.status, again.body]).toEqual([
      200,
      {
        redirect: { id, website_id: website, group_id: 'g', updated_at: TIME },
        change_id: expect.stringMatching(/^chg_/),
      },
    ]);
    expect((await put(id, { group_id: 'g' })).body.change_id).toBeNull();
  });

  test('changes what it names and nothing else', async () => {
    const before = await newRedirect(owner, {
      website_id: website,
      old_path: fresh(),
      new_path: '/x',
      group_id: 'g',
      notes: 'n',
      status_code: 307,
      target_environments: 'staging',
    });
    await put(before.id, { new_path: '/y' });
    expect(await readRedirect(owner, before.id)).toEqual({ ...before, new_path: '/y', updated_at: TIME });
    await put(before.id, { group_id: null, notes: '' });
    expect(await readRedirect(owner, before.id)).toMatchObject({
      group_id: null,
      notes: null,
      target_environments: 'staging',
    });
    await put(before.id, { target_environments: '' });
    expect((await readRedirect(owner, before.id)).target_environments).toBe('');
  });

  test('a redirect can be sent back as it was read', async () => {
    const redirect = await newRedirect(owner, { website_id: website, old_path: fresh(), new_path: '/x' });
    const answer = await put(redirect.id, { ...redirect, id: 1 });
    expect([answer.status, answer.body.redirect.id]).toEqual([200, redirect.id]);
    expect(await readRedirect(owner, redirect.id)).toEqual(redirect);
  });

  test('what changes nothing keeps updated_at', async () => {
    const { id } = await newRedirect(owner, { website_id: website, old_path: fresh(), new_path: '/x' });
    await detour.db.$client.query(`update redirects set updated_at = '2020-01-01' where id = $1`, [id]);
    const answer = await put(id, {
      new_path: '/x',
      status_code: 301,
      group_id: '',
      target_environments: ' production',
    });
    expect(answer.body.redirect.updated_at).toBe('2020-01-01T00:00:00Z');
    expect((await put(id, { new_path: '/z' })).body.redirect.updated_at).not.toBe('2020-01-01T00:00:00Z');
  });

  test('to 410 it must carry new_path null, and back it needs a target', async () => {
    const { id } = await newRedirect(owner, { website_id: website, old_path: fresh(), new_path: '/x' });
    expectRefusal(await put(id, { status_code: 410 }), 422, 'VALIDATION_ERROR', 'new_path');
    expectRefusal(await put(id, { status_code: 410, new_path: '/x' }), 422, 'VALIDATION_ERROR', 'new_path');
    expectRefusal(await put(id, { new_path: null }), 422, 'VALIDATION_ERROR', 'new_path');
    expect((await put(id, { status_code: 410, new_path: null })).body.redirect).toMatchObject({
      status_code: 410,
      new_path: null,
    });
    expectRefusal(await put(id, { status_code: 301 }), 422, 'VALIDATION_ERROR', 'new_path');
    expect((await put(id, { status_code: 301, new_path: '/back' })).status).toBe(200);
  });

  test('a rejected update leaves everything as it was', async () => {
    const taken = await newRedirect(owner, { website_id: website, old_path: fresh(), new_path: '/x' });
    const before = await newRedirect(owner, { website_id: website, old_path: fresh(), new_path: '/x' });
    const elsewhere = await newWebsite(owner);
    for (const [fields, status, code] of [
      [{ notes: 'changed', old_path: taken.old_path }, 409, 'CONFLICT'],
      [{ notes: 'changed', website_id: elsewhere }, 422, 'VALIDATION_ERROR'],
      [{ notes: 'changed', new_path: '//x' }, 422, 'VALIDATION_ERROR'],
      [{ notes: 'changed', status_code: 200 }, 422, 'VALIDATION_ERROR'],
      [{ notes: 'changed', status_code: '301' }, 400, 'INVALID_PARAMETER'],
      [{ notes: 'changed', new_path: before.old_path }, 422, 'REDIRECT_LOOP'],
      [{ notes: 'changed', is_regex: true, old_path: '/(' }, 422, 'INVALID_REGEX'],
      [{ notes: 'changed', is_regex: null }, 400, 'INVALID_PARAMETER'],
      [{ notes: 'changed', nonsense: 1 }, 400, 'UNKNOWN_FIELD'],
      [{ notes: 'changed', target_environments: ['staging'] }, 400, 'INVALID_PARAMETER'],
      [{ notes: 'changed', target_environments: null }, 400, 'INVALID_PARAMETER'],
      [{}, 400, 'MISSING_PARAMETER'],
      [{ id: 5 }, 400, 'MISSING_PARAMETER'],
      [[], 400, 'INVALID_PARAMETER'],
      ['', 400, 'MISSING_PARAMETER'],
    ] as const) {
      expectRefusal(await put(before.id, fields), status, code);
    }
    expect(await readRedirect(owner, before.id)).toEqual(before);
  });
});

describe('a write with if_updated_at', () => {
  const create = () => newRedirect(owner, { website_id: website, old_path: fresh(), new_path: '/x' });

  test('of two at once, one is applied; the other gets who changed it, when, and the current redirect', async () => {
    const editor = await colleague(detour, owner, 'editor');
    for (let round = 0; round < 3; round++) {
      const { id, updated_at: if_updated_at } = await create();
      const writers = [owner, editor].map((caller) => [caller, `/by-${caller.email}`] as const);
      const answers = await Promise.all(
        writers.map(async ([caller, new_path]) => ({
          caller,
          new_path,
          ...(await caller.call('PUT', `/api/redirects/${id}`, { new_path, if_updated_at })),
        })),
      );
      const current = await readRedirect(owner, id);
      const [winner, loser] = answers.toSorted((a, b) => a.status - b.status);
      if (!winner || !loser) throw new Error('two answers');
      expect([winner.status, current.new_path]).toEqual([200, winner.new_path]);
      expectRefusal(loser, 409, 'CHANGED_SINCE', 'if_updated_at');
      expect(loser.body).toMatchObject({
        changed_by: { type: 'user', name: winner.caller.email },
        changed_at: TIME,
        redirect: current,
      });
    }
  });

  test('applies with the time of the last state, also if several changes fall into one second', async () => {
    const { id, updated_at: created } = await create();
    let if_updated_at = created;
    for (const new_path of ['/1', '/2', '/3']) {
      const answer = await put(id, { new_path, if_updated_at });
      expect([answer.status, answer.body.redirect.new_path]).toEqual([200, new_path]);
      expect(answer.body.redirect.updated_at > if_updated_at).toBe(true);
      expectRefusal(await put(id, { notes: 'stale', if_updated_at }), 409, 'CHANGED_SINCE');
      if_updated_at = answer.body.redirect.updated_at;
    }
    const site = `/api/redirects/bulk-update`;
    await owner.call('POST', site, { redirectIds: [id], updates: { group_id: 'g' } });
    const stale = await put(id, { notes: 'stale', if_updated_at });
    expect([stale.status, stale.body.redirect]).toEqual([409, await readRedirect(owner, id)]);
    await importFile(owner, `old_path,new_path\n${stale.body.redirect.old_path},/imported\n`, {
      website_id: String(website),
      on_conflict: 'update',
    });
    const imported = await put(id, { notes: 'stale', if_updated_at: stale.body.redirect.updated_at });
    expect([imported.status, imported.body.redirect.new_path]).toEqual([409, '/imported']);
  });

  test('is a condition of a deletion too, and no field to change', async () => {
    const { id, updated_at: seen } = await create();
    await put(id, { notes: 'n' });
    expectRefusal(await owner.call('DELETE', `/api/redirects/${id}?if_updated_at=${seen}`), 409, 'CHANGED_SINCE');
    const { updated_at } = await readRedirect(owner, id);
    expectRefusal(await put(id, { if_updated_at: updated_at }), 400, 'MISSING_PARAMETER');
    expectRefusal(await put(id, { notes: 'm', if_updated_at: 'now' }), 422, 'VALIDATION_ERROR', 'if_updated_at');
    expect((await owner.call('DELETE', `/api/redirects/${id}?if_updated_at=${updated_at}`)).status).toBe(200);
    expectRefusal(await put(id, { notes: 'm', if_updated_at: updated_at }), 404, 'REDIRECT_NOT_FOUND');
  });
});

describe('deleting a redirect', () => {
  test('answers a message, once', async () => {
    const { id, old_path } = await newRedirect(owner, {
      website_id: website,
      old_path: fresh(),
      new_path: '/x',
    });
    const answer = await owner.call('DELETE', `/api/redirects/${id}`);
    expect([answer.status, answer.body]).toEqual([
      200,
      { message: expect.any(String), change_id: expect.stringMatching(/^chg_/) },
    ]);
    expectRefusal(await owner.call('DELETE', `/api/redirects/${id}`), 404, 'REDIRECT_NOT_FOUND');
    expectRefusal(await owner.call('GET', `/api/redirects/${id}`), 404, 'REDIRECT_NOT_FOUND');
    const again = await newRedirect(owner, { website_id: website, old_path, new_path: '/x' });
    expect(again.id).not.toBe(id);
  });

  test('an empty body sent as JSON is no body', async () => {
    const { id } = await newRedirect(owner, { website_id: website, old_path: fresh(), new_path: '/x' });
    expect((await owner.call('DELETE', `/api/redirects/${id}`, '')).status).toBe(200);
  });
});

describe('who may', () => {
  test.each(['0', '-1', '1.5', 'abc', '1e3', '99999999999999999999', '007', '%00', '2147483648'])(
    'an id %s is a redirect that does not exist',
    async (id) => {
      expectRefusal(await owner.call('GET', `/api/redirects/${id}`), 404, 'REDIRECT_NOT_FOUND');
      expectRefusal(await owner.call('PUT', `/api/redirects/${id}`, { notes: 'x' }), 404, 'REDIRECT_NOT_FOUND');
      expectRefusal(await owner.call('DELETE', `/api/redirects/${id}`), 404, 'REDIRECT_NOT_FOUND');
    },
  );

  test("another account's redirect and website are 404 and stay as they are", async () => {
    const theirs = await newRedirect(other, { website_id: foreign, old_path: '/theirs', new_path: '/x' });
    expectRefusal(await owner.call('GET', `/api/redirects/${theirs.id}`), 404, 'REDIRECT_NOT_FOUND');
    expectRefusal(await put(theirs.id, { new_path: '/mine' }), 404, 'REDIRECT_NOT_FOUND');
    expectRefusal(await put(theirs.id, { website_id: website }), 404, 'REDIRECT_NOT_FOUND');
    expectRefusal(await owner.call('DELETE', `/api/redirects/${theirs.id}`), 404, 'REDIRECT_NOT_FOUND');
    expectRefusal(await create({ website_id: foreign }), 404, 'WEBSITE_NOT_FOUND');
    for (const website_id of [0, -1, 2_000_000_000, 2 ** 31, 2 ** 53]) {
      expect([website_id, (await create({ website_id })).status]).toEqual([website_id, 404]);
    }
    expect(await redirectsOf(other, foreign)).toContainEqual(theirs);
    expect(await redirectsOf(other, foreign)).toHaveLength(2);
  });

  test('a viewer reads and tests, an editor writes', async () => {
    const [viewer, editor] = [await colleague(detour, owner, 'viewer'), await colleague(detour, owner, 'editor')];
    const redirect = await newRedirect(editor, { website_id: website, old_path: fresh(), new_path: '/x' });
    expect((await viewer.call('GET', `/api/redirects/${redirect.id}`)).status).toBe(200);
    expect((await viewer.call('GET', `/api/redirects?website_id=${website}`)).status).toBe(200);
    const probe = { website_id: website, environment: 'production', url: '/x' };
    expect((await viewer.call('POST', '/api/redirects/test', probe)).status).toBe(200);
    const refused = [
      ['POST', '/api/redirects', { website_id: website, old_path: fresh(), new_path: '/x' }],
      ['PUT', `/api/redirects/${redirect.id}`, { notes: 'v' }],
      ['DELETE', `/api/redirects/${redirect.id}`],
      ['POST', '/api/redirects/bulk-update', { redirectIds: [redirect.id], updates: { notes: 'v' } }],
      ['DELETE', '/api/redirects/bulk-delete', { redirectIds: [redirect.id] }],
      ['POST', '/api/redirects/restore', { website_id: website, event_id: 'x' }],
    ] as const;
    for (const [method, path, body] of refused) {
      expectRefusal(await viewer.call(method, path, body), 403, 'INSUFFICIENT_ROLE');
    }
    expect(await readRedirect(owner, redirect.id)).toEqual(redirect);
    expect((await editor.call('DELETE', `/api/redirects/${redirect.id}`)).status).toBe(200);
  });

  test('without a session everything is 401', async () => {
    for (const [method, path] of [
      ['GET', '/api/redirects'],
      ['POST', '/api/redirects'],
      ['GET', '/api/redirects/1'],
      ['PUT', '/api/redirects/1'],
      ['DELETE', '/api/redirects/1'],
      ['POST', '/api/redirects/bulk-update'],
      ['DELETE', '/api/redirects/bulk-delete'],
      ['POST', '/api/redirects/import'],
      ['POST', '/api/redirects/test'],
      ['POST', '/api/redirects/restore'],
    ] as const) {
      expectRefusal(await owner.call(method, path, undefined, { cookie: '' }), 401, 'UNAUTHORIZED');
    }
  });
});
