/** Which process is meant by a number in a file: numbers are used again, in containers at every start. */
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';

/**
 * Something that only this run of the process has: its start time, with the machine's boot where /proc tells it.
 * undefined where there is no such process; '' where the platform does not tell.
 */
export function processIdentity(pid: number): string | undefined {
  if (!isRunning(pid)) return undefined;
  if (process.platform === 'linux') return linuxIdentity(pid);
  if (process.platform === 'win32') return '';
  return fromPs(pid, 'lstart=');
}

/** True when the process is a PostgreSQL server, of this data folder where the platform tells. */
export function isPostgresOf(pid: number, cluster: string): boolean {
  if (!isRunning(pid)) return false;
  if (process.platform === 'linux') return commandOf(pid) === 'postgres' && worksIn(pid, cluster);
  if (process.platform === 'win32') return true;
  return basename(fromPs(pid, 'comm=') ?? '') === 'postgres';
}

/** True while a process of this number runs, whoever owns it. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function linuxIdentity(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command, in brackets, may hold spaces; of the fields after it the 1st is the state, the 20th the start.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${fields[19] ?? ''}`;
  } catch {
    return undefined;
  }
}

/**
 * Compares the folders themselves, as a path may lead over links. Where the process is another user's and may not be asked,
 * it counts as working there: taking a running server for a dead one would be worse.
 */
function worksIn(pid: number, folder: string): boolean {
  try {
    const [there, here] = [statSync(`/proc/${pid}/cwd`), statSync(folder)];
    return there.dev === here.dev && there.ino === here.ino;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EACCES';
  }
}

function commandOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return undefined;
  }
}

function fromPs(pid: number, column: string): string | undefined {
  try {
    return execFileSync('ps', ['-o', column, '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined;
  } catch {
    return undefined;
  }
}
