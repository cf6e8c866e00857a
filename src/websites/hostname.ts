import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { baseOf, isWildcard } from '../resolver/host-table.ts';

const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;

/**
 * Returns a hostname in the form that is stored and compared: lower-case IDNA ASCII without port and final dot.
 * Undefined if the text is not a hostname (RFC 1123 with underscores) or is an IP address.
 */
export function normaliseHostname(text: string): string | undefined {
  if (text === '' || /[\s/\\?#@:[\]%\p{Cc}]/u.test(text)) return undefined;
  const ascii = domainToASCII(text.replace(/\.$/, '')).toLowerCase();
  if (ascii === '' || ascii.length > 253 || isIP(ascii) !== 0) return undefined;
  const labels = ascii.split('.');
  if (!labels.every((label) => LABEL.test(label))) return undefined;
  // Browsers parse a name whose last label is a number as an IPv4 address.
  return /^(\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? '') ? undefined : ascii;
}

/**
 * As normaliseHostname, for a host of a website, which may be a wildcard: `*.` and a name of at least two labels, since
 * `*.com` would take the names of everyone.
 */
export function normaliseHost(text: string): string | undefined {
  if (!isWildcard(text)) return normaliseHostname(text);
  const base = normaliseHostname(baseOf(text));
  return base?.includes('.') && base.length <= MAX_BASE ? `*.${base}` : undefined;
}

/** The longest name with another one below it: a hostname has at most 253 characters. */
const MAX_BASE = 251;
