import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';

const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;

/**
 * A hostname in the one form in which it is stored and compared: lower-case IDNA ASCII, without port and final dot.
 * Undefined where the text is no hostname (RFC 1123 with underscores; an IP address is none).
 */
export function normaliseHostname(text: string): string | undefined {
  if (text === '' || /[\s/\\?#@:[\]%\p{Cc}]/u.test(text)) return undefined;
  const ascii = domainToASCII(text.replace(/\.$/, '')).toLowerCase();
  if (ascii === '' || ascii.length > 253 || isIP(ascii) !== 0) return undefined;
  const labels = ascii.split('.');
  if (!labels.every((label) => LABEL.test(label))) return undefined;
  // All digits in the last label is how browsers recognise an IPv4 address in another notation.
  return /^(\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? '') ? undefined : ascii;
}

/** The host of a request's Host header: without port, final dot and case. */
export function hostOfHeader(header: string): string {
  const end = header.startsWith('[') ? header.indexOf(']') + 1 : header.indexOf(':');
  const host = end > 0 ? header.slice(0, end) : header;
  return (host.endsWith('.') ? host.slice(0, -1) : host).toLowerCase();
}
