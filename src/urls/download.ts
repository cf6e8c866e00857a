/** Downloads a sitemap to a file, through vetted connections. */
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Agent, request } from 'undici';
import { resolveHost } from '../platform/network/dns.ts';
import type { Egress } from '../platform/network/egress.ts';
import { codeOf, ConnectFailure, vettedConnect } from '../platform/network/vetted-connect.ts';

const TIMEOUT_MS = 30_000;
const MAX_REDIRECTS = 5;
/** Packed bytes of a sitemap. */
const MAX_BYTES = 64 * 1024 ** 2;
const MAX_HEADER_BYTES = 16 * 1024;

/** Why a sitemap was not downloaded, in words for its list. */
export class DownloadFailure extends Error {}

export type Downloads = ReturnType<typeof createDownloads>;

/** Creates a client that asks `egress` about the address of every connection, redirects included. */
export function createDownloads(egress: Egress) {
  const agent = new Agent({
    connect: vettedConnect(egress, resolveHost, TIMEOUT_MS),
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  });
  return {
    /** Calls `work` with the path of the downloaded file, which is gone afterwards. Throws DownloadFailure. */
    async withFile<T>(address: string, work: (path: string) => Promise<T>): Promise<T> {
      const folder = await mkdtemp(join(tmpdir(), 'detour-upload-'));
      const path = join(folder, 'file');
      try {
        await download(agent, address, path);
        return await work(path);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
    close: () => agent.close(),
  };
}

async function download(agent: Agent, address: string, path: string): Promise<void> {
  let url = new URL(address);
  for (let hop = 0; ; hop++) {
    const response = await ask(agent, url);
    const location = response.headers.location;
    if (response.statusCode >= 300 && response.statusCode < 400 && typeof location === 'string') {
      await response.body.dump();
      if (hop === MAX_REDIRECTS) throw new DownloadFailure(`${address} redirects more than ${MAX_REDIRECTS} times`);
      url = redirected(url, location);
      continue;
    }
    if (response.statusCode !== 200) {
      await response.body.dump();
      throw new DownloadFailure(`${url.href} answers ${response.statusCode}`);
    }
    return store(response.body, url, path);
  }
}

function redirected(from: URL, location: string): URL {
  const to = URL.parse(location, from.href);
  if (to && /^https?:$/.test(to.protocol)) return to;
  throw new DownloadFailure(`${from.href} redirects to an address that is not http or https`);
}

async function ask(agent: Agent, url: URL) {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    return await request(url, { dispatcher: agent, signal, headers: { 'user-agent': 'detour-sitemaps' } });
  } catch (error) {
    throw new DownloadFailure(`${url.href}: ${reasonOf(error)}`);
  }
}

async function store(body: AsyncIterable<Buffer>, url: URL, path: string): Promise<void> {
  let bytes = 0;
  async function* limited(): AsyncGenerator<Buffer> {
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) throw new DownloadFailure(`${url.href} is larger than 64 MiB`);
      yield chunk;
    }
  }
  try {
    await pipeline(limited, createWriteStream(path, { mode: 0o600 }));
  } catch (error) {
    throw error instanceof DownloadFailure ? error : new DownloadFailure(`${url.href}: ${reasonOf(error)}`);
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof ConnectFailure) return error.message;
  if (error instanceof Error && error.name === 'TimeoutError') return 'no response within 30 s';
  return `the connection failed${codeOf(error)}`;
}
