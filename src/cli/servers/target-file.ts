/**
 * The configuration file and what is beside it. The names begin with a dot, which the wildcards of includes in nginx,
 * Apache and Caddy skip.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, chown, copyFile, link, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { CommandError, UsageError } from '../errors.ts';

export interface TargetFile {
  /** the file that the server reads; links are resolved, so that a link stays one */
  path: string;
  draft: string;
  /** the content before the swap, until the server runs with the new one */
  former: string;
  state: string;
  lock: string;
  output: string;
}

/** Throws a UsageError if the folder does not exist or the path is not a file. */
export async function targetFile(out: string): Promise<TargetFile> {
  const found = await stat(out).catch(() => undefined);
  if (found && !found.isFile()) throw new UsageError(`--out must be a file: ${out} is not`);
  const folder = await realpath(dirname(out)).catch(() => undefined);
  if (folder === undefined) throw new UsageError(`--out: the folder ${dirname(out)} does not exist`);
  const path = found ? await realpath(out) : join(folder, basename(out));
  const beside = (what: string): string => join(dirname(path), `.${basename(path)}.detour-${what}`);
  return {
    path,
    draft: beside('new'),
    former: beside('former'),
    state: beside('state'),
    lock: beside('lock'),
    output: beside('output'),
  };
}

/** The SHA-256 of a file in hexadecimal, or null if it does not exist. */
export async function digestOf(path: string): Promise<string | null> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(path), hash);
  } catch (error) {
    if (isMissing(error)) return null;
    throw unwritable(path, error);
  }
  return hash.digest('hex');
}

/** Puts the draft in place. */
export async function swapIn({ path, draft }: TargetFile): Promise<void> {
  await rename(draft, path).catch((error: unknown) => {
    throw unwritable(path, error);
  });
  await flushFolder(path);
}

/** Keeps the file under a second name. Returns false if there is no file. */
export async function keepFormer({ path, former }: TargetFile): Promise<boolean> {
  await rm(former, { force: true });
  try {
    // A link costs nothing, and stays when another file takes the name. Some file systems have none.
    await link(path, former).catch(async (error: unknown) => {
      if (isMissing(error)) throw error;
      await copyFile(path, former);
    });
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw unwritable(former, error);
  }
}

/** Puts the former file back. Without a former file, removes the new one. */
export async function swapBack({ path, former }: TargetFile, hadFormer: boolean): Promise<void> {
  try {
    if (hadFormer) await rename(former, path);
    else await rm(path, { force: true });
  } catch (error) {
    throw unwritable(path, error);
  }
  await flushFolder(path);
}

/** Gives the draft the mode and the owner of the file that it replaces, else 0644. */
export async function inheritAccess({ path, draft }: TargetFile): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  await chmod(draft, found ? found.mode & 0o777 : 0o644);
  // Only root may give a file away; for others it is their own in any case.
  if (found) await chown(draft, found.uid, found.gid).catch(() => undefined);
}

/** Makes renames of the folder survive a power failure. */
export async function flushFolder(path: string): Promise<void> {
  const folder = await open(dirname(path), 'r').catch(() => undefined);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}

export function unwritable(path: string, error: unknown): CommandError {
  return new CommandError(`${path} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
