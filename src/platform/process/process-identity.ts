/** Identifies processes beyond their id, because ids are reused, in containers at every start. */
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { isErrorCode } from '../log/error-summary.ts';

/**
 * The start time of the process, on Linux with the id of the boot. Undefined if it does not run, '' if the platform
 * reports none.
 */
export function processIdentity(pid: number): string | undefined {
  if (!isRunning(pid)) return undefined;
  if (process.platform === 'linux') return linuxIdentity(pid);
  if (process.platform === 'win32') return '';
  return fromPs(pid, 'lstart=');
}

/** True if the process is a PostgreSQL server, on Linux of this data folder. */
export function isPostgresOf(pid: number, cluster: string): boolean {
  if (!isRunning(pid)) return false;
  if (process.platform === 'linux') return commandOf(pid) === 'postgres' && worksIn(pid, cluster);
  if (process.platform === 'win32') return true;
  return basename(fromPs(pid, 'comm=') ?? '') === 'postgres';
}

/** True while a process with this id runs, of any user. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isErrorCode(error, 'EPERM');
  }
}

function linuxIdentity(pid: number): string | undefined {
  return readable(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command in parentheses may contain spaces. Of the fields after it, the 1st is the state, the 20th the start.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${fields[19] ?? ''}`;
  });
}

/**
 * Compares inodes, because a path may contain links. True if permission is denied: a running server must not count as
 * crashed.
 */
function worksIn(pid: number, folder: string): boolean {
  try {
    const [actual, expected] = [statSync(`/proc/${pid}/cwd`), statSync(folder)];
    return actual.dev === expected.dev && actual.ino === expected.ino;
  } catch (error) {
    return isErrorCode(error, 'EACCES');
  }
}

const commandOf = (pid: number) => readable(() => readFileSync(`/proc/${pid}/comm`, 'utf8').trim());

const fromPs = (pid: number, column: string) =>
  readable(() => execFileSync('ps', ['-o', column, '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined);

/** Returns the result of `read`, or undefined if the system does not allow it or the file no longer exists. */
export function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
