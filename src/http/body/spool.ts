/** Files on disk that hold an upload until it is processed: their limits, and the turns of an account. */
import { type FileHandle, mkdtemp, open, readdir, rm, stat, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKeyedSemaphore } from '../../platform/scheduling/semaphore.ts';
import { busy, type DomainError } from '../../vocabulary/error.ts';

/** The part of the disk that uploads leave free. */
const FREE_SHARE = 0.05;
/** Bytes between two checks of the disk. */
const CHECK_DISK_EVERY_BYTES = 64 * 1024 ** 2;
/** The wait for other uploads of the account, and how many may wait. Those that wait read nothing of their body. */
const WAIT_MS = 30_000;
const MAX_WAITING = 1_000;

const mutex = createKeyedSemaphore<number>(1);

/** Runs the uploads of an account one after the other. Throws BUSY after 30 s of waiting. */
export function withUploadMutex<T>(accountId: number, work: () => Promise<T>): Promise<T> {
  return mutex(accountId, work, { timeoutMs: WAIT_MS, error: uploadRunning, maxWaiting: MAX_WAITING });
}

/**
 * Writes a body to disk as it arrives, then calls `work` with the path of the file, which is gone afterwards. One body or
 * upload of an account at a time.
 */
export async function withSpooledBody<T>(
  { accountId }: { accountId: number },
  body: AsyncIterable<Buffer>,
  work: (path: string) => Promise<T>,
): Promise<T> {
  return withUploadMutex(accountId, async () => {
    await assertDiskSpace(0);
    const { file, path, remove } = await openSpool();
    try {
      await writeSpool(file, watchingDisk(body));
      return await work(path);
    } finally {
      await file.close();
      await remove();
    }
  });
}

/** Yields the chunks of a body. Throws BUSY if the disk is nearly full. */
async function* watchingDisk(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let unchecked = 0;
  for await (const chunk of body) {
    unchecked += chunk.length;
    if (unchecked > CHECK_DISK_EVERY_BYTES) {
      await assertDiskSpace(0);
      unchecked = 0;
    }
    yield chunk;
  }
}

const FOLDER = 'detour-upload-';
/** Longer than an upload may take. */
const LEFTOVER_AGE_MS = 2 * 3_600_000;

/** Removes the folders of uploads that a process left behind when it crashed: one of macOS, or of a former version. */
export async function removeLeftUploads(now: Date): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(FOLDER)) continue;
    const folder = join(tmpdir(), name);
    const found = await stat(folder).catch(() => undefined);
    if (found && now.getTime() - found.mtimeMs > LEFTOVER_AGE_MS) await rm(folder, { recursive: true, force: true });
  }
}

interface Spool {
  file: FileHandle;
  path: string;
  /** Call it when the file is closed. */
  remove: () => Promise<void>;
}

/**
 * Opens an empty file. On Linux it has no name, so the system frees it when it is closed, also after a crash. On macOS
 * it keeps its name, because opening /dev/fd/N there continues at the end of what was written.
 */
export async function openSpool(): Promise<Spool> {
  const folder = await mkdtemp(join(tmpdir(), FOLDER));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const path = join(folder, 'file');
  try {
    const file = await open(path, 'wx+', 0o600);
    if (process.platform !== 'linux') return { file, path, remove };
    await remove();
    return { file, path: `/dev/fd/${file.fd}`, remove: async () => {} };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Throws BUSY if less than 5 % of the disk would be free. */
export async function assertDiskSpace(bytes: number): Promise<void> {
  const { bavail, blocks, bsize } = await statfs(tmpdir());
  if (bavail * bsize - bytes < blocks * bsize * FREE_SHARE) throw diskFull();
}

/** Writes a stream to an open file. Throws BUSY if the disk becomes full. */
export async function writeSpool(file: FileHandle, source: AsyncIterable<Buffer>): Promise<void> {
  try {
    await file.writeFile(source);
  } catch (error) {
    const isFull = error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
    throw isFull ? diskFull() : error;
  }
}

function diskFull(): DomainError {
  const details = 'The disk for uploads is nearly full; 5 % of it stay free. Ask the operator for space, then retry';
  return busy(details, 60, 'The service has no space for the file');
}

const uploadRunning = (): DomainError =>
  busy('Another file of the account is being imported; send this one when that has ended', 30);
