/** The user that the embedded server runs as, who must own its files. */
import { dirname, join } from 'node:path';
import { findUser, ownerOf, userName } from '../config/data-dir.ts';
import { isRoot } from './binaries.ts';

/** The Unix user `nobody` and its group, which other services may share. */
const NOBODY = { uid: 65_534, gid: 65_534 };

/**
 * The user and group of the server's programs, for child_process. Empty unless this process is root, as which
 * PostgreSQL does not run. An existing cluster keeps its user. A new one belongs to the user `detour` if the machine
 * has one, else to `nobody`.
 */
export function serverUser(cluster: string): { uid: number; gid: number } | Record<string, never> {
  return isRoot ? (ownerOf(versionFile(cluster)) ?? newUser()) : {};
}

/**
 * Throws one line that names the folder, its owner and the fix if the server could not use an existing cluster. A copy
 * without owners (`cp -r`) leaves such files.
 */
export function assertOwnedByServer(cluster: string): void {
  const own = process.getuid?.();
  if (own === undefined) return;
  const folder = dirname(cluster);
  // Another user's folder hides the files in it. Root sees all of them, and may not own those of the server.
  const owners = (isRoot ? [versionFile(cluster)] : [folder, versionFile(cluster)]).map((path) => ownerOf(path)?.uid);
  const wrong = owners.find((uid) => uid !== undefined && (uid === own) === isRoot);
  if (wrong === undefined) return;
  const needed = userName(isRoot ? newUser().uid : own);
  const reason = isRoot ? 'and PostgreSQL does not run as root' : `and this process runs as ${needed}`;
  throw new Error(
    `${folder}, the embedded database, belongs to ${userName(wrong)}, ${reason}: copy a data folder with cp -a, which keeps the owners, or run: chown -R ${needed} ${folder}`,
  );
}

const versionFile = (cluster: string) => join(cluster, 'PG_VERSION');
const newUser = () => findUser('detour') ?? NOBODY;
