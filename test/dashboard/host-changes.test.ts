import { expect, test } from 'vitest';
import { hostChange, isConnected } from '../../dashboard/src/screens/websites/host-changes.ts';

const dns = (state: 'here' | 'elsewhere' | 'nowhere' | 'unknown') => ({ state, addresses: [], problem: null });
const host = (state: Parameters<typeof dns>[0], verified = true, error: string | null = null) => ({
  ...{ hostname: 'www.example.com', verified, dns: dns(state) },
  certificate: { valid_until: null, issuer: null, error },
});

test('a host that is verified and points here is connected; names of this machine need no DNS', () => {
  expect(isConnected(host('here'))).toBe(true);
  expect(isConnected(host('here', false))).toBe(false);
  expect(isConnected(host('elsewhere'))).toBe(false);
  expect(isConnected({ ...host('elsewhere'), hostname: 'shop.localhost' })).toBe(true);
});

test('a change is said in words; the first check, and name servers that do not answer, change nothing', () => {
  expect(hostChange(undefined, host('here'))).toBeUndefined();
  expect(hostChange(host('here'), host('here'))).toBeUndefined();
  expect(hostChange(host('here'), host('unknown'))).toBeUndefined();
  expect(hostChange(host('nowhere'), host('here'))).toBe('www.example.com points here now');
  expect(hostChange(host('nowhere', false), host('here'))).toBe('www.example.com is verified, and points here now');
  expect(hostChange(host('here', true, 'expired'), host('here'))).toBe('www.example.com has a valid certificate now');
});
