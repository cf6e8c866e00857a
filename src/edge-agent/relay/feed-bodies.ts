/**
 * The bodies of feeds that followers get: read from the service once for all followers that need the same one. Small
 * ones are in memory, large ones in files, so that 1,000 followers of a large version share one file.
 */
import { createReadStream, createWriteStream, mkdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import type { Readable } from 'node:stream';
import { createSemaphore } from '../../platform/scheduling/semaphore.ts';
import { busy } from '../../vocabulary/error.ts';
import { nodeFetch } from '../node-fetch.ts';
import { PassedError, readError, serviceAway } from './passed-response.ts';

export interface FeedBody {
  etag: string | undefined;
  bytes: number;
  /** at most MAX_IN_MEMORY */
  memory?: Buffer;
  file?: string;
}

const MAX_IN_MEMORY = 1_000_000;
/** Over all bodies. The oldest are removed first; a reader of a removed file reads it to its end. */
const MAX_MEMORY = 64_000_000;
const MAX_DISK = 8 * 2 ** 30;
const MAX_BODIES = 1_000;
/** Reads from the service at a time: a few whole versions must not delay the differences of other websites. */
const AT_A_TIME = { whole: 2, difference: 8 };
/** Reads that wait. */
const MAX_WAITING = 100;
const WAIT_MS = 60_000;
const END = '{"end":true}\n';
/** Between two chunks of the service. */
const MAX_SILENCE_MS = 30_000;

export type FeedBodies = ReturnType<typeof createFeedBodies>;

/** `dir` is emptied: bodies of a former process are of no use. */
export function createFeedBodies({ dir, url, apiKey }: { dir: string; url: string; apiKey: string }) {
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const bodies = new Map<string, Promise<FeedBody>>();
  const stored = new Map<string, FeedBody>();
  const readWhole = createSemaphore(AT_A_TIME.whole);
  const readDifference = createSemaphore(AT_A_TIME.difference);
  const timeout = { timeoutMs: WAIT_MS, maxWaiting: MAX_WAITING, error: tooMany };
  let files = 0;

  function drop(id: string): void {
    const file = stored.get(id)?.file;
    if (file !== undefined) void rm(file, { force: true }).catch(() => {});
    stored.delete(id);
    bodies.delete(id);
  }

  function makeRoom(): void {
    const total = (kind: 'memory' | 'file'): number =>
      [...stored.values()].reduce((sum, body) => sum + (body[kind] === undefined ? 0 : body.bytes), 0);
    while (stored.size > 1 && (stored.size > MAX_BODIES || total('memory') > MAX_MEMORY || total('file') > MAX_DISK))
      drop([...stored.keys()][0] ?? '');
  }

  async function read(path: string): Promise<FeedBody> {
    const stopping = new AbortController();
    const silence = setTimeout(() => stopping.abort(new Error('the service sends nothing')), MAX_SILENCE_MS);
    try {
      const headers = { authorization: `Bearer ${apiKey}` };
      const response = await nodeFetch(url + path, { headers, signal: stopping.signal });
      if (response.status === 410) throw await readError(response);
      // The key of the relay is wrong, not that of the follower.
      if (response.status !== 200 || !response.body)
        throw new Error(`the service responds to the relay with ${response.status}`);
      const body = await store(response.body, join(dir, String(++files)), () => silence.refresh());
      return { ...body, etag: response.headers.get('etag')?.replace(/^W\//, '') };
    } catch (error) {
      throw error instanceof PassedError ? error : serviceAway(error);
    } finally {
      clearTimeout(silence);
      stopping.abort();
    }
  }

  return {
    /** The response of the service to a path. `state` names what is live: another state is another body. */
    get(path: string, state: string): Promise<FeedBody> {
      const id = `${path} ${state}`;
      const known = bodies.get(id);
      if (known) return known;
      const withPermit = path.includes('?') ? readDifference : readWhole;
      const reading = withPermit(() => read(path), timeout);
      bodies.set(id, reading);
      reading.then(
        (body) => {
          for (const former of stored.keys()) if (former.startsWith(`${path} `)) drop(former);
          stored.set(id, body);
          makeRoom();
        },
        () => drop(id),
      );
      return reading;
    },
  };
}

/** Reads a body to its end, in a file if it is large. Throws if it is incomplete. */
async function store(
  body: ReadableStream<Uint8Array>,
  path: string,
  onChunk: () => void,
): Promise<Omit<FeedBody, 'etag'>> {
  let chunks: Uint8Array[] = [];
  let bytes = 0;
  let tail = Buffer.alloc(0);
  let file: ReturnType<typeof createWriteStream> | undefined;
  try {
    for await (const chunk of body) {
      onChunk();
      bytes += chunk.length;
      tail = Buffer.concat([tail, chunk.subarray(-END.length)]).subarray(-END.length);
      if (bytes > MAX_IN_MEMORY) {
        // An error also rejects the next write, or the end.
        file ??= createWriteStream(path, { mode: 0o600 }).on('error', () => {});
        for (const part of [...chunks, chunk]) if (!file.write(part)) await once(file, 'drain');
        chunks = [];
      } else chunks.push(chunk);
    }
    if (tail.toString() !== END) throw new Error('the feed ends before its last line');
    if (!file) return { bytes, memory: Buffer.concat(chunks) };
    file.end();
    await finished(file);
    return { bytes, file: path };
  } catch (error) {
    file?.destroy();
    await rm(path, { force: true });
    throw error;
  }
}

/** Opens the file of a body. The chunks bound what a slow follower buffers. */
export const openBody = (file: string): Readable => createReadStream(file, { highWaterMark: 64 * 1024 });

const tooMany = () => busy('The relay reads too many feeds from its service; retry after the Retry-After delay', 5);
