/** Authentication of surface A. */
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setPlan } from '../../src/accounts/account.ts';
import { listApiKeys, revokeApiKey } from '../../src/accounts/api-key.ts';
import { startTestApp, type TestApp, type TestOwner } from '../support/app.ts';

let detour: TestApp;
let owner: TestOwner;
beforeAll(async () => {
  detour = await startTestApp();
  owner = await detour.account('pro');
});
afterAll(() => detour.close());

/** A route that exists in surface A, for reading. */
const READ = '/api/v1/websites';
const code = (answer: Awaited<ReturnType<FastifyInstance['inject']>>): string | number =>
  answer.statusCode === 200 ? 200 : answer.json().code;

describe('an API key', () => {
  test('opens the surface', async () => {
    const { key } = await owner.key();
    expect(code(await detour.call('GET', READ, { key }))).toBe(200);
  });

  test.each(['bearer', 'BEARER', 'Bearer '])('is taken after %j too', async (scheme) => {
    const { key } = await owner.key();
    expect(code(await detour.call('GET', READ, { headers: { authorization: `${scheme} ${key}` } }))).toBe(200);
  });

  test('that is missing, unknown, mistyped, revoked or expired is 401 with a challenge', async () => {
    const { key } = await owner.key();
    const revoked = await owner.key();
    await revokeApiKey(detour.database.db, owner.actor, revoked.id, detour.clock.now());
    const expired = await owner.key({ expiresAt: new Date(detour.clock.now().getTime() + 1_000) });
    detour.clock.advance(1_000);
    const mistyped = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
    const authorizations = [
      '',
      'Bearer',
      'Bearer x',
      key,
      `Token ${key}`,
      `Bearer ${mistyped}`,
      `Bearer ${revoked.key}`,
      `Bearer ${expired.key}`,
    ];
    for (const authorization of authorizations) {
      const answer = await detour.call('GET', READ, { headers: { authorization } });
      expect([authorization, answer.statusCode, answer.json().code]).toEqual([authorization, 401, 'UNAUTHORIZED']);
      expect(answer.headers).toHaveProperty(
        'www-authenticate',
        authorization.startsWith('Bearer ') ? 'Bearer realm="Detour", error="invalid_token"' : 'Bearer realm="Detour"',
      );
      expect(answer.headers).toHaveProperty('x-ratelimit-limit', '100');
    }
  });

  test('that is missing gets no challenge on unknown paths', async () => {
    const answer = await detour.call('GET', '/api/v1/nothing');
    expect(answer.statusCode).toBe(404);
    expect(answer.headers).not.toHaveProperty('www-authenticate');
  });

  test('of a plan without API access is 403 PLAN_REQUIRED, from the moment of the change', async () => {
    const changing = await detour.account('pro');
    const { key } = await changing.key();
    expect(code(await detour.call('GET', READ, { key }))).toBe(200);
    await setPlan(detour.database.db, changing.actor, 'free');
    const refused = await detour.call('GET', READ, { key });
    expect([refused.statusCode, refused.json().code]).toEqual([403, 'PLAN_REQUIRED']);
    expect(refused.json().details).toContain('pro');
    expect(refused.headers).toHaveProperty('x-ratelimit-limit', '100');
    await setPlan(detour.database.db, changing.actor, 'pro');
    expect(code(await detour.call('GET', READ, { key }))).toBe(200);
  });

  test('has its last use noted without the request waiting for it', async () => {
    const short = await startTestApp({ database: detour.database, clock: detour.clock });
    const { id, key } = await owner.key();
    await short.call('GET', READ, { key });
    // Closing waits for background work.
    await short.close();
    const used = (await listApiKeys(detour.database.db, owner.actor)).find((one) => one.id === id)?.usedAt;
    expect(used).toEqual(detour.clock.now());
  });
});

describe('a dry run of a bulk import', () => {
  const line = '{"old_path": "/a", "new_path": "/b"}';
  const bulk = (websiteId: number, dryRun: boolean, as: { key: string } | { cookie: string }) =>
    detour.call('POST', '/api/v1/redirects/bulk', {
      ...as,
      headers: { 'sec-fetch-site': 'same-origin' },
      // The entries come first: only after them it is certain whether this is a dry run.
      body: { redirects: [JSON.parse(line)], website_id: String(websiteId), ...(dryRun && { dry_run: true }) },
    });
  const lines = (websiteId: number, dryRun: boolean, as: { key: string }) =>
    detour.app.inject({
      method: 'POST',
      url: `/api/v1/redirects/bulk?website_id=${websiteId}&dry_run=${dryRun}`,
      headers: { authorization: `Bearer ${as.key}`, 'content-type': 'application/x-ndjson' },
      payload: line,
    });

  test('needs only a read key or the role viewer, and an import more', async () => {
    const cookie = await detour.cookieOf(owner.email);
    const site = await detour.call('POST', '/api/websites', { cookie, body: { name: 'dry', hosts: [] } });
    const { id } = site.json().website;
    const read = await owner.key({ scope: 'read' });
    const viewer = { cookie: await detour.cookieOf((await owner.user('viewer')).email) };
    for (const dry of [await bulk(id, true, read), await lines(id, true, read), await bulk(id, true, viewer)]) {
      expect([dry.statusCode, dry.json().summary]).toMatchObject([200, { created: 1, updated: 0 }]);
    }
    expect(code(await bulk(id, false, read))).toBe('INSUFFICIENT_SCOPE');
    expect(code(await lines(id, false, read))).toBe('INSUFFICIENT_SCOPE');
    expect(code(await bulk(id, false, viewer))).toBe('INSUFFICIENT_ROLE');
    const { redirects } = (await detour.call('GET', `/api/redirects?website_id=${id}`, { cookie })).json();
    expect(redirects).toEqual([]);
  });
});

describe('the session cookie', () => {
  test.each([
    ['same-origin', 200],
    ['same-site', 'UNAUTHORIZED'],
    ['cross-site', 'UNAUTHORIZED'],
    ['none', 'UNAUTHORIZED'],
    [undefined, 'UNAUTHORIZED'],
  ])('with Sec-Fetch-Site %s', async (site, expected) => {
    const cookie = await detour.cookieOf(owner.email);
    const headers = site === undefined ? {} : { 'sec-fetch-site': site };
    expect(code(await detour.call('GET', READ, { cookie, headers }))).toBe(expected);
  });

  test('does not help a key that is not valid, and a valid key needs no cookie', async () => {
    const cookie = await detour.cookieOf(owner.email);
    const headers = { 'sec-fetch-site': 'same-origin' };
    expect(code(await detour.call('GET', READ, { cookie, key: 'dtr_nope', headers }))).toBe('UNAUTHORIZED');
    const { key } = await owner.key();
    expect(code(await detour.call('GET', READ, { cookie: 'detour.session-token=x', key, headers }))).toBe(200);
  });

  test("is not hidden by a proxy's Basic credentials", async () => {
    const headers = { 'sec-fetch-site': 'same-origin', authorization: 'Basic dTpw' };
    expect(code(await detour.call('GET', READ, { cookie: await detour.cookieOf(owner.email), headers }))).toBe(200);
  });

  test('of a free account gets 403 PLAN_REQUIRED like its key', async () => {
    const cookie = await detour.cookieOf((await detour.account('free')).email);
    const answer = await detour.call('GET', READ, { cookie, headers: { 'sec-fetch-site': 'same-origin' } });
    expect([answer.statusCode, answer.json().code]).toEqual([403, 'PLAN_REQUIRED']);
  });
});
