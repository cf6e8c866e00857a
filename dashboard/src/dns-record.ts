/** The DNS record that sends visitors of a host to this service (docs/domains.md). */

type RecordType = 'CNAME' | 'ALIAS' | 'A' | 'AAAA';

/** Second labels of countries below which domains are registered, such as `example.co.uk`. */
const REGISTRY_LABEL = /^(ac|co|com|edu|gen|go|gov|id|in|ltd|me|mil|ne|net|nom|or|org|plc|sch|web)$/;

/** True for a domain itself, such as `example.com`. Below some countries this is a guess by usual names. */
function isApex(hostname: string): boolean {
  const labels = hostname.split('.');
  const [, second = '', top = ''] = labels;
  if (labels.length === 3) return labels[0] !== '*' && top.length === 2 && REGISTRY_LABEL.test(second);
  return labels.length === 2 && labels[0] !== '*' && labels[1] !== 'localhost';
}

/** A domain itself cannot have a CNAME record; an address is the value of no name. */
export function recordTypeOf(hostname: string, serviceHost: string): RecordType {
  if (/^[\d.]+$/.test(serviceHost)) return 'A';
  if (serviceHost.includes(':')) return 'AAAA';
  return isApex(hostname) ? 'ALIAS' : 'CNAME';
}
