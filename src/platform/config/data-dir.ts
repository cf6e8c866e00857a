import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { isErrorCode } from '../log/error-summary.ts';
import { readable } from '../process/process-identity.ts';

/** Outside Linux, root's embedded server runs as another user and must pass through the folder to its own. */
const DATA_DIR_MODE = process.getuid?.() === 0 && process.platform !== 'linux' ? 0o711 : 0o700;

/**
 * Creates the data folder, closed to other users, if it does not exist. Throws one line that names DATA_DIR and the
 * owner of the folder if this user cannot write to it.
 */
export function makeDataDir(dataDir: string): void {
  try {
    makeFolders(dataDir, DATA_DIR_MODE);
    accessSync(dataDir, constants.W_OK | constants.X_OK);
  } catch (cause) {
    const owner = ownerOf(dataDir);
    const belongs = owner === undefined ? '' : `, which belongs to ${userName(owner.uid)}`;
    throw new Error(
      `cannot write to the data folder ${dataDir}${belongs}: set DATA_DIR to a folder that this user can write`,
      { cause },
    );
  }
}

/** With `recursive`, mkdirSync never returns if mkdir fails with ENOENT in an existing parent, as in /proc. */
function makeFolders(folder: string, mode = 0o777): void {
  if (existsSync(folder)) return;
  makeFolders(dirname(folder));
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    if (!existsSync(folder)) throw error; // another process may have created it
  }
}

/**
 * A warning if other users of the machine can read or write the data folder, undefined otherwise. Its mode is never
 * changed, because an operator may share the folder on purpose.
 */
export function openDataDirWarning(dataDir: string): string | undefined {
  const mode = existsSync(dataDir) ? statSync(dataDir).mode & 0o777 : 0;
  if (process.platform === 'win32' || (mode & 0o006) === 0) return undefined;
  const octal = mode.toString(8).padStart(4, '0');
  return `other users of this machine can open the data folder ${dataDir} (mode ${octal}): run chmod 700 ${dataDir}`;
}

/** The ids of the user and group that own the file or folder; undefined if it does not exist or is hidden. */
export function ownerOf(path: string): { uid: number; gid: number } | undefined {
  const stats = readable(() => statSync(path));
  return stats && { uid: stats.uid, gid: stats.gid };
}

/** The name of the user, or "user 1000" if the machine has no name for this id. */
export function userName(uid: number): string {
  return users().find((fields) => fields[2] === String(uid))?.[0] ?? `user ${uid}`;
}

/** The ids of the user and its group; undefined if the machine has no user of this name. */
export function findUser(name: string): { uid: number; gid: number } | undefined {
  const fields = users().find(([own]) => own === name);
  return fields && { uid: Number(fields[2]), gid: Number(fields[3]) };
}

/** The fields of each user: name, password, ids of the user and the group. */
const users = () => (readPrivateFile('/etc/passwd') ?? '').split('\n').map((line) => line.split(':'));

/** Returns the file's text; undefined if the file does not exist. */
export function readPrivateFile(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (isErrorCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Writes or replaces the file atomically, readable by its owner only (0600). */
export function writePrivateFile(file: string, text: string): void {
  renameSync(draftOf(file, text), file);
}

/**
 * Returns the file's text, and creates the file first if needed. Of several processes, one creates it and all read it.
 */
export function readOrCreatePrivateFile(file: string, create: () => string): string {
  const found = readPrivateFile(file);
  if (found !== undefined) return found;
  const draft = draftOf(file, create());
  try {
    linkSync(draft, file);
  } catch (error) {
    if (!isErrorCode(error, 'EEXIST')) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readFileSync(file, 'utf8');
}

function draftOf(file: string, text: string): string {
  const draft = `${file}.${process.pid}`;
  mkdirSync(dirname(file), { recursive: true, mode: DATA_DIR_MODE });
  rmSync(draft, { force: true }); // the mode applies only to a new file
  writeFileSync(draft, text, { mode: 0o600 });
  return draft;
}

/**
 * Returns the key of this data folder for secrets at rest: 32 bytes, created once and stored in `secret.key` (0600).
 * Without it the secrets in the database are lost, so back it up with the folder.
 */
export function keptSecretKey(dataDir: string): Buffer {
  makeDataDir(dataDir);
  const file = join(dataDir, 'secret.key');
  const key = Buffer.from(
    readOrCreatePrivateFile(file, () => `${randomBytes(32).toString('base64')}\n`),
    'base64',
  );
  if (key.length !== 32) throw new Error(`${file} does not hold 32 bytes in base64: put the former file back`);
  return key;
}
