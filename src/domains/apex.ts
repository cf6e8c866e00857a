import { getDomain } from 'tldts';

/**
 * Returns true for a domain as it was registered, such as `example.co.uk`, by the public suffix list. It cannot have a
 * CNAME record. Names below `localhost` are no domains.
 */
export const isApex = (hostname: string): boolean =>
  getDomain(hostname) === hostname && !hostname.endsWith('.localhost');
