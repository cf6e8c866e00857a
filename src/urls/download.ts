/** Downloads a sitemap to a file, through vetted connections. */
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Agent, type Dispatcher, interceptors, request } from 'undici';
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
  }).compose(interceptors.redirect({ maxRedirections: MAX_REDIRECTS, throwOnMaxRedirect: true }));
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

async function download(dispatcher: Dispatcher, address: string, path: string): Promise<void> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await request(address, { dispatcher, signal, headers: { 'user-agent': 'detour-sitemaps' } });
    if (response.statusCode !== 200) {
      await response.body.dump();
      throw new DownloadFailure(`${address} answers ${response.statusCode}`);
    }
    const limited = limitBytes(response.body, `${address} is larger than 64 MiB`);
    await pipeline(limited, createWriteStream(path, { mode: 0o600 }));
  } catch (error) {
    throw error instanceof DownloadFailure ? error : new DownloadFailure(`${address}: ${reasonOf(error)}`);
  }
}

async function* limitBytes(body: AsyncIterable<Buffer>, message: string): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new DownloadFailure(message);
    yield chunk;
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof ConnectFailure) return error.message;
  if (error instanceof Error && error.name === 'TimeoutError') return 'no response within 30 s';
  if (error instanceof Error && error.message.startsWith('Redirect loop')) return 'a redirect loop';
  if (error instanceof Error && error.message === 'max redirects') return `more than ${MAX_REDIRECTS} redirects`;
  return `the connection failed${codeOf(error)}`;
}
