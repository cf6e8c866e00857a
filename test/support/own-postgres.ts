/** A PostgreSQL server and its client programs from Debian packages, such as an operator has. */
import { spawn, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePort } from '../../src/platform/postgres/server.ts';
import { until } from './wait.ts';

/** PostgreSQL does not run as root. */
const NOBODY = { uid: 65_534, gid: 65_534 };

export interface OwnPostgres {
  /** the URL of a database of this name */
  urlOf(database: string): string;
  /** the folder with pg_dump and the other programs */
  programs: string;
  port: number;
  /** Starts a streaming replica of it. */
  replica(): Promise<OwnPostgres>;
  stop(): Promise<void>;
}

/** Starts a server on a new cluster. Throws one line that names the package if the machine has none. */
export async function startOwnPostgres(primary?: OwnPostgres): Promise<OwnPostgres> {
  const programs = globSync('/usr/lib/postgresql/*/bin').toSorted().at(-1);
  if (programs === undefined)
    throw new Error('this test needs a PostgreSQL server: install the Debian package postgresql');
  const isRoot = process.getuid?.() === 0;
  const folder = mkdtempSync(join(tmpdir(), 'detour-own-postgres-'));
  if (isRoot) chownSync(folder, NOBODY.uid, NOBODY.gid);
  const options = { ...(isRoot && NOBODY), cwd: folder };
  const cluster = join(folder, 'data');
  const initdb = ['-D', cluster, '-U', 'detour', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'];
  const source = primary?.urlOf('postgres').replace('/postgres', '');
  if (source === undefined) execFileSync(join(programs, 'initdb'), initdb, { ...options, stdio: 'ignore' });
  else execFileSync(join(programs, 'pg_basebackup'), ['-D', cluster, '-d', source, '-R', '-c', 'fast'], options);
  const port = await freePort('127.0.0.1');
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off', 'max_connections=200'];
  const args = ['-D', cluster, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];
  const server = spawn(join(programs, 'postgres'), args, { ...options, stdio: 'ignore' });
  const closed = once(server, 'close');
  const urlOf = (database: string) => `postgres://detour@127.0.0.1:${port}/${database}`;
  await until(() => {
    if (server.exitCode !== null) throw new Error(`the PostgreSQL server ended with ${server.exitCode}`);
    return isUp(urlOf('postgres'));
  }, 60_000);
  const own: OwnPostgres = {
    urlOf,
    programs,
    port,
    replica: () => startOwnPostgres(own),
    async stop() {
      server.kill('SIGINT');
      await closed;
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return own;
}

async function isUp(url: string): Promise<boolean> {
  const client = new Client(url);
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}
