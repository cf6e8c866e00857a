/** A lock beside the configuration file: two syncs at once would take each other's former file for their own. */
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { CommandError, EXIT } from '../errors.ts';

const MAX_TRIES = 5;

/**
 * Takes the lock and returns its release. The lock of a process that no longer runs is taken over. Throws a CommandError
 * (refused) if another process holds it.
 */
export async function takeLock(path: string): Promise<() => Promise<void>> {
  const own = `${path}.${process.pid}`;
  const me = await identityOf(process.pid);
  await writeFile(own, me, { mode: 0o600 });
  try {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      if (await linked(own, path)) return () => rm(path, { force: true });
      const holder = await textOf(path);
      const pid = Number.parseInt(holder, 10);
      if (holder !== '' && holder === (await identityOf(pid))) {
        throw new CommandError(`another sync (process ${pid}) writes this file: end it first`, { exit: EXIT.refused });
      }
      await removeStale(path, `${own}.stale`, holder);
    }
    throw new CommandError(`${path} cannot be taken: remove it if no other sync runs`);
  } finally {
    await rm(own, { force: true });
  }
}

/** `pid start boot`. A pid alone may belong to another process after a restart. Empty if the process does not run. */
async function identityOf(pid: number): Promise<string> {
  if (!Number.isInteger(pid) || pid <= 0) return '';
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return '';
  }
  // The name of the program, in parentheses, may contain spaces. Other systems than Linux have no /proc.
  const fields = (await textOf(`/proc/${pid}/stat`)).replace(/^.*\) /s, '').split(' ');
  const boot = await textOf('/proc/sys/kernel/random/boot_id');
  return `${pid} ${fields[19] ?? ''} ${boot.trim()}`;
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Renames before it removes, so that of two processes only one removes, and sees what it removes. */
async function removeStale(path: string, aside: string, stale: string): Promise<void> {
  try {
    await rename(path, aside);
  } catch {
    return;
  }
  if ((await textOf(aside)) !== stale) await linked(aside, path);
  await rm(aside, { force: true });
}

async function textOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}
