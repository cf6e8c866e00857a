import { BlockList, isIP } from 'node:net';

/** WEBHOOK_EGRESS: receivers on public addresses only, or on loopback and private networks too. */
export type Egress = 'public' | 'private';

interface Range {
  /** completes "... is" */
  what: string;
  networks: string[];
}

/** Where no delivery may ever go. The ranges of private networks hold some of these addresses, so these are looked at first. */
const NEVER: Range[] = [
  {
    what: 'an address of a cloud provider for its own metadata',
    networks: [
      '100.100.100.200/32',
      '168.63.129.16/32',
      'fd00:ec2::/32',
      'fd00:c1::a9fe:a9fe/128',
      'fd20:ce::254/128',
    ],
  },
  { what: 'a link-local address', networks: ['169.254.0.0/16', 'fe80::/10'] },
  { what: 'an unspecified address', networks: ['0.0.0.0/8', '::/128'] },
  { what: 'a multicast address', networks: ['224.0.0.0/4', 'ff00::/8'] },
  { what: 'the broadcast address', networks: ['255.255.255.255/32'] },
  // Behind these is an IPv4 address, that a gateway of the network may well pass on to.
  {
    what: 'a translated IPv4 address',
    networks: ['64:ff9b::/96', '64:ff9b:1::/48', '2001::/32', '2002::/16'],
  },
  {
    // IANA's registries of special-purpose addresses
    what: 'an address reserved for a special purpose',
    networks: [
      ...['192.0.0.0/24', '192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24'],
      ...['192.175.48.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '240.0.0.0/4'],
      ...['2001::/23', '2001:db8::/32', '2620:4f:8000::/48', '3fff::/20'],
    ],
  },
];

const PRIVATE: Range[] = [
  { what: 'a loopback address', networks: ['127.0.0.0/8', '::1/128'] },
  {
    what: 'an address of a private network',
    networks: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7'],
  },
];

/** Of IPv6 only this is given out for public use; whatever is not here is nobody's, or not public. */
const GLOBAL_IPV6 = listOf(['2000::/3']);

const never = NEVER.map(withList);
const privately = PRIVATE.map(withList);
const everyNever = listOf(NEVER.flatMap((range) => range.networks));
const everyPrivate = listOf(PRIVATE.flatMap((range) => range.networks));

/**
 * Why no delivery may go to the IP address, as what completes "... is" (such as `a loopback address`); null where it may.
 * An IPv6 address that maps an IPv4 one counts as that one, since that is where the connection would go.
 */
export function addressRefusal(address: string, egress: Egress): string | null {
  const plain = unmapped(address);
  const family = isIP(plain);
  if (family === 0 || plain.includes('%')) return 'not a plain IP address';
  const type = family === 4 ? 'ipv4' : 'ipv6';
  if (everyNever.check(plain, type)) return describe(never, plain, type);
  if (everyPrivate.check(plain, type)) return egress === 'private' ? null : describe(privately, plain, type);
  if (family === 6 && !GLOBAL_IPV6.check(plain, 'ipv6')) return 'not a public address';
  return null;
}

/** True where WEBHOOK_EGRESS=private would allow what `public` refuses. */
export function isPrivate(address: string): boolean {
  return addressRefusal(address, 'public') !== null && addressRefusal(address, 'private') === null;
}

/** The URL parser knows every spelling of an IPv6 address, and writes a mapped one as `::ffff:7f00:1`. */
function unmapped(address: string): string {
  if (isIP(address) !== 6 || address.includes('%')) return address;
  const mapped = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(new URL(`http://[${address}]`).hostname);
  if (!mapped) return address;
  return [mapped[1], mapped[2]]
    .map((hex = '') => Number.parseInt(hex, 16))
    .map((pair) => `${pair >> 8}.${pair & 0xff}`)
    .join('.');
}

function withList(range: Range): { what: string; list: BlockList } {
  return { what: range.what, list: listOf(range.networks) };
}

function listOf(networks: string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    list.addSubnet(address, Number(prefix), isIP(address) === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

function describe(
  ranges: { what: string; list: BlockList }[],
  address: string,
  type: 'ipv4' | 'ipv6',
): string {
  return ranges.find(({ list }) => list.check(address, type))?.what ?? 'not a public address';
}
