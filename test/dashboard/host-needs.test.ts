import { expect, test } from 'vitest';
import { notInDns } from '../../dashboard/src/screens/home/host-needs.ts';

const host = (hostname: string, more: object = {}) => ({
  ...{ hostname, environment: 'production' as const, verified: true, dns: { state: 'nowhere' as const } },
  ...more,
});

test('verified production hosts that are not in DNS are one line', () => {
  const hosts = [
    host('here.shop.com', { dns: { state: 'here' } }),
    host('slow.shop.com', { dns: { state: 'unknown' } }),
    host('staging.shop.com', { environment: 'staging' }),
    host('unproven.shop.com', { verified: false }),
    host('www.shop.com'),
    host('shop.shop.com'),
  ];
  const line = { kind: 'host.not_in_dns', website_id: '7', count: 2, subject: 'www.shop.com' };
  expect(notInDns(7, hosts, false)).toMatchObject([{ ...line, count_is_at_least: false }]);
  expect(notInDns(7, hosts, true)).toMatchObject([{ ...line, count_is_at_least: true }]);
});

test.each(['localhost', 'demo.localhost', 'shop.test', 'nas.local', 'shop.example', 'www.example.com'])(
  '%s is for trials',
  (hostname) => {
    expect(notInDns(7, [host(hostname)], false)).toEqual([]);
  },
);
