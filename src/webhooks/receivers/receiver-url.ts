import { within } from '../../platform/clock.ts';
import { isIP } from 'node:net';
import { invalid } from '../../vocabulary/error.ts';
import { blockReason, type Egress, isPrivate } from '../../platform/network/egress.ts';
import { type Resolve, resolveHost } from '../../platform/network/dns.ts';

const MAX_LENGTH = 2_048;
/** A slow name server does not delay the request further, because every connection checks the addresses again. */
const RESOLVE_TIMEOUT_MS = 3_000;

/**
 * Returns the normalized URL of a receiver, so that its spelling cannot hide its host. Throws VALIDATION_ERROR if it is
 * not a valid URL of a receiver, and URL_NOT_ALLOWED if its host is or resolves to a blocked address; both name
 * `field`. Accepts a name that does not resolve yet.
 */
export async function checkReceiverUrl(
  url: string,
  egress: Egress,
  { resolve = resolveHost, field = 'url' }: { resolve?: Resolve; field?: string } = {},
): Promise<string> {
  const parsed = parseReceiverUrl(url, field);
  const host = hostOf(parsed);
  const addresses = isIP(host)
    ? [host]
    : await within(
        RESOLVE_TIMEOUT_MS,
        resolve(host).catch(() => []),
        [],
      );
  for (const address of addresses) assertAllowed(host, address, egress, field);
  const normal = parsed.href;
  // Keeps a URL without a path as it was sent, if normalizing changes nothing else.
  return `${url}/` === normal ? url : normal;
}

/** The host, without the brackets of an IPv6 address. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

function parseReceiverUrl(url: string, field: string): URL {
  if (!/^https?:\/\//i.test(url))
    throw invalid(field, 'must begin with https:// or http://, such as https://example.com/webhooks');
  if (url.length > MAX_LENGTH) throw invalid(field, `must have at most ${MAX_LENGTH} characters, it has ${url.length}`);
  // The parser would drop some of these characters and replace others.
  if (/[\u0000-\u0020\u007f]/.test(url) || !url.isWellFormed())
    throw invalid(field, 'must not contain spaces, control characters or lone surrogates: write them as %20');
  if (url.includes('\\')) throw invalid(field, 'must not contain backslashes: write / or %5C');
  const parsed = URL.parse(url);
  const authority = /^[^/]+:\/\/([^/?#]*)/.exec(url)?.[1];
  if (!parsed || !authority) throw invalid(field, 'must be a complete URL, such as https://example.com/webhooks');
  if (parsed.port === '0') throw invalid(field, 'must have a port from 1 to 65535');
  if (authority.includes('@'))
    throw invalid(field, 'must not contain a user name or password: verify the signature instead');
  if (url.includes('#')) throw invalid(field, 'must not have a fragment: remove # and the text after it');
  const { length } = parsed.href;
  if (length > MAX_LENGTH)
    throw invalid(field, `must have at most ${MAX_LENGTH} characters once escaped, it has ${length}`);
  return parsed;
}

function assertAllowed(host: string, address: string, egress: Egress, field: string): void {
  const blocked = blockReason(address, egress);
  if (blocked === null) return;
  // Does not reveal the address that a name of an internal network resolves to.
  const subject = host === address ? `${host} is ${blocked}` : `${host} resolves to ${blocked}`;
  const remedy = isPrivate(address)
    ? 'use a public address (the operator can allow private ones with WEBHOOK_EGRESS=private)'
    : 'use another address';
  throw invalid(field, `${subject}, which is not allowed for webhooks: ${remedy}`, 'URL_NOT_ALLOWED');
}
