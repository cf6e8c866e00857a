/**
 * A real PostgreSQL server under the data folder, for those who have none:
 *
 *   DATA_DIR/postgres.lock        the process that owns the server
 *   DATA_DIR/postgres/password    of the database user, 0600
 *   DATA_DIR/postgres/data        the cluster
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { makeDataDir } from '../data-dir.ts';
import { lockHolder, takeFolderLock } from './folder-lock.ts';
import { createCluster } from './cluster.ts';
import { isRoot, othersCanEnter, POSTGRES_MAJOR, postgresBinaries } from './binaries.ts';
import { runServer, serverAt, stopServer } from './server.ts';

export interface EmbeddedPostgres {
  /** with the password; never to be logged */
  url: string;
  pid: number;
  /** Closes the server in order; after `withinMs` (5 s) at once, and then the next start recovers from the log. */
  stop(withinMs?: number): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** DATA_DIR; made when it does not exist */
  dataDir: string;
  /** false: for tests, nothing is forced to disk. true by default. */
  durable?: boolean;
  /** hears that the server ended without stop(), with the end of its log */
  onExit?: (reason: string) => void;
}

/**
 * Starts the server of the data folder, creating it the first time, and resolves when it takes connections.
 * A server that a killed process left behind is stopped first. Throws one line that says what to do when the folder is
 * in use, belongs to another major version, or this platform has no server.
 */
export async function startPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = resolve(options.dataDir);
  const durable = options.durable ?? true;
  const binaries = postgresBinaries();
  makeFolder(dataDir);
  const unlock = takeFolderLock(join(dataDir, 'postgres.lock'), dataDir);
  try {
    const cluster = clusterOf(dataDir);
    checkMajor(cluster);
    await stopServer(cluster);
    await createCluster({ binaries, cluster, password: passwordFile(dataDir), durable });
    const server = await runServer({ binaries, cluster, durable, onExit: options.onExit ?? (() => {}) });
    return {
      url: urlOf(server.port, readPassword(dataDir)),
      pid: server.pid,
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

/** The address of the server that another process runs on this data folder, or undefined when none does. */
export function runningPostgres(dataDir: string): string | undefined {
  const folder = resolve(dataDir);
  if (!isDataDirInUse(folder)) return undefined;
  const server = serverAt(clusterOf(folder));
  return server ? urlOf(server.port, readPassword(folder)) : undefined;
}

/** True while a process has the data folder: its server runs, or is starting or stopping. */
export function isDataDirInUse(dataDir: string): boolean {
  return lockHolder(join(resolve(dataDir), 'postgres.lock')) !== undefined;
}

const clusterOf = (dataDir: string) => join(dataDir, 'postgres', 'data');
const passwordFile = (dataDir: string) => join(dataDir, 'postgres', 'password');

function makeFolder(dataDir: string): void {
  makeDataDir(dataDir);
  // Elsewhere than on Linux the server needs the way to its folder open; there it starts inside the folder.
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
