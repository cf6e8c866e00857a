/** Downloads of sitemaps. The website that is asked cannot lead a request into the local network. */
import { lookup as lookupAll } from 'node:dns/promises';
import { createWriteStream } from 'node:fs';
import { isIP, type LookupFunction } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { VERSION } from '../../client.ts';
import { CommandError } from '../../errors.ts';
import { type Response, send } from '../../http.ts';
import { countBytes } from '../../progress.ts';
import { kindOfAddress } from './public-address.ts';

const MAX_BYTES = 64 * 1024 * 1024;
const MAX_REDIRECTS = 5;
const IDLE_TIMEOUT_MS = 30_000;
const TIMEOUT_MS = 5 * 60_000;

/** Downloads a URL to a file, and returns the URL that it was redirected to. Throws a CommandError that names the URL. */
export type FetchFile = (url: URL, path: string) => Promise<URL>;

/** Private addresses are allowed only if `named`, the URL on the command line, has one. */
export function createFetchFile(named: URL): FetchFile {
  let isPrivateAllowed: boolean | undefined;
  return async (url, path) => {
    try {
      isPrivateAllowed ??= (await addressesOf(hostOf(named))).some(
        ({ address }) => kindOfAddress(address) === 'private',
      );
      return await fetchFile(url, path, isPrivateAllowed ? ['public', 'private'] : ['public']);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new CommandError(`${url.href} cannot be fetched: ${reason}; nothing was changed`);
    }
  };
}

async function fetchFile(first: URL, path: string, kinds: string[]): Promise<URL> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  let url = first;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const { status, headers, stream } = await request(url, signal, kinds);
    if (status === 200) {
      const counter = countBytes((bytes) => {
        if (bytes > MAX_BYTES) stream.destroy(new Error(`it is larger than ${MAX_BYTES / 1024 ** 2} MiB`));
      });
      await pipeline(stream, counter, createWriteStream(path));
      return url;
    }
    stream.destroy();
    if (status < 300 || status > 399 || !headers.location) throw new Error(`the response has the status ${status}`);
    url = new URL(headers.location, url);
    if (!/^https?:$/.test(url.protocol)) throw new Error(`it redirects to ${url.href}`);
  }
  throw new Error(`it has more than ${MAX_REDIRECTS} redirects`);
}

/** The lookup of the connection itself checks the address: a name cannot change between a check and its use. */
function request(url: URL, signal: AbortSignal, kinds: string[]): Promise<Response> {
  const assertAllowed = (address: string): void => {
    if (!kinds.includes(kindOfAddress(address))) throw new Error(`${url.host} has no public address, but ${address}`);
  };
  if (isIP(hostOf(url)) > 0) assertAllowed(hostOf(url));
  const lookup: LookupFunction = (hostname, { all }, done) => {
    addressesOf(hostname)
      .then((addresses) => {
        for (const { address } of addresses) assertAllowed(address);
        const [one] = addresses;
        if (all || !one) done(null, addresses);
        else done(null, one.address, one.family);
      })
      .catch((error: unknown) => done(error as Error, ''));
  };
  const headers = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': `detour-cli/${VERSION}` };
  return send({ method: 'GET', url, headers, signal, lookup, idleTimeoutMs: IDLE_TIMEOUT_MS });
}

const addressesOf = (host: string) => lookupAll(host, { all: true });

/** Without the brackets of an IPv6 address. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');
