import { isIP } from 'node:net';
import { domainToASCII, domainToUnicode } from 'node:url';
import { baseOf, isWildcard } from '../resolver/host-table.ts';

/** Characters of a name before its conversion: bounds the work. */
const MAX_TEXT = 1_000;
const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;

/**
 * Returns a hostname in the form that is stored and compared: lower-case IDNA ASCII without port and final dot.
 * Undefined if the text is not a hostname (RFC 1123 with underscores, valid IDNA) or is an IP address.
 */
export function normaliseHostname(text: string): string | undefined {
  if (text === '' || text.length > MAX_TEXT || /[\s/\\?#@:[\]%\p{Cc}]/u.test(text)) return undefined;
  const ascii = domainToASCII(text.replace(/\.$/, '')).toLowerCase();
  if (ascii === '' || ascii.length > 253 || isIP(ascii) !== 0) return undefined;
  const labels = ascii.split('.');
  if (!labels.every((label) => LABEL.test(label) && isIdna(label))) return undefined;
  // Browsers parse a name whose last label is a number as an IPv4 address.
  return /^(\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? '') ? undefined : ascii;
}

/** False for `xn--` labels that stand for no name: `domainToASCII` returns them as they are. */
function isIdna(label: string): boolean {
  if (!label.startsWith('xn--')) return true;
  const name = domainToUnicode(label);
  return !name.startsWith('xn--') && domainToASCII(name) === label;
}

/** Returns an http or https URL with its host and its path in ASCII; a text that is no such URL as it is. */
export function asciiUrl(url: string): string {
  const [, scheme = '', host = '', port = '', path = ''] = /^(https?:\/\/)([^/\\?#@:]+)(:\d+)?(\/.*)?$/.exec(url) ?? [];
  if (scheme === '' || /^[\x00-\x7f]*$/.test(url) || !url.isWellFormed()) return url;
  return `${scheme}${normaliseHostname(host) ?? host}${port}${path.replace(/[^\x00-\x7f]+/g, encodeURIComponent)}`;
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
