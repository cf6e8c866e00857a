/** The DNS record that sends visitors of a host to this service (docs/domains.md). */

type RecordType = 'CNAME' | 'ALIAS' | 'A' | 'AAAA';

/** A domain itself cannot have a CNAME record; an address is the value of no name. */
export function recordTypeOf(isApex: boolean, serviceHost: string): RecordType {
  if (/^[\d.]+$/.test(serviceHost)) return 'A';
  if (serviceHost.includes(':')) return 'AAAA';
  return isApex ? 'ALIAS' : 'CNAME';
}

/** These names always mean this machine, so they need neither a record nor a certificate. */
export const isLocalHost = (hostname: string): boolean => /(^|\.)localhost$/.test(hostname);
