/** Sends what is added to a log, part by part, and goes on with the next file after a rotation. */
import { createHash } from 'node:crypto';
import { type FileHandle, open, stat } from 'node:fs/promises';
import type { Body } from '../client.ts';
import { UsageError } from '../errors.ts';

export interface LogPart {
  /** identity of the file, also after it was renamed */
  id: string;
  /** where in the file the part begins */
  offset: number;
  body: Body;
}

const PART_BYTES = 32 * 1024 ** 2;
const MAX_FIRST_LINE = 64 * 1024;
/** A server may write to a rotated file until it opens the new one. */
const POLLS_AFTER_ROTATION = 3;

export type Follower = ReturnType<typeof createFollower>;

/**
 * Follows the file at `path`. `send` returns up to where the service has counted the file. The service knows each file by
 * its identity, so that a follower that starts again sends no line twice.
 */
export function createFollower(path: string, send: (part: LogPart) => Promise<number>) {
  let handle: FileHandle | undefined;
  let id = '';
  let offset = 0;
  let idlePolls = 0;

  async function close(): Promise<void> {
    await handle?.close();
    [handle, id, offset, idlePolls] = [undefined, '', 0, 0];
  }

  /** Sends all whole lines. Returns false if there were none. */
  async function drain(file: FileHandle): Promise<boolean> {
    const start = offset;
    for (let size = (await file.stat()).size; size > offset; size = (await file.stat()).size) {
      const [from, end] = [offset, Math.min(size, offset + PART_BYTES) - 1];
      const read = () => file.createReadStream({ start: from, end, autoClose: false });
      const body = { type: 'text/plain', open: read, isReplayable: true };
      offset = Math.min(await send({ id, offset, body }), size);
      if (offset === from) break;
    }
    return offset > start;
  }

  return {
    /** Sends what is new. Does nothing while the file does not exist or has no whole line. */
    async poll(): Promise<void> {
      handle ??= await openIfExists(path);
      if (!handle) return;
      const identity = await identityOf(handle, path);
      // A file that is emptied and written again is another one.
      if (id !== '' && identity !== id) return close();
      if (identity === undefined) return;
      id = identity;
      if (await drain(handle)) return;
      const { ino } = await handle.stat();
      const isCurrent = (await stat(path).catch(() => undefined))?.ino === ino;
      idlePolls = isCurrent ? 0 : idlePolls + 1;
      if (idlePolls > POLLS_AFTER_ROTATION) await close();
    },
    close,
  };
}

async function openIfExists(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The inode and the hash of the first line: an inode is used again after its file was deleted. Undefined without a line. */
async function identityOf(file: FileHandle, path: string): Promise<string | undefined> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_FIRST_LINE), 0, MAX_FIRST_LINE, 0);
  if (buffer[0] === 0x1f && buffer[1] === 0x8b)
    throw new UsageError(`${path} is packed: only a plain log can be followed`);
  const end = buffer.subarray(0, bytesRead).indexOf('\n');
  if (end < 0) return undefined;
  const hash = createHash('sha256').update(buffer.subarray(0, end)).digest('hex');
  return `${(await file.stat()).ino}-${hash.slice(0, 16)}`;
}
