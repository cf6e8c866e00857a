import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { isRoot } from './binaries.ts';
import { serverUser } from './server-user.ts';

const run = promisify(execFile);

/**
 * The argument for the folder that is the programs' working directory. As root on Linux they run as an unprivileged
 * user, who may not be able to enter a parent of the folder. The kernel's link to the working directory needs no access
 * to the parents.
 */
export function folderArgument(folder: string): string {
  return isRoot && process.platform === 'linux' ? '/proc/self/cwd' : folder;
}

interface NewCluster {
  binaries: string;
  cluster: string;
  /** the file of the password */
  password: string;
  durable: boolean;
}

/**
 * Creates the cluster with a random password if none exists. Renames it into place when complete, so a crash leaves no
 * partial cluster.
 */
export async function createCluster(options: NewCluster): Promise<void> {
  const { cluster, password } = options;
  if (existsSync(join(cluster, 'PG_VERSION'))) return;
  const user = serverUser(cluster);
  const draft = `${cluster}.new`;
  rmSync(draft, { recursive: true, force: true });
  makeOwnFolder(dirname(cluster), user);
  makeOwnFolder(draft, user);
  rmSync(password, { force: true });
  writeFileSync(password, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 });
  if (user.uid !== undefined) chownSync(password, user.uid, user.gid);
  await initdb(options, draft, user);
  renameSync(draft, cluster);
}

function makeOwnFolder(folder: string, user: ReturnType<typeof serverUser>): void {
  mkdirSync(folder, { mode: 0o700, recursive: true });
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
}

async function initdb(options: NewCluster, draft: string, user: ReturnType<typeof serverUser>): Promise<void> {
  const args = ['-D', folderArgument(draft), '-U', 'detour', '-A', 'scram-sha-256'];
  args.push(`--pwfile=../${basename(options.password)}`);
  // Sorts in byte order and folds case by Unicode, the same on every machine.
  args.push('--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8');
  if (!options.durable) args.push('--no-sync');
  try {
    await run(join(options.binaries, 'bin', 'initdb'), args, { ...user, cwd: draft });
  } catch (cause) {
    throw new Error(`the embedded PostgreSQL could not create its files: ${whyNot(cause)}`, { cause });
  }
}

/** The reason in one line. ENOENT for an existing program means that its C library is missing, as on Alpine. */
export function whyNot(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && error.code === 'ENOENT')
    return 'its programs do not run on this system (they need glibc): set DATABASE_URL to a PostgreSQL 15 or newer';
  const output = 'stderr' in error && typeof error.stderr === 'string' ? error.stderr.trim() : '';
  if (output.includes('could not look up effective user ID'))
    return 'PostgreSQL needs a user with a name: add this one to /etc/passwd, or set DATABASE_URL';
  return (output || error.message).split('\n').slice(-3).join('; ');
}
