import { linkSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { readPrivateFile } from '../config/data-dir.ts';
import { isErrorCode } from '../log/error-summary.ts';
import { processIdentity, readable } from './process-identity.ts';

const Holder = z.object({ pid: z.int(), identity: z.string() });

/** The process that holds the lock; undefined if there is no lock or its process has exited. */
export function lockHolder(file: string): number | undefined {
  const holder = readHolder(file);
  if (!holder) return undefined;
  return processIdentity(holder.pid) === holder.identity ? holder.pid : undefined;
}

/**
 * Takes the lock for this process and returns its release. Takes over the lock of an exited process, even if its id was
 * reused. Throws one line that names the holder if a process holds the lock, this one included.
 */
export function takeFolderLock(file: string, folder: string, remedy = 'set DATA_DIR to another folder'): () => void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify({ pid: process.pid, identity: processIdentity(process.pid) ?? '' }), {
    mode: 0o600,
  });
  try {
    // A link is created atomically and only if none exists, so no process sees a partial lock.
    while (!linked(draft, file)) {
      const holder = lockHolder(file);
      if (holder !== undefined)
        throw new Error(`the data folder ${folder} is in use by process ${holder}: stop that one, or ${remedy}`);
      discardStale(file);
    }
  } finally {
    rmSync(draft, { force: true });
  }
  return () => rmSync(file, { force: true });
}

function linked(draft: string, file: string): boolean {
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (isErrorCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** Renames the stale lock before removing it. Restores it if another process has taken it since. */
function discardStale(file: string): void {
  const aside = `${file}.stale.${process.pid}`;
  try {
    renameSync(file, aside);
  } catch {
    return; // another process discarded it first
  }
  if (lockHolder(aside) !== undefined) linked(aside, file);
  unlinkSync(aside);
}

function readHolder(file: string): z.infer<typeof Holder> | undefined {
  const text = readPrivateFile(file) ?? '';
  // Another text is not a lock, because locks appear complete.
  return readable(() => Holder.parse(JSON.parse(text)));
}
