/** Whatever a visitor asks for, a Location stays where its rule says, and headers stay headers. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';
import { addRedirect, createSite, settled } from '../../support/site.ts';
import { exchange, rawRequest } from './raw-request.ts';

const HOST = 'safe.example';
const ROOT = 'root.example';

let detour: TestDetour;
let owner: TestAccount;

const at = (target: string, host = HOST) => rawRequest(detour.address, [`GET ${target} HTTP/1.1`, `Host: ${host}`]);

beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
  const site = await createSite(owner, [HOST], { allowed_target_hosts: ['shop.example'] });
  const pattern = (old_path: string, new_path: string) =>
    addRedirect(owner, site, { old_path, new_path, is_regex: true });
  await pattern('/go(.*)', '/$1');
  await pattern('/at(.*)', 'https://shop.example/$1');
  await pattern('/query/(.*)', '/search?q=$1');
  await pattern('/named/(?P<rest>.*)', '/${rest}/end');
  await pattern('/price', '/costs-$$5');
  await pattern('/a(x)?b', '/got-$1-end');
  await addRedirect(owner, site, { old_path: '/plain', new_path: '/to#part' });
  const root = await createSite(owner, [ROOT], {});
  await addRedirect(owner, root, { old_path: '^/(.*)', new_path: '/$1', is_regex: true });
  await settled(owner, site);
  await settled(owner, root);
});

afterAll(() => detour.stop());

describe('an address cannot be made to leave the host', () => {
  test.each([
    ['/go//evil.com', '/evil.com'],
    ['/go/evil.com', '/evil.com'],
    ['/go////evil.com/%2f..', '/evil.com/%2F..'],
    ['/go%5Cevil.com', '/%5Cevil.com'],
    ['/go\\evil.com', '/%5Cevil.com'],
    ['/go/\\evil.com', '/%5Cevil.com'],
    ['/go%2F%2Fevil.com', '/%2F%2Fevil.com'],
    ['/gohttps://evil.com', '/https://evil.com'],
    ['/go%09/evil.com', '/%09/evil.com'],
    ['/go@evil.com', '/@evil.com'],
    ['/at@evil.com', 'https://shop.example/@evil.com'],
    ['/at.evil.com', 'https://shop.example/.evil.com'],
    ['/named//evil.com', '/evil.com/end'],
  ])('%s leads to %s', async (target, location) => {
    expect((await at(target)).headers.get('location')).toBe(location);
  });

  test.each(['//evil.com', '/\\evil.com', '//evil.com/..', '/%2f/evil.com', '///', '/%5c/evil.com'])(
    'a rule for every path answers %s with a path of its own host, or not at all',
    async (target) => {
      const location = (await at(target, ROOT)).headers.get('location');
      expect(location ?? '/').toMatch(/^\/(?![/\\])/);
      expect(new URL(location ?? '/', `https://${ROOT}`).host).toBe(ROOT);
    },
  );
});

describe('headers cannot be added', () => {
  test.each([
    ['/go%0d%0aSet-Cookie:%20a=b', '/%0D%0ASet-Cookie:%20a=b'],
    ['/go%0ASet-Cookie:a', '/%0ASet-Cookie:a'],
    ['/go%E5%98%8A%E5%98%8DSet-Cookie:a', '/%E5%98%8A%E5%98%8DSet-Cookie:a'],
    ['/query/%00%7f', '/search?q=%00%7F'],
    ['/plain?x=%0d%0aSet-Cookie:a', '/to?x=%0d%0aSet-Cookie:a#part'],
  ])('%s: what was escaped stays escaped', async (target, location) => {
    const answer = await at(target);
    expect(answer.headers.get('location')).toBe(location);
    expect(answer.headers.has('set-cookie')).toBe(false);
  });

  test('a bare CR or NUL in the request line is rejected', async () => {
    for (const target of ['/go\rSet-Cookie:a', '/go\0x', '/plain?a=\rb']) {
      const received = await exchange(
        detour.address,
        `GET ${target} HTTP/1.1\r\nHost: ${HOST}\r\nConnection: close\r\n\r\n`,
      );
      expect(received).toMatch(/^HTTP\/1\.1 400 /);
      expect(received).not.toMatch(/^set-cookie/im);
    }
  });

  test('markup in a request is not answered as markup', async () => {
    const answer = await at('/go<script>alert(1)</script>?<b>');
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(answer.body).not.toContain('<script>');
  });
});

describe('captures', () => {
  test('a group that took no part is empty, and $$ is a dollar', async () => {
    expect((await at('/ab')).headers.get('location')).toBe('/got--end');
    expect((await at('/axb')).headers.get('location')).toBe('/got-x-end');
    expect((await at('/price')).headers.get('location')).toBe('/costs-$5');
  });

  test('in a query are not split off by what they hold', async () => {
    expect((await at('/query/a%26b=c%23d')).headers.get('location')).toBe('/search?q=a%26b=c%23d');
  });

  test('a fragment is passed by no query', async () => {
    expect((await at('/plain?a=%23x')).headers.get('location')).toBe('/to?a=%23x#part');
  });
});
