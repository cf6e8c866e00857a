import { describe, expect, test } from 'vitest';
import { DomainError } from '../../src/vocabulary/error.ts';
import { checkFallbackIsElsewhere, checkWebsite, type WebsiteInput } from '../../src/websites/check-website.ts';

const SERVICE = 'detour.example.com';
const host = (hostname: string) => ({ hostname, environment: 'production' as const });
const RESERVED = { isReserved: (host: string) => host === SERVICE, needsProof: false };

test('returns hosts and allowed target hosts in their stored form, without duplicates', () => {
  const input = {
    hosts: [{ hostname: 'WWW.example.com.', environment: 'production' as const }],
    allowedTargetHosts: ['Shop.example.com', 'shop.example.com'],
  };
  expect(checkWebsite(input, RESERVED)).toEqual({
    hosts: [{ hostname: 'www.example.com', environment: 'production', redirectTo: null }],
    allowedTargetHosts: ['shop.example.com'],
  });
});

function issuesOf(input: WebsiteInput) {
  try {
    checkWebsite(input, RESERVED);
  } catch (error) {
    if (error instanceof DomainError) return error.issues;
    throw error;
  }
  return [];
}

test('reports every issue with its field', () => {
  const input = {
    hosts: [host('10.0.0.1'), host(SERVICE), host('a.com'), host('a.com')],
    fallbackUrl: 'ftp://a',
  };
  expect(issuesOf(input).map(({ path }) => path)).toEqual([
    'hosts[0].hostname',
    'hosts[1].hostname',
    'hosts[3].hostname',
    'fallback_url',
  ]);
});

test('rejects a fallback on a host of the website', () => {
  const hosts = [{ hostname: 'www.example.com', environment: 'production' as const }];
  expect(() => checkFallbackIsElsewhere('https://WWW.example.com/x', hosts)).toThrow('fallback_url');
  expect(() => checkFallbackIsElsewhere('https://other.example.com/x', hosts)).not.toThrow();
  expect(() => checkFallbackIsElsewhere(null, hosts)).not.toThrow();
});

test('a fallback on a name below a wildcard of the website is rejected as well', () => {
  expect(() => checkFallbackIsElsewhere('https://a.b.example.com', [host('*.example.com')])).toThrow('fallback_url');
  expect(() => checkFallbackIsElsewhere('https://example.com', [host('*.example.com')])).not.toThrow();
});

test('a wildcard is *. before a name of at least two labels', () => {
  const { hosts } = checkWebsite({ hosts: [host('*.Bücher.example.'), host('bücher.example')] }, RESERVED);
  expect(hosts?.map(({ hostname }) => hostname)).toEqual(['*.xn--bcher-kva.example', 'xn--bcher-kva.example']);
  for (const text of [
    '*',
    '*.',
    '*.com',
    '*.localhost',
    '*example.com',
    'a.*.example.com',
    '*.*.example.com',
    '*.10.0.0.1',
  ])
    expect([text, issuesOf({ hosts: [host(text)] })]).toMatchObject([text, [{ path: 'hosts[0].hostname' }]]);
  expect(issuesOf({ hosts: [host(`*.${'a.'.repeat(125)}a`)] })).toEqual([]);
  expect(issuesOf({ hosts: [host(`*.${'a.'.repeat(126)}a`)] })).toHaveLength(1);
});

test('10,000 hosts are allowed', () => {
  const list = (count: number) => Array.from({ length: count }, (_, at) => host(`h${at}.example`));
  expect(issuesOf({ hosts: list(10_000) })).toEqual([]);
  expect(issuesOf({ hosts: list(10_001) })).toMatchObject([{ path: 'hosts', code: 'TOO_MANY_ITEMS' }]);
});

describe('a domain redirect', () => {
  const issue = (url: string, statusCode = 301) =>
    issuesOf({ hosts: [{ ...host('a.example'), redirectTo: { url, statusCode, keepPath: true } }] })[0];

  test.each([
    'https://b.example',
    'http://b.example:8080/x/y/',
    'https://xn--bcher-kva.example/%C3%BC',
    'https://b.example/@x',
  ])('to %s is allowed', (url) => {
    expect(issue(url)).toBeUndefined();
  });

  test.each([
    'b.example',
    '/path',
    '//b.example',
    'javascript:alert(1)',
    'ftp://b.example',
    'https://user@b.example',
    'https://user:pw@b.example',
    'https://b.example?x=1',
    'https://b.example/#x',
    'https://b.example/a b',
    'https://b.example\r\nX: y',
    'https://b.example\\@c.example',
    'https://',
    `https://b.example/${'x'.repeat(2_048)}`,
  ])('to %j is not', (url) => {
    expect(issue(url)).toMatchObject({ path: 'hosts[0].redirect_to.url', code: 'VALIDATION_ERROR' });
  });

  test('has one of four statuses', () => {
    expect([301, 302, 307, 308].map((status) => issue('https://b.example', status))).toEqual(Array(4).fill(undefined));
    for (const status of [200, 300, 303, 304, 410, 451, 0])
      expect(issue('https://b.example', status)).toMatchObject({
        path: 'hosts[0].redirect_to.status_code',
        code: 'INVALID_STATUS_CODE',
      });
  });
});
