import { expect, test } from 'vitest';
import { canonicalAddress, countryCode, openCountries } from '../../../src/hits/count/country.ts';

test('the packaged database has the countries of IPv4 and IPv6 addresses, and none for private ones', async () => {
  const countryOf = await openCountries(null);
  const of = (address: string): string => countryOf(canonicalAddress(address) ?? '');
  expect(of('8.8.8.8')).toBe('US');
  expect(of('2001:4860:4860::8888')).toBe('US');
  expect(of('::ffff:8.8.8.8')).toBe('US');
  expect(of('10.0.0.1')).toBe('');
});

test('the canonical form of an address does not depend on its spelling', () => {
  expect(canonicalAddress('203.0.113.7')).toBe('203.0.113.7');
  expect(canonicalAddress('::ffff:203.0.113.7')).toBe('203.0.113.7');
  expect(canonicalAddress('::FFFF:cb00:7107')).toBe('203.0.113.7');
  expect(canonicalAddress('2001:DB8:0:0::1')).toBe('2001:db8::1');
  expect(canonicalAddress('256.1.1.1')).toBeNull();
  expect(canonicalAddress('256.1.1.1:80')).toBeNull();
  expect(canonicalAddress('unknown')).toBeNull();
});

test.each(['203.0.113.7:4711', '203.0.113.7:1', '[::ffff:203.0.113.7]:4711', '[::ffff:203.0.113.7]'])(
  'the port of %s is not part of the canonical address',
  (address) => expect(canonicalAddress(address)).toBe('203.0.113.7'),
);

test('a country code is two letters, except for the codes of unknown countries', () => {
  expect(['de', 'DE', 'XX', 'ZZ', 'T1', 'DEU', '', undefined, 7].map(countryCode)).toEqual([
    'DE',
    'DE',
    '',
    '',
    '',
    '',
    '',
    '',
    '',
  ]);
});

test('an unreadable country database is an error that names GEOIP_DB', async () => {
  await expect(openCountries('/nowhere/country.mmdb')).rejects.toThrow(/^GEOIP_DB must .*nowhere/);
  await expect(openCountries(import.meta.filename)).rejects.toThrow(/^GEOIP_DB must /);
});
