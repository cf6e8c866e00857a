import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';

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
