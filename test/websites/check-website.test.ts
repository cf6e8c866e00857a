import { expect, test } from 'vitest';
import { DomainError } from '../../src/vocabulary/error.ts';
import { checkFallbackIsElsewhere, checkWebsite } from '../../src/websites/check-website.ts';

const SERVICE = 'detour.example.com';
const RESERVED = { isReserved: (host: string) => host === SERVICE, needsProof: false };

test('returns hosts and allowed target hosts in their stored form, without duplicates', () => {
  const input = {
    hosts: [{ hostname: 'WWW.example.com.', environment: 'production' as const }],
    allowedTargetHosts: ['Shop.example.com', 'shop.example.com'],
  };
  expect(checkWebsite(input, RESERVED)).toEqual({
    hosts: [{ hostname: 'www.example.com', environment: 'production' }],
    allowedTargetHosts: ['shop.example.com'],
  });
});

test('reports every issue with its field', () => {
  const host = (hostname: string) => ({ hostname, environment: 'production' as const });
  const input = {
    hosts: [host('10.0.0.1'), host(SERVICE), host('a.com'), host('a.com')],
    fallbackUrl: 'ftp://a',
  };
  let error: unknown;
  try {
    checkWebsite(input, RESERVED);
  } catch (thrown) {
    error = thrown;
  }
  if (!(error instanceof DomainError)) throw new Error('nothing was thrown');
  expect(error.issues.map(({ path }) => path)).toEqual([
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
