/** Downloads a server's configuration beside the file that it will replace. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Environment } from '../../vocabulary/environment.ts';
import type { Client } from '../client.ts';
import { ApiError, CommandError, EXIT, unreachable } from '../errors.ts';
import { unwritable } from './target-file.ts';

/** A redirect that the server's configuration cannot express. */
export interface Omitted {
  id: string;
  old_path: string;
  reason: string;
}

/** A request that the server must answer as Detour does. */
export interface Sample {
  /** the redirect that decides */
  id: string;
  target: string;
}

export interface Download {
  etag: string;
  sha256: string;
  /** exact */
  omittedCount: number;
  /** the first 100 */
  omitted: Omitted[];
  samples: Sample[];
}

const MAX_OMITTED = 100;

export interface Wanted {
  websiteId: string;
  environment: Environment;
  format: string;
  /** 0 before the first deployment */
  version: number;
  /** fail if a redirect cannot be expressed, instead of omitting it */
  strict: boolean;
  /** of the file in place, if it is unchanged */
  etag: string | undefined;
  signal: AbortSignal;
}

/** Writes the configuration to `path`. Returns null if it is still the one of `etag`. */
export async function downloadTo(path: string, client: Client, wanted: Wanted): Promise<Download | null> {
  const { websiteId, environment, format, version, strict, etag, signal } = wanted;
  const query = { website_id: websiteId, environment, format, version: version || 'live', lossy: !strict };
  const response = await client
    .stream({
      method: 'GET',
      path: '/redirects/bulk/export',
      query,
      signal,
      ...(etag !== undefined && { headers: { 'if-none-match': etag } }),
    })
    .catch((error: unknown) => {
      // With --strict the service refuses what would be incomplete.
      if (!strict || !(error instanceof ApiError) || error.status !== 422) throw error;
      throw new CommandError(`version ${version}: ${error.message}`, { exit: EXIT.refused, json: error.json });
    });
  if (response.status === 304) {
    response.stream.resume();
    return null;
  }
  const sha256 = await write(path, response.stream, client.url);
  return { etag: response.headers.etag ?? '', sha256, ...(await readComments(path)) };
}

async function write(path: string, body: Readable, url: string): Promise<string> {
  const hash = createHash('sha256');
  let broken: Error | undefined;
  body.once('error', (error) => (broken = error));
  const hashed = async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  };
  try {
    await rm(path, { force: true });
    await pipeline(body, hashed, createWriteStream(path, { mode: 0o600 }));
    const file = await open(path);
    await file.sync().finally(() => file.close());
  } catch (error) {
    await rm(path, { force: true });
    throw broken ? unreachable(url, broken) : unwritable(path, error);
  }
  return hash.digest('hex');
}

/** The comments of the export: redirects that the format cannot express, and samples of the others. */
async function readComments(path: string): Promise<Pick<Download, 'omitted' | 'omittedCount' | 'samples'>> {
  const samples: Sample[] = [];
  const omitted: Omitted[] = [];
  let omittedCount = 0;
  const file = await open(path);
  try {
    for await (const line of createInterface({ input: file.createReadStream() })) {
      const [, sampled, target] = /^\s*# sample: redirect (\d+) (\S+)$/.exec(line) ?? [];
      if (sampled !== undefined && target !== undefined) samples.push({ id: sampled, target });
      const [, id, oldPath, reason] = /^\s*# omitted: redirect (\d+) (.+?): (.*)$/.exec(line) ?? [];
      if (id === undefined || oldPath === undefined || reason === undefined) continue;
      omittedCount++;
      if (omitted.length < MAX_OMITTED) omitted.push({ id, old_path: oldPath, reason });
    }
  } finally {
    await file.close().catch(() => undefined);
  }
  return { omittedCount, omitted, samples };
}
