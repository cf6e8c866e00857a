import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { isErrorCode } from './error-summary.ts';

/**
 * Creates the data folder if it does not exist. Throws one line that names DATA_DIR if this user cannot write to it.
 */
export function makeDataDir(dataDir: string): void {
  try {
    makeFolders(dataDir);
    accessSync(dataDir, constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new Error(`cannot write to the data folder ${dataDir}: set DATA_DIR to a folder that this user can write`, {
      cause,
    });
  }
}

/** With `recursive`, mkdirSync never returns if mkdir fails with ENOENT in an existing parent, as in /proc. */
function makeFolders(folder: string): void {
  if (existsSync(folder)) return;
  makeFolders(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    if (!existsSync(folder)) throw error; // another process may have created it
  }
}

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
  mkdirSync(dirname(file), { recursive: true });
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
