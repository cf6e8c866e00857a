import { isIP } from 'node:net';
import { invalid } from '../../vocabulary/error.ts';
import { addressRefusal, type Egress, isPrivate } from '../sending/egress.ts';
import { type Resolve, resolveHost } from '../sending/dns-resolver.ts';

const MAX_LENGTH = 2_048;
/** A name server that takes longer holds nobody up: the addresses are looked at again at every connection. */
const RESOLVE_WITHIN_MS = 3_000;

/**
 * The address of a receiver as it is to be kept: the URL as it will be understood, so that nothing of where it goes is hidden in its
 * spelling. Throws URL_NOT_ALLOWED where it leads to an address that deliveries may not go to, and VALIDATION_ERROR where it is
 * no address of a receiver. A name that does not resolve (yet) is taken.
 */
export async function checkReceiverUrl(
  url: string,
  egress: Egress,
  resolve: Resolve = resolveHost,
): Promise<string> {
  const parsed = parseReceiverUrl(url);
  const host = hostOf(parsed);
  const addresses = isIP(host) ? [host] : await resolvedSoon(host, resolve);
  for (const address of addresses) refuse(host, address, egress);
  const normal = parsed.href;
  // What was written without path is answered without, as long as nothing else changes.
  return `${url}/` === normal ? url : normal;
}

/** The host without the brackets of an IPv6 address. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

function parseReceiverUrl(url: string): URL {
  if (!/^https?:\/\//i.test(url))
    throw invalid('url', 'must begin with https:// or http://, such as https://example.com/webhooks');
  if (url.length > MAX_LENGTH)
    throw invalid('url', `must have at most ${MAX_LENGTH} characters, it has ${url.length}`);
  // The parser would leave out some of these and replace others.
  if (/[\u0000-\u0020\u007f]/.test(url) || !url.isWellFormed())
    throw invalid('url', 'must not hold spaces, control characters or lone surrogates: write them as %20');
  if (url.includes('\\')) throw invalid('url', 'must not hold backslashes: write / or %5C');
  const parsed = URL.parse(url);
  const authority = /^[^/]+:\/\/([^/?#]*)/.exec(url)?.[1];
  if (!parsed || !authority)
    throw invalid('url', 'must be a whole address, such as https://example.com/webhooks');
  if (parsed.port === '0') throw invalid('url', 'must have a port from 1 to 65535');
  if (authority.includes('@'))
    throw invalid('url', 'must not hold a user name or password: verify the signature instead');
  if (url.includes('#')) throw invalid('url', 'must not have a fragment: leave out # and what follows');
  if (parsed.href.length > MAX_LENGTH)
    throw invalid(
      'url',
      `must have at most ${MAX_LENGTH} characters once escaped, it has ${parsed.href.length}`,
    );
  return parsed;
}

async function resolvedSoon(host: string, resolve: Resolve): Promise<string[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string[]>((done) => (timer = setTimeout(() => done([]), RESOLVE_WITHIN_MS)));
  try {
    return await Promise.race([resolve(host).catch(() => []), late]);
  } finally {
    clearTimeout(timer);
  }
}

function refuse(host: string, address: string, egress: Egress): void {
  const what = addressRefusal(address, egress);
  if (what === null) return;
  // What a name of an inner network resolves to is not told.
  const subject = host === address ? `${host} is ${what}` : `${host} resolves to ${what}`;
  const remedy = isPrivate(address)
    ? 'use a public address (whoever runs the service may allow private ones with WEBHOOK_EGRESS=private)'
    : 'use another address';
  throw invalid('url', `${subject}, where webhooks are not sent: ${remedy}`, 'URL_NOT_ALLOWED');
}
