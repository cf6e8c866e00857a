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

/** Makes the data folder where it is not there; throws one line naming DATA_DIR where this user cannot write to it. */
export function makeDataDir(dataDir: string): void {
  try {
    makeFolders(dataDir);
    accessSync(dataDir, constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new Error(
      `cannot write to the data folder ${dataDir}: set DATA_DIR to a folder that this user can write`,
      { cause },
    );
  }
}

/** mkdirSync's own `recursive` never returns where the parent is there and mkdir still says ENOENT, as in /proc. */
function makeFolders(folder: string): void {
  if (existsSync(folder)) return;
  makeFolders(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    if (!existsSync(folder)) throw error; // another process may have made it meanwhile
  }
}

/** The file's text, or undefined where there is none. */
export function readPrivateFile(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Writes the file whole or not at all, readable by its owner alone (0600); one that is there is replaced. */
export function writePrivateFile(file: string, text: string): void {
  renameSync(draftOf(file, text), file);
}

/** The file's text; where there is none it is written first. Of several processes at once, one writes and all read that. */
export function readOrCreatePrivateFile(file: string, create: () => string): string {
  const found = readPrivateFile(file);
  if (found !== undefined) return found;
  const draft = draftOf(file, create());
  try {
    linkSync(draft, file);
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readFileSync(file, 'utf8');
}

function draftOf(file: string, text: string): string {
  const draft = `${file}.${process.pid}`;
  mkdirSync(dirname(file), { recursive: true });
  rmSync(draft, { force: true }); // the mode below counts only for a file that is made
  writeFileSync(draft, text, { mode: 0o600 });
  return draft;
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/**
 * The key of this data folder for secrets at rest: 32 bytes, made the first time and kept in `secret.key` (0600). Without it
 * the secrets in the database are lost, so it belongs in every backup of the folder.
 */
export function keptSecretKey(dataDir: string): Buffer {
  makeDataDir(dataDir);
  const file = join(dataDir, 'secret.key');
  const key = Buffer.from(
    readOrCreatePrivateFile(file, () => `${randomBytes(32).toString('base64')}\n`),
    'base64',
  );
  if (key.length !== 32)
    throw new Error(`${file} does not hold 32 bytes in base64: put the former file back`);
  return key;
}
