/**
 * Files of large blocks with checksums, replaced atomically. Layout, in 32-bit words of the machine:
 *
 *   magic, format, bytes of the head, number of blocks, CRC of these words, of the head and of the lengths
 *   head (JSON), length of each block, blocks, CRC of each block, CRC of the CRCs
 */
import { constants } from 'node:fs';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { isErrorCode } from './log/error-summary.ts';

/** The file is damaged, or not a file of this program. The message says what is wrong. */
export class BlockFileError extends Error {}

const MAGIC = 0x44_54_52_66;
/** A version that reads only 1 or 2 would read rules with windows (2) or with packed texts (3) as other rules. */
const FORMAT = 3;
const READABLE = [1, 2, FORMAT];
const FIXED_BYTES = 20;
/** Bytes of one system call, and between two checks for other work: under a millisecond. */
const BATCH_BYTES = 1 << 20;
const MAX_BUFFERS = 256;
/** A writer writes every few milliseconds, so an older draft belongs to a crashed one. */
const MAX_DRAFT_AGE_MS = 60_000;

export const DRAFT_SUFFIX = '.draft';

/** Writes or replaces a file (0600). False, without a change, if another process or call is writing it. */
export async function writeBlockFile(file: string, head: string, blocks: Uint8Array[], now: Date): Promise<boolean> {
  const draft = file + DRAFT_SUFFIX;
  const handle = await openDraft(draft, now);
  if (!handle) return false;
  try {
    try {
      await writeBlocks(handle, head, blocks);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
    return true;
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Creates the draft, which is also the lock. */
async function openDraft(draft: string, now: Date): Promise<FileHandle | undefined> {
  try {
    return await open(draft, 'wx', 0o600);
  } catch (error) {
    if (!isErrorCode(error, 'EEXIST')) throw error;
  }
  if (await isAbandonedDraft(draft, now)) await rm(draft, { force: true });
  return undefined;
}

/** True if the process that wrote this draft has crashed. */
export async function isAbandonedDraft(draft: string, now: Date): Promise<boolean> {
  const { mtimeMs } = await stat(draft).catch(() => ({ mtimeMs: Infinity }));
  return now.getTime() - mtimeMs > MAX_DRAFT_AGE_MS;
}

async function writeBlocks(handle: FileHandle, head: string, blocks: Uint8Array[]): Promise<void> {
  const headBytes = Buffer.from(head);
  const lengths = bytesOf(blocks.map((block) => block.length));
  const fixed = [MAGIC, FORMAT, headBytes.length, blocks.length];
  await writeAll(handle, [bytesOf([...fixed, headCrc(fixed, headBytes, lengths)]), headBytes, lengths]);
  const crcs: number[] = [];
  for (const batch of batchesOf(blocks)) {
    for (const block of batch) crcs.push(crc32(block));
    await writeAll(handle, batch);
  }
  await writeAll(handle, [bytesOf([...crcs, crc32(bytesOf(crcs))])]);
}

/** Opens a file and checks its head. Throws BlockFileError, or the error of the system. */
export async function openBlockFile(file: string) {
  // Without O_NONBLOCK the open of a pipe waits for its writer, for ever.
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new BlockFileError('this is not a regular file');
    const { size } = stats;
    const { head, lengths, start } = await readHead(handle, size);
    return {
      head,
      /** bytes of each block */
      lengths,
      /** Fills `blocks`, whose lengths are `lengths`. Throws BlockFileError if a block is damaged. */
      read: (blocks: Uint8Array[]) => readBlocks(handle, start, lengths, blocks),
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function readHead(handle: FileHandle, size: number) {
  if (size < FIXED_BYTES) throw new BlockFileError('the file is truncated');
  const fixed = await readWords(handle, FIXED_BYTES / 4, 0);
  const [magic = 0, format = 0, headBytes = 0, count = 0, crc = 0] = fixed;
  if (magic !== MAGIC) throw new BlockFileError('this is a file of another program or machine type');
  if (!READABLE.includes(format))
    throw new BlockFileError(`the file has format ${format}; this version reads ${READABLE.join(', ')}`);
  let start = FIXED_BYTES + headBytes + 4 * count;
  if (start > size) throw new BlockFileError('the file is truncated');
  const head = Buffer.alloc(headBytes);
  const lengths = Buffer.alloc(4 * count);
  await readAll(handle, [head, lengths], FIXED_BYTES);
  if (headCrc([...fixed.subarray(0, 4)], head, lengths) !== crc) throw new BlockFileError('the head is damaged');
  const words = [...new Uint32Array(lengths.buffer, lengths.byteOffset, count)];
  const end = start + words.reduce((sum, length) => sum + length, 0) + 4 * (count + 1);
  if (end !== size) throw new BlockFileError(`the file has ${size} bytes instead of ${end}`);
  return { head: head.toString(), lengths: words, start };
}

async function readBlocks(handle: FileHandle, start: number, lengths: number[], blocks: Uint8Array[]): Promise<void> {
  if (blocks.some((block, index) => block.length !== lengths[index]) || blocks.length !== lengths.length)
    throw new BlockFileError('the lengths of the blocks do not match the head');
  const crcs = await readWords(
    handle,
    blocks.length + 1,
    lengths.reduce((sum, length) => sum + length, start),
  );
  if (crc32(bytesOf(crcs.subarray(0, -1))) !== crcs.at(-1)) throw new BlockFileError('the checksums are damaged');
  let position = start;
  let index = 0;
  for (const batch of batchesOf(blocks)) {
    await readAll(handle, batch, position);
    for (const block of batch) {
      if (crc32(block) !== crcs[index++]) throw new BlockFileError(`block ${index} is damaged`);
      position += block.length;
    }
  }
}

const bytesOf = (words: ArrayLike<number>): Uint8Array => new Uint8Array(Uint32Array.from(words).buffer);

function headCrc(fixed: number[], head: Uint8Array, lengths: Uint8Array): number {
  return crc32(lengths, crc32(head, crc32(bytesOf(fixed))));
}

function* batchesOf(blocks: Uint8Array[]): Generator<Uint8Array[]> {
  let batch: Uint8Array[] = [];
  let bytes = 0;
  for (const block of blocks) {
    batch.push(block);
    bytes += block.length;
    if (bytes < BATCH_BYTES && batch.length < MAX_BUFFERS) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

async function writeAll(handle: FileHandle, buffers: Uint8Array[]): Promise<void> {
  const bytes = buffers.reduce((sum, buffer) => sum + buffer.length, 0);
  const { bytesWritten } = await handle.writev(buffers);
  if (bytesWritten !== bytes) throw new Error(`wrote ${bytesWritten} of ${bytes} bytes; the disk may be full`);
}

async function readAll(handle: FileHandle, buffers: Uint8Array[], position: number): Promise<void> {
  const bytes = buffers.reduce((sum, buffer) => sum + buffer.length, 0);
  const { bytesRead } = await handle.readv(buffers, position);
  if (bytesRead !== bytes) throw new BlockFileError('the file is truncated');
}

async function readWords(handle: FileHandle, count: number, position: number): Promise<Uint32Array> {
  const words = new Uint32Array(count);
  await readAll(handle, [new Uint8Array(words.buffer)], position);
  return words;
}
