/** A small file system in memory that a test fills and empties. Needs root. */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SmallDisk {
  path: string;
  /** Writes a file until no byte is left. */
  fill(): void;
  /** Removes that file. */
  empty(): void;
  /** Unmounts it, with everything on it. */
  clear(): void;
}

/** Mounts a disk of this size. Throws one line if the machine does not permit it. */
export function mountSmallDisk(megabytes: number): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), 'detour-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0777`, 'tmpfs', path], { stdio: 'pipe' });
  } catch (cause) {
    rmdirSync(path);
    throw new Error('this test mounts a small tmpfs: run it as root, in a container with CAP_SYS_ADMIN', { cause });
  }
  const filler = join(path, 'filler');
  return {
    path,
    fill() {
      const file = openSync(filler, 'a');
      try {
        for (const size of [1024 ** 2, 4096]) writeUntilFull(file, Buffer.alloc(size));
      } finally {
        closeSync(file);
      }
    },
    empty: () => rmSync(filler, { force: true }),
    clear() {
      // Lazily: a process that was killed a moment ago may still hold a file.
      execFileSync('umount', ['--lazy', path]);
      rmdirSync(path);
    },
  };
}

function writeUntilFull(file: number, bytes: Buffer): void {
  try {
    for (;;) writeSync(file, bytes);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  }
}
