/** Behind a proxy that says which scheme the visitor used. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestDetour, type TestDetour } from '../../support/detour.ts';
import { addRedirect, createSite, settled } from '../../support/site.ts';

const HOST = 'secure.example';

async function withHttpsRule(env: Record<string, string>): Promise<TestDetour> {
  const detour = await startTestDetour(env);
  const owner = await detour.account();
  const site = await createSite(owner, [HOST], { allowed_target_hosts: [HOST] });
  await addRedirect(owner, site, { old_path: '/(.*)', new_path: `https://${HOST}/$1`, is_regex: true });
  await settled(owner, site);
  return detour;
}

let trusting: TestDetour;
let plain: TestDetour;

beforeAll(async () => {
  [trusting, plain] = await Promise.all([withHttpsRule({ TRUST_PROXY: '1' }), withHttpsRule({})]);
});

afterAll(() => Promise.all([trusting.stop(), plain.stop()]));

const ask = async (detour: TestDetour, scheme?: string) => {
  const headers = scheme === undefined ? {} : { 'x-forwarded-proto': scheme };
  const { status, location } = await detour.visit(HOST, '/a/b?x=1', { headers });
  return location ?? status;
};

describe('a rule from http to https on the same host', () => {
  test('with a trusted proxy sends http on and leaves https alone', async () => {
    expect(await ask(trusting, 'http')).toBe(`https://${HOST}/a/b?x=1`);
    expect(await ask(trusting, 'https')).toBe(404);
  });

  test('never answers an address with itself where the scheme is not known', async () => {
    expect(await ask(plain)).toBe(404);
    expect(await ask(plain, 'http')).toBe(404);
    expect(await ask(trusting)).toBe(404);
    expect(await ask(trusting, 'gopher')).toBe(404);
  });
});

test('X-Forwarded-Host is never the host', async () => {
  for (const detour of [trusting, plain]) {
    const { status, location } = await detour.visit('unknown.example', '/health', {
      headers: { 'x-forwarded-host': HOST, 'x-forwarded-proto': 'http' },
    });
    expect([status, location]).toEqual([200, undefined]);
  }
});

test('the request id of a trusted proxy is that of the redirect', async () => {
  for (const [detour, expected] of [
    [trusting, true],
    [plain, false],
  ] as const) {
    const { headers } = await detour.visit(HOST, '/a/b', { headers: { 'x-request-id': 'proxy-1' } });
    expect(headers['x-request-id'] === 'proxy-1').toBe(expected);
  }
});
