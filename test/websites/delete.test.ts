/** Deleting a website, and permissions on websites. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import {
  colleague,
  expectRefusal,
  newHost,
  newRedirect,
  newWebsite,
  redirectsOf,
} from '../surfaces/session-api/site.ts';

let detour: TestDetour;
let owner: TestAccount;
let other: TestAccount;
beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
  other = await detour.account();
});
afterAll(() => detour.stop());

const read = async (id: number) => (await owner.call('GET', `/api/websites/${id}`)).body.website;

describe('deleting a website', () => {
  test('an empty one goes, and its hosts stop at once', async () => {
    const hostname = newHost();
    const id = await newWebsite(owner, { hosts: [{ hostname, environment: 'production' }] });
    const answer = await owner.call('DELETE', `/api/websites/${id}`);
    expect([answer.status, answer.body]).toEqual([200, { message: expect.any(String) }]);
    expect((await detour.visit(hostname, '/api/websites')).status).toBe(421);
    expectRefusal(await owner.call('GET', `/api/websites/${id}`), 404, 'WEBSITE_NOT_FOUND');
    expectRefusal(await owner.call('DELETE', `/api/websites/${id}`), 404, 'WEBSITE_NOT_FOUND');
    expect(await newWebsite(other, { hosts: [{ hostname, environment: 'production' }] })).toBeGreaterThan(0);
  });

  test('one with redirects is 409 unless force=true, which takes everything with it', async () => {
    const id = await newWebsite(owner);
    const redirect = await newRedirect(owner, { website_id: id, old_path: '/a', new_path: '/b' });
    expectRefusal(await owner.call('DELETE', `/api/websites/${id}`), 409, 'CONFLICT');
    expectRefusal(await owner.call('DELETE', `/api/websites/${id}?force=false`), 409, 'CONFLICT');
    expect(await redirectsOf(owner, id)).toHaveLength(1);
    expectRefusal(await owner.call('DELETE', `/api/websites/${id}?force=yes`), 400, 'INVALID_PARAMETER', 'force');
    expect((await owner.call('DELETE', `/api/websites/${id}?force=true`)).status).toBe(200);
    expectRefusal(await owner.call('GET', `/api/redirects/${redirect.id}`), 404, 'REDIRECT_NOT_FOUND');
    expectRefusal(
      await owner.call('PUT', `/api/redirects/${redirect.id}`, { new_path: '/c' }),
      404,
      'REDIRECT_NOT_FOUND',
    );
    expectRefusal(await owner.call('DELETE', `/api/redirects/${redirect.id}`), 404, 'REDIRECT_NOT_FOUND');
    expectRefusal(await owner.call('GET', `/api/redirects?website_id=${id}`), 404, 'WEBSITE_NOT_FOUND');
    const create = { website_id: id, old_path: '/n', new_path: '/m' };
    expectRefusal(await owner.call('POST', '/api/redirects', create), 404, 'WEBSITE_NOT_FOUND');
    const all = (await owner.call('GET', '/api/redirects')).body.redirects;
    expect(all.filter((each: { website_id: number }) => each.website_id === id)).toEqual([]);
    const bulk = { redirectIds: [redirect.id], updates: { group_id: 'gone' } };
    expect((await owner.call('POST', '/api/redirects/bulk-update', bulk)).body.updated).toBe(0);
  });
});

describe('who may', () => {
  test.each(['0', '-1', '1.5', 'abc', '1e3', '%20', '99999999999999999999', '2147483648', '007', 'null'])(
    'an id %s is a website that does not exist',
    async (id) => {
      expectRefusal(await owner.call('GET', `/api/websites/${id}`), 404, 'WEBSITE_NOT_FOUND');
      expectRefusal(await owner.call('PUT', `/api/websites/${id}`, { name: 'x' }), 404, 'WEBSITE_NOT_FOUND');
      expectRefusal(await owner.call('DELETE', `/api/websites/${id}`), 404, 'WEBSITE_NOT_FOUND');
    },
  );

  test("another account's website answers as one that does not exist, and stays as it is", async () => {
    const id = await newWebsite(owner);
    const before = await read(id);
    const none = 2_000_000_000;
    const body = { name: 'Mine now' };
    for (const [method, data] of [['GET'], ['PUT', body], ['DELETE']] as const) {
      const [theirs, unknown] = [
        await other.call(method, `/api/websites/${id}`, data),
        await other.call(method, `/api/websites/${none}`, data),
      ];
      expectRefusal(theirs, 404, 'WEBSITE_NOT_FOUND');
      expect(theirs.body.error).toBe(unknown.body.error);
      expect(theirs.body.details.replace(String(id), '')).toBe(unknown.body.details.replace(String(none), ''));
    }
    expect(await read(id)).toEqual(before);
    expect((await other.call('GET', '/api/websites')).body.websites).not.toContainEqual(before);
  });

  test('a viewer reads, an editor sets options, the owner alone deletes', async () => {
    const id = await newWebsite(owner);
    const [viewer, editor] = [await colleague(detour, owner, 'viewer'), await colleague(detour, owner, 'editor')];
    expect((await viewer.call('GET', '/api/websites')).status).toBe(200);
    expect((await viewer.call('GET', `/api/websites/${id}`)).status).toBe(200);
    expectRefusal(await viewer.call('POST', '/api/websites', { name: 'V' }), 403, 'INSUFFICIENT_ROLE');
    expectRefusal(await viewer.call('PUT', `/api/websites/${id}`, { name: 'V' }), 403, 'INSUFFICIENT_ROLE');
    expectRefusal(await viewer.call('DELETE', `/api/websites/${id}`), 403, 'INSUFFICIENT_ROLE');
    expect((await editor.call('PUT', `/api/websites/${id}`, { name: 'Edited' })).status).toBe(200);
    expectRefusal(await editor.call('DELETE', `/api/websites/${id}`), 403, 'INSUFFICIENT_ROLE');
    expect((await read(id)).name).toBe('Edited');
  });

  test('without a session 401, also with an API key', async () => {
    expectRefusal(await owner.call('GET', '/api/websites', undefined, { cookie: '' }), 401, 'UNAUTHORIZED');
    expectRefusal(await owner.keyCall('GET', '/api/websites'), 401, 'UNAUTHORIZED');
  });

  test('every answer, errors included, carries the rate limit and a request id', async () => {
    for (const answer of [
      await owner.call('GET', '/api/websites'),
      await owner.call('GET', '/api/websites/0'),
      await owner.call('POST', '/api/websites', {}),
      await owner.call('GET', '/api/websites', undefined, { cookie: '' }),
    ]) {
      expect(answer.headers.get('x-ratelimit-limit')).toMatch(/^\d+$/);
      expect(answer.headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/);
      expect(Number(answer.headers.get('x-ratelimit-reset')) % 60).toBe(0);
      expect(answer.headers.get('x-request-id')).toMatch(/./);
    }
  });
});
