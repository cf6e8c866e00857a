import { randomBytes } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import { describe, expect, test } from 'vitest';
import { blockReason, isPrivate } from '../../../src/platform/network/egress.ts';
import { inSoak } from '../../support/soak.ts';

/** [address, what it is] */
const never: [string, RegExp][] = [
  ['169.254.169.254', /link-local/],
  ['169.254.0.1', /link-local/],
  ['fe80::1', /link-local/],
  ['febf:ffff::1', /link-local/],
  ['fd00:ec2::254', /metadata/],
  ['fd00:ec2::23', /metadata/],
  ['fd20:ce::254', /metadata/],
  ['fd00:c1::a9fe:a9fe', /metadata/],
  ['168.63.129.16', /metadata/],
  ['100.100.100.200', /metadata/],
  ['0.0.0.0', /unspecified/],
  ['0.1.2.3', /unspecified/],
  ['::', /unspecified/],
  ['255.255.255.255', /broadcast/],
  ['224.0.0.1', /multicast/],
  ['239.255.255.255', /multicast/],
  ['ff02::1', /multicast/],
  ['192.0.0.192', /reserved/],
  ['192.0.2.1', /reserved/],
  ['198.18.0.1', /reserved/],
  ['240.0.0.1', /reserved/],
  ['2001:db8::1', /reserved/],
  ['3fff::1', /reserved/],
  ['5f00::1', /not a public/],
  ['100::1', /not a public/],
  ['fec0::1', /not a public/],
  ['::127.0.0.1', /not a public/],
  // the same addresses in IPv6 clothes
  ['::ffff:169.254.169.254', /link-local/],
  ['::ffff:a9fe:a9fe', /link-local/],
  ['0:0:0:0:0:FFFF:A9FE:A9FE', /link-local/],
  ['::ffff:100.100.100.200', /metadata/],
  ['::ffff:0.0.0.0', /unspecified/],
  ['::ffff:255.255.255.255', /broadcast/],
  ['::ffff:0:169.254.169.254', /not a public/],
  ['64:ff9b::169.254.169.254', /translated/],
  ['64:ff9b::7f00:1', /translated/],
  ['64:ff9b::8.8.8.8', /translated/],
  ['64:ff9b:1::a00:1', /translated/],
  ['2002:a9fe:a9fe::1', /translated/],
  ['2002:7f00:1::', /translated/],
  ['2001:0:4136:e378:8000:63bf:3fff:fdd2', /translated/],
  // what is no address
  ['', /not a plain/],
  ['example.com', /not a plain/],
  ['0x7f.1', /not a plain/],
  ['2130706433', /not a plain/],
  ['127.1', /not a plain/],
  ['010.0.0.1', /not a plain/],
  ['fe80::1%eth0', /not a plain/],
  ['2606:4700::1111%lo', /not a plain/],
  ['[2606:4700::1111]', /not a plain/],
];

const privately: [string, RegExp][] = [
  ['127.0.0.1', /loopback/],
  ['127.255.255.255', /loopback/],
  ['::1', /loopback/],
  ['0:0:0:0:0:0:0:1', /loopback/],
  ['10.0.0.1', /private/],
  ['172.16.0.1', /private/],
  ['172.31.255.255', /private/],
  ['192.168.1.1', /private/],
  ['100.64.0.1', /private/],
  ['100.127.255.255', /private/],
  ['fd12:3456::1', /private/],
  ['fc00::1', /private/],
  ['::ffff:127.0.0.1', /loopback/],
  ['::ffff:7f00:1', /loopback/],
  ['::ffff:10.1.2.3', /private/],
];

const publicly = [
  ...['8.8.8.8', '1.1.1.1', '100.63.255.255', '100.128.0.1', '172.15.255.255', '172.32.0.1', '192.0.1.1'],
  ...['9.255.255.255', '11.0.0.0', '126.255.255.255', '128.0.0.1', '169.253.255.255', '198.17.255.255'],
  ...['223.255.255.255', '168.63.129.17', '2606:4700:4700::1111', '2001:4860:4860::8888', '2a00:1450::1'],
  ...['::ffff:8.8.8.8', '::ffff:808:808'],
];

