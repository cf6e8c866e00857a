import { randomBytes } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { createBoundedCache } from '../../../src/surfaces/edge/bounded-cache.ts';
import { canonicalAddress, countryCode, openCountries } from '../../../src/hits/count/country.ts';
import { isScannerPath } from '../../../src/hits/count/scanner-paths.ts';
import { referrerHost } from '../../../src/hits/count/count.ts';
import {
  createBatchEncoder,
  createBatchDecoder,
  type Request,
} from '../../../src/hits/record/request-batch.ts';
import { createVisitors } from '../../../src/hits/count/visitor.ts';

test('a bounded cache forgets the oldest, keeps what is asked for, and never holds more than its most', () => {
  const cache = createBoundedCache<number>(4);
  cache.set('kept', 0);
  for (let i = 1; i <= 100; i++) {
    cache.set(`key ${i}`, i);
    expect(cache.get('kept')).toBe(0);
  }
  expect(cache.get('key 1')).toBeUndefined();
  expect(cache.get('key 100')).toBe(100);
});

test.each([
  ['https://Example.com/private?token=1#part', 'example.com'],
  ['http://user:password@example.com:8080/', 'example.com'],
  ['https://[2001:db8::1]:8443/x', '[2001:db8::1]'],
  ['https://example.com?q=1', 'example.com'],
  ['https://example.com', 'example.com'],
  ['android-app://com.example/', null],
  ['/relative', null],
  ['https://', null],
  ['https://exa mple.com/', null],
  [`https://${'a'.repeat(300)}.example/`, null],
  ['', null],
  [undefined, null],
])('of the referrer %s remains %s', (referrer, host) => expect(referrerHost(referrer)).toBe(host));

test.each([
  '/.env',
  '/app/.env.production',
  '/.git/config',
  '/wp-login.php',
  '/blog/xmlrpc.php',
  '/wp-content/plugins/x/readme.txt',
  '/phpMyAdmin/index.php',
  '/vendor/phpunit/phpunit/src/Util/PHP/eval-stdin.php',
  '/cgi-bin/luci',
  '/phpmyadmin-4.8/',
  '/uploads/shell.php',
  '/adminer-4.7.8.php',
  '/actuator/health',
  '/backup.sql.gz',
  '/.aws/credentials',
])('%s is what scanners ask for', (path) => expect(isScannerPath(path)).toBe(true));

test.each([
  '/',
  '/index.php',
  '/old/shop.php',
  '/environment',
  '/blog/git-for-beginners',
  '/wp-content/uploads/2019/05/photo.jpg',
  '/shells-and-stones',
  '/shell-game',
  '/credentials-for-the-press',
  '/pmatch',
  '/news/actuators-explained',
  '/downloads/manual.pdf',
])('%s may well have been a page', (path) => expect(isScannerPath(path)).toBe(false));

test('the shipped database tells countries of both families; private addresses have none', async () => {
  const countryOf = await openCountries(null);
  const of = (address: string): string => countryOf(canonicalAddress(address) ?? '');
  expect(of('8.8.8.8')).toBe('US');
  expect(of('2001:4860:4860::8888')).toBe('US');
  expect(of('::ffff:8.8.8.8')).toBe('US');
  expect(of('10.0.0.1')).toBe('');
});

test('an address is told in one form, whatever way it was written', () => {
  expect(canonicalAddress('203.0.113.7')).toBe('203.0.113.7');
  expect(canonicalAddress('::ffff:203.0.113.7')).toBe('203.0.113.7');
  expect(canonicalAddress('::FFFF:cb00:7107')).toBe('203.0.113.7');
  expect(canonicalAddress('2001:DB8:0:0::1')).toBe('2001:db8::1');
  expect(canonicalAddress('256.1.1.1')).toBeNull();
  expect(canonicalAddress('256.1.1.1:80')).toBeNull();
  expect(canonicalAddress('unknown')).toBeNull();
});

test.each(['203.0.113.7:4711', '203.0.113.7:1', '[::ffff:203.0.113.7]:4711', '[::ffff:203.0.113.7]'])(
  '%s is the address that a proxy named, whatever the port of the connection',
  (address) => expect(canonicalAddress(address)).toBe('203.0.113.7'),
);

test('what is much longer than an address or a user agent is told apart, and not kept', () => {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  const heap = (): number => {
    if (typeof collect === 'function') collect();
    return process.memoryUsage().heapUsed;
  };
  const visitors = createVisitors(randomBytes(16), () => '');
  const packer = createBatchEncoder();
  const unpack = createBatchDecoder(visitors);
  const request: Omit<Request, 'address' | 'userAgent'> = {
    websiteId: 1,
    environment: 'production',
    redirectId: 1,
    path: '/',
    micros: 1,
    country: undefined,
    referrer: undefined,
  };
  const before = heap();
  const seen = new Set<string>();
  for (let i = 0; i < 1_000; i++) {
    packer.add(
      { ...request, address: `${i} ${'9'.repeat(50_000)}`, userAgent: `${'x'.repeat(50_000)} ${i}` },
      0,
    );
    unpack(packer.take(), ({ address, agent }) => {
      visitors.identify(address, agent);
      seen.add(`${visitors.high} ${visitors.low}`);
    });
  }
  expect(seen.size).toBe(1_000);
  expect(heap() - before).toBeLessThan(10 * 1024 * 1024);
});

test('a country is two letters that mean one', () => {
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

test('a country database that cannot be read is an error that names GEOIP_DB', async () => {
  await expect(openCountries('/nowhere/country.mmdb')).rejects.toThrow(/^GEOIP_DB must .*nowhere/);
  await expect(openCountries(import.meta.filename)).rejects.toThrow(/^GEOIP_DB must /);
});
