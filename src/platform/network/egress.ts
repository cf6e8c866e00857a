import { BlockList, isIP } from 'node:net';

/** WEBHOOK_EGRESS: allows public addresses only, or loopback and private networks too. */
export type Egress = 'public' | 'private';

interface Range {
  description: string;
  list: BlockList;
}

/** Always blocked. Checked before PRIVATE, whose ranges contain some of these addresses. */
const BLOCKED = [
  range('a metadata address of a cloud provider', [
    ...['100.100.100.200/32', '168.63.129.16/32'],
    ...['fd00:ec2::/32', 'fd00:c1::a9fe:a9fe/128', 'fd20:ce::254/128'],
  ]),
  range('a link-local address', ['169.254.0.0/16', 'fe80::/10']),
  range('an unspecified address', ['0.0.0.0/8', '::/128']),
  range('a multicast address', ['224.0.0.0/4', 'ff00::/8']),
  range('the broadcast address', ['255.255.255.255/32']),
  // These contain an IPv4 address that a gateway of the network may forward to.
  range('a translated IPv4 address', ['64:ff9b::/96', '64:ff9b:1::/48', '2001::/32', '2002::/16']),
  // IANA special-purpose address registries
  range('an address reserved for a special purpose', [
    ...['192.0.0.0/24', '192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24'],
    ...['192.175.48.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '240.0.0.0/4'],
    ...['2001::/23', '2001:db8::/32', '2620:4f:8000::/48', '3fff::/20'],
  ]),
];

const PRIVATE = [
  range('a loopback address', ['127.0.0.0/8', '::1/128']),
  range('an address of a private network', [
    '10.0.0.0/8',
    '172.16.0.0/12',
    '192.168.0.0/16',
    '100.64.0.0/10',
    'fc00::/7',
  ]),
];

/** The only IPv6 range that is assigned for public use. */
const GLOBAL_IPV6 = range('a public address', ['2000::/3']);

/**
 * Returns why deliveries to an IP address are blocked, such as `a loopback address`, or null if they are allowed. An
 * IPv4-mapped IPv6 address is checked as its IPv4 address, because the connection would go there.
 */
export function blockReason(address: string, egress: Egress): string | null {
  const plain = unmapped(address);
  const family = isIP(plain);
  if (family === 0 || plain.includes('%')) return 'not a plain IP address';
  const contains = ({ list }: Range): boolean => list.check(plain, family === 4 ? 'ipv4' : 'ipv6');
  const blocked = BLOCKED.find(contains);
  if (blocked) return blocked.description;
  const local = PRIVATE.find(contains);
  if (local) return egress === 'private' ? null : local.description;
  return family === 6 && !contains(GLOBAL_IPV6) ? 'not a public address' : null;
}

/** True if WEBHOOK_EGRESS=private allows the address and `public` does not. */
export function isPrivate(address: string): boolean {
  return blockReason(address, 'public') !== null && blockReason(address, 'private') === null;
}

/** Converts an IPv4-mapped IPv6 address to IPv4. The URL parser normalizes every spelling to `::ffff:7f00:1`. */
function unmapped(address: string): string {
  if (isIP(address) !== 6 || address.includes('%')) return address;
  const mapped = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(new URL(`http://[${address}]`).hostname);
  if (!mapped) return address;
  return [mapped[1], mapped[2]]
    .map((hex = '') => Number.parseInt(hex, 16))
    .map((pair) => `${pair >> 8}.${pair & 0xff}`)
    .join('.');
}

function range(description: string, networks: string[]): Range {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    list.addSubnet(address, Number(prefix), isIP(address) === 4 ? 'ipv4' : 'ipv6');
  }
  return { description, list };
}
