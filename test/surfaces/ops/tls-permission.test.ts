import { expect, test } from 'vitest';
import { createLiveRegistry } from '../../../src/deployments/live/live-registry.ts';
import type { ProcessState } from '../../../src/http/server/readiness.ts';
import { createTlsPermission } from '../../../src/surfaces/ops/tls-permission.ts';
import type { Site } from '../../../src/deployments/live/site-registry.ts';

const SITE: Omit<Site, 'hosts'> = {
  id: 1,
  accountId: 1,
  caseSensitive: true,
  trailingSlash: 'ignore',
  query: 'pass',
  fallbackUrl: null,
  allowedTargetHosts: [],
};

function permission(hostnames: string[], rulesets: ProcessState['rulesets'] = 'current') {
  const registry = createLiveRegistry(new Set(['detour.example', 'alias.example']));
  const hosts = hostnames.map((hostname) => ({ hostname, environment: 'production' as const }));
  registry.setSite({ ...SITE, hosts });
  return createTlsPermission({ registry, publicUrl: 'https://detour.example', state: { rulesets } });
}

test.each(['shop.example', 'SHOP.Example.', 'xn--caf-dma.example', 'café.example', 'detour.example'])(
  '%s gets a certificate',
  (domain) => {
    expect(permission(['shop.example', 'xn--caf-dma.example'])(domain)).toBeUndefined();
  },
);

test.each([
  'www.shop.example',
  'example',
  'alias.example',
  'localhost',
  '127.0.0.1',
  '[::1]',
  'shop.example:443',
  'https://shop.example',
  'shop .example',
  '*',
  '*.',
  '*.shop.example',
  'x'.repeat(50_000),
])('%.30s gets none', (domain) => {
  const problem = permission(['shop.example', 'alias.example'])(domain);
  expect([problem?.code, problem?.details.length]).toEqual(['HOST_NOT_FOUND', expect.any(Number)]);
  expect(problem?.details).toContain(`domain: "${domain.slice(0, 100)}"`);
  expect(problem?.details.length).toBeLessThan(300);
});

test('names below a wildcard get certificates, except those of the service', () => {
  const of = permission(['*.wild.example', '*.example']);
  for (const domain of ['a.wild.example', 'a.b.wild.example', '*.wild.example', 'wild.example', 'detour.example'])
    expect(of(domain)).toBeUndefined();
  for (const domain of ['alias.example', 'example', '*']) expect(of(domain)?.code).toBe('HOST_NOT_FOUND');
});

test('a host that the snapshots lack may be one of the database, until it has been read', () => {
  const starting = permission(['shop.example'], 'snapshot');
  expect(starting('shop.example')).toBeUndefined();
  expect(starting('new.example')).toMatchObject({ code: 'DATABASE_UNAVAILABLE', retryAfter: 1 });
});
