/**
 * The embedded PostgreSQL server: DATA_DIR/postgres.lock names the process that owns it, DATA_DIR/postgres/password
 * (0600) is the database user's, DATA_DIR/postgres/data is the cluster.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { makeDataDir } from '../config/data-dir.ts';
import { lockHolder, takeFolderLock } from '../process/folder-lock.ts';
import { createCluster } from './cluster.ts';
import { isRoot, othersCanEnter, POSTGRES_MAJOR, postgresBinaries } from './binaries.ts';
import { assertOwnedByServer } from './server-user.ts';
import { runServer, serverAt, stopServer } from './server.ts';

export type EmbeddedPostgres = Awaited<ReturnType<typeof startPostgres>>;

export interface EmbeddedPostgresOptions {
  /** DATA_DIR; created if it does not exist */
  dataDir: string;
  /** the most connections that are open at a time; default: as few as one process needs */
  connections?: number;
  /** default true; false for tests: does not flush to disk */
  durable?: boolean;
  /** receives the end of the log if the server exits without stop() */
  onExit?: (reason: string) => void;
}

/**
 * Starts the server of the data folder, and creates its cluster the first time. Resolves when it accepts connections.
 * Stops a server that a killed process left first. Throws one line with the fix if the folder is in use or of another
 * major version, or if the platform has no server.
 */
export async function startPostgres({
  dataDir: folder,
  connections = 0,
  durable = true,
  onExit = () => {},
}: EmbeddedPostgresOptions) {
  const dataDir = resolve(folder);
  const binaries = postgresBinaries();
  makeFolder(dataDir);
  const unlock = takeFolderLock(join(dataDir, 'postgres.lock'), dataDir);
  try {
    const cluster = clusterOf(dataDir);
    checkMajor(cluster);
    assertOwnedByServer(cluster);
    await stopServer(cluster);
    await createCluster({ binaries, cluster, password: passwordFile(dataDir), durable });
    const server = await runServer({ binaries, cluster, durable, connections, onExit });
    return {
      /** contains the password: never log it */
      url: urlOf(server.port, readPassword(dataDir)),
      pid: server.pid,
      /** Shuts down cleanly. After `withinMs` stops at once; the next start then recovers from the log. */
      stop: async (withinMs = 5_000) => {
        await server.stop(withinMs);
        unlock();
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

/** The URL of the server that another process runs on this data folder; undefined if none does. */
export function runningPostgres(dataDir: string): string | undefined {
  const folder = resolve(dataDir);
  if (!isDataDirInUse(folder)) return undefined;
  const server = serverAt(clusterOf(folder));
  return server ? urlOf(server.port, readPassword(folder)) : undefined;
}

/** True while a process owns the data folder: its server runs, starts or stops. */
export function isDataDirInUse(dataDir: string): boolean {
  return lockHolder(join(resolve(dataDir), 'postgres.lock')) !== undefined;
}

const clusterOf = (dataDir: string) => join(dataDir, 'postgres', 'data');
const passwordFile = (dataDir: string) => join(dataDir, 'postgres', 'password');

function makeFolder(dataDir: string): void {
  makeDataDir(dataDir);
  // On Linux the server starts inside its folder. Elsewhere it must be able to enter every parent.
  if (isRoot && process.platform !== 'linux' && !othersCanEnter(dirname(dataDir)))
    throw new Error(
      `PostgreSQL does not run as root and other users cannot enter ${dirname(dataDir)}: set DATA_DIR to a folder elsewhere, or start as an ordinary user`,
    );
}

function checkMajor(cluster: string): void {
  const file = join(cluster, 'PG_VERSION');
  if (!existsSync(file)) return;
  const major = readFileSync(file, 'utf8').trim();
  if (major !== POSTGRES_MAJOR)
    throw new Error(
      `the data folder ${cluster} was written by PostgreSQL ${major} and this is PostgreSQL ${POSTGRES_MAJOR}: move the data with pg_dump and pg_restore, or set DATABASE_URL to a PostgreSQL ${major} server`,
    );
}

function readPassword(dataDir: string): string {
  try {
    return readFileSync(passwordFile(dataDir), 'utf8').trim();
  } catch (cause) {
    throw new Error(
      `cannot read ${passwordFile(dataDir)}, the password of the embedded database: run as the user that started the service, or put the file back`,
      { cause },
    );
  }
}

function urlOf(port: number, password: string): string {
  return `postgres://detour:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres`;
}