describe.each(['public', 'private'] as const)('with egress %s', (egress) => {
  test.each(never)('%s is blocked', (address, what) => {
    expect(blockReason(address, egress)).toMatch(what);
    expect(isPrivate(address)).toBe(false);
  });

  test.each(publicly)('%s is allowed', (address) => {
    expect(blockReason(address, egress)).toBeNull();
    expect(isPrivate(address)).toBe(false);
  });
});

test.each(privately)('%s is blocked with egress public and allowed with private', (address, what) => {
  expect(blockReason(address, 'public')).toMatch(what);
  expect(blockReason(address, 'private')).toBeNull();
  expect(isPrivate(address)).toBe(true);
});

/** Half of them random, half from the first bytes of the special ranges. */
const FIRST_OF_4 = [0, 10, 100, 127, 168, 169, 172, 192, 198, 203, 223, 224, 240, 255];
const FIRST_OF_6 = [
  '0000',
  '0064',
  '0100',
  '2001',
  '2002',
  '2606',
  '2620',
  '3fff',
  '5f00',
  'fc00',
  'fd00',
  'fe80',
  'ff02',
];

function randomIpv4(i: number): string {
  const bytes = randomBytes(5);
  if (i % 2 === 0) bytes[0] = FIRST_OF_4[(bytes[4] ?? 0) % FIRST_OF_4.length] ?? 0;
  return [...bytes.subarray(0, 4)].join('.');
}

function randomIpv6(i: number): string {
  const bytes = randomBytes(17);
  const kind = i % 4;
  if (kind === 1) bytes.fill(0, 0, 10).fill(0xff, 10, 12);
  else if (kind > 1) {
    bytes.write(FIRST_OF_6[(bytes[16] ?? 0) % FIRST_OF_6.length] ?? '', 'hex');
    // The ranges within 2001::/16 are narrow: most bits of random ones would miss them.
    if (kind === 3) bytes.fill(0, 2, 2 + ((bytes[16] ?? 0) % 12));
  }
  const groups = bytes.subarray(0, 16).toString('hex').match(/.{4}/g) ?? [];
  return groups.join(':');
}

test('of random addresses, only those that ipaddr.js calls unicast are allowed', () => {
  const laxer: string[] = [];
  let allowed = 0;
  for (let i = 0; i < inSoak(60_000, 6_000); i++) {
    const address = i % 3 === 0 ? randomIpv4(i / 3) : randomIpv6(i);
    if (blockReason(address, 'public') !== null) continue;
    allowed += 1;
    if (ipaddr.process(address).range() !== 'unicast') laxer.push(address);
  }
  expect(laxer).toEqual([]);
  expect(allowed).toBeGreaterThan(inSoak(10_000, 1_000));
});

test('of random addresses, private allows beyond public only what ipaddr.js calls loopback or private', () => {
  const beyond = new Set<string>();
  for (let i = 0; i < inSoak(100_000, 10_000); i++) {
    const address = i % 3 === 0 ? randomIpv4(i / 3) : randomIpv6(i);
    if (isPrivate(address)) beyond.add(ipaddr.process(address).range());
  }
  expect([...beyond].sort()).toEqual(['carrierGradeNat', 'loopback', 'private', 'uniqueLocal']);
});

test('of four addresses in each of the 65,536 IPv4 networks of /16, exactly those are allowed that ipaddr.js calls unicast', () => {
  const wrong: string[] = [];
  for (let high = 0; high < 65_536; high++) {
    for (const low of ['0.0', '0.255', '255.0', '255.255']) {
      const address = `${high >> 8}.${high & 255}.${low}`;
      const theirs = ipaddr.process(address).range() === 'unicast';
      if ((blockReason(address, 'public') === null) !== theirs) wrong.push(address);
    }
  }
  expect(wrong).toEqual([]);
});
