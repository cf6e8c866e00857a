/**
 * Batches of hits on disk until the service has accepted them. A batch is a file of lines: `<series>-<number>.draft` while
 * hits are added, `.hits` when it is complete. Its series and number never change, so the service recognizes a batch that
 * arrives twice, also after a restart.
 */
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../platform/clock.ts';

/** A complete batch. */
export interface SpooledBatch {
  series: string;
  batch: number;
  file: string;
  bytes: number;
  /** when its last hit was added, in milliseconds since the epoch */
  writtenAt: number;
}

const NAME = /^([0-9a-f]{16})-(\d{12})\.(hits|draft)$/;
export interface SpoolOptions {
  /** created with the first batch */
  dir: string;
  /** 16 hexadecimal digits, new at each start */
  series: string;
  /** A draft of another series is completed if nothing was added for this long: its process was killed. */
  abandonedMs: number;
  clock: Clock;
}

export type Spool = ReturnType<typeof createSpool>;

export function createSpool({ dir, series, abandonedMs, clock }: SpoolOptions) {
  let number = 0;
  let completeBytes = 0;
  let draft: { file: string; hits: number; bytes: number } | undefined;

  async function startDraft(): Promise<NonNullable<typeof draft>> {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    const file = join(dir, `${series}-${String(++number).padStart(12, '0')}.draft`);
    return { file, hits: 0, bytes: 0 };
  }

  async function complete(): Promise<void> {
    if (!draft) return;
    const { file, bytes } = draft;
    await rename(file, completeName(file)).catch(leaveIfGone);
    draft = undefined;
    completeBytes += bytes;
  }

  /** The file was removed, or another process has completed it: the next lines start another batch. */
  function leaveIfGone(error: unknown): never {
    if (isNotFound(error)) draft = undefined;
    throw error;
  }

  return {
    /** Hits of the current batch. */
    pending: () => draft?.hits ?? 0,
    /** Bytes of the current batch. */
    pendingBytes: () => draft?.bytes ?? 0,
    /** Bytes of all batches, as far as known: those of former starts from the first `list`. */
    bytes: () => completeBytes + (draft?.bytes ?? 0),
    /** Completes the current batch, if there is one. */
    complete,
    /** Adds lines to the current batch, or starts one. Throws if they are not stored. */
    async append(lines: readonly string[]) {
      const text = Buffer.from(`${lines.join('\n')}\n`);
      const current = draft ?? (await startDraft());
      await appendOrNothing(current.file, text, current.bytes).catch(leaveIfGone);
      // Without a line stored, there is no batch to complete.
      draft = { file: current.file, hits: current.hits + lines.length, bytes: current.bytes + text.length };
    },
    /** Complete batches in the order in which they must be sent, those of former starts included. */
    async list() {
      const found: SpooledBatch[] = [];
      for (const name of (await namesIn(dir)).toSorted()) {
        const batch = await describe(join(dir, name), name);
        if (!batch) continue;
        if (!name.endsWith('.draft')) found.push(batch);
        else if (batch.series !== series && clock.now().getTime() - batch.writtenAt > abandonedMs) {
          const file = completeName(batch.file);
          await rename(batch.file, file);
          found.push({ ...batch, file });
        }
      }
      completeBytes = found.reduce((sum, { bytes }) => sum + bytes, 0);
      return found;
    },
    /** The lines of a batch, and how many were damaged. */
    async read({ file }: SpooledBatch) {
      const text = await readFile(file, 'utf8');
      const whole = text.split('\n');
      // A process that was killed may leave an incomplete last line.
      const rest = whole.pop() ?? '';
      const lines = whole.filter((line) => line.startsWith('{') && line.endsWith('}'));
      return { lines, damaged: whole.length - lines.length + (rest === '' ? 0 : 1) };
    },
    async remove({ file, bytes }: SpooledBatch) {
      await rm(file, { force: true });
      completeBytes -= bytes;
    },
  };
}

const completeName = (draft: string): string => draft.replace(/\.draft$/, '.hits');

/** Writes at the end of a file of `size` bytes. If it fails, tries to remove what was written of the text. */
async function appendOrNothing(path: string, text: Buffer, size: number): Promise<void> {
  const file = await open(path, size === 0 ? 'w' : 'r+', 0o600);
  try {
    let written = 0;
    while (written < text.length) {
      const { bytesWritten } = await file.write(text, written, text.length - written, size + written);
      written += bytesWritten;
    }
  } catch (error) {
    await file.truncate(size).catch(() => {});
    throw error;
  } finally {
    await file.close();
  }
}

async function namesIn(dir: string): Promise<string[]> {
  try {
    return await readdir(dir);
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

const isNotFound = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

/** Undefined for a file that is no batch, or was removed meanwhile. */
async function describe(file: string, name: string): Promise<SpooledBatch | undefined> {
  const [, series, digits] = NAME.exec(name) ?? [];
  if (series === undefined || digits === undefined) return undefined;
  try {
    const { size, mtimeMs } = await stat(file);
    return { series, batch: Number(digits), file, bytes: size, writtenAt: mtimeMs };
  } catch {
    return undefined;
  }
}
