import { expect, test } from 'vitest';
import { createLiveRegistry } from '../../../src/deployments/live/live-registry.ts';
import { createSiteRegistry, type Site } from '../../../src/deployments/live/site-registry.ts';
import { optionsFrom } from '../../resolver/rules.ts';

const REDIRECT = { url: 'https://new.test', statusCode: 301, keepPath: true };
const site = (id: number, hosts: Site['hosts']): Site => ({
  ...optionsFrom(),
  id,
  accountId: id,
  fallbackUrl: null,
  allowedTargetHosts: [],
  hosts,
});
const RESERVED = new Set(['detour.example', 'localhost']);

test('an exact host of one website takes precedence over the wildcard of another, and the wildcard gets it back', () => {
  const sites = createSiteRegistry(RESERVED);
  sites.set(site(1, [{ hostname: '*.example', environment: 'production' }]));
  sites.set(site(2, [{ hostname: 'a.example', environment: 'staging', redirectTo: REDIRECT }]));
  const at = { hostname: '*.example', websiteId: 1, environment: 'production', redirectTo: null };
  expect(sites.byHostname('b.example')).toEqual(at);
  expect(sites.byHostname('a.example')).toMatchObject({ websiteId: 2, environment: 'staging', redirectTo: REDIRECT });
  sites.remove(2);
  expect(sites.byHostname('a.example')).toEqual(at);
  sites.set(site(1, []));
  expect(sites.byHostname('b.example')).toBeUndefined();
});

test('a wildcard does not take a host of the service, and both are named as a clash', () => {
  const sites = createSiteRegistry(RESERVED);
  sites.set(
    site(1, [
      { hostname: '*.example', environment: 'production' },
      { hostname: 'localhost', environment: 'production' },
      { hostname: '*.other.test', environment: 'production' },
    ]),
  );
  expect(sites.byHostname('detour.example')).toBeUndefined();
  expect(sites.byHostname('localhost')).toBeUndefined();
  expect(sites.byHostname('www.detour.example')?.websiteId).toBe(1);
  expect(sites.clashes()).toEqual([
    { websiteId: 1, hostname: '*.example', reserved: 'detour.example' },
    { websiteId: 1, hostname: 'localhost', reserved: 'localhost' },
  ]);
});

test('a live website has the redirect of the requested host only', () => {
  const registry = createLiveRegistry();
  registry.setSite(
    site(1, [
      { hostname: '*.example', environment: 'production', redirectTo: REDIRECT },
      { hostname: 'www.example', environment: 'production' },
    ]),
  );
  for (let round = 0; round < 2; round++) {
    expect(registry.byHostname('a.example')?.redirectTo).toEqual(REDIRECT);
    expect(registry.byHostname('www.example')?.redirectTo).toBeNull();
  }
  expect(registry.live(1, 'production')?.redirectTo).toBeNull();
});

test('the cache of visited hosts is bounded: a wildcard makes every name below it known', () => {
  const registry = createLiveRegistry();
  registry.setSite(site(1, [{ hostname: '*.example', environment: 'production' }]));
  const first = registry.byHostname('a.example');
  expect(registry.byHostname('a.example')).toBe(first);
  for (let at = 0; at < 10_000; at++) registry.byHostname(`${at}.example`);
  expect(registry.byHostname('a.example')).not.toBe(first);
  expect(registry.byHostname('a.example')).toEqual(first);
});
