import { BlockList, isIP } from 'node:net';

/** Link-local and metadata addresses, multicast and broadcast. */
const NEVER = blockList([
  ...['0.0.0.0/8', '169.254.0.0/16', '100.100.100.200/32', '168.63.129.16/32', '224.0.0.0/4', '255.255.255.255/32'],
  ...['::/128', 'fe80::/10', 'ff00::/8', 'fd00:ec2::/32', 'fd00:c1::a9fe:a9fe/128', 'fd20:ce::254/128'],
]);

/** Loopback, private networks, and what IANA reserves. */
const NOT_PUBLIC = blockList([
  ...['10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '192.0.0.0/24', '192.0.2.0/24'],
  ...['192.88.99.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '240.0.0.0/4'],
  ...['::1/128', '64:ff9b::/96', '64:ff9b:1::/48', '2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
]);

const GLOBAL_IPV6 = blockList(['2000::/3']);

/** `never`: no request goes there; `private`: only if the address on the command line is private as well. */
export function kindOfAddress(address: string): 'public' | 'private' | 'never' {
  const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
  if (isIP(address) === 0 || address.includes('%') || NEVER.check(address, family)) return 'never';
  if (NOT_PUBLIC.check(address, family)) return 'private';
  // A BlockList checks a mapped IPv4 address as its IPv4 address.
  const isMapped = family === 'ipv6' && /^::ffff:/i.test(address);
  return family === 'ipv4' || isMapped || GLOBAL_IPV6.check(address, family) ? 'public' : 'private';
}

function blockList(networks: string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    list.addSubnet(address, Number(prefix), isIP(address) === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}
