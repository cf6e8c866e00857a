/** A PostgreSQL server and its client programs from Debian packages, such as an operator has. */
import { spawn, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
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
  /** Executes one statement in the database `postgres`, and returns its rows. */
  query(statement: string): Promise<Record<string, unknown>[]>;
  /** Starts a streaming replica of it. Default of `port`: a free one. */
  replica(port?: number): Promise<OwnPostgres>;
  stop(): Promise<void>;
  /** Ends it as `kill -9` does, and removes its cluster. */
  kill(): Promise<void>;
}

interface OwnPostgresOptions {
  port?: number;
  /** the new server is a replica of it */
  primary?: OwnPostgres;
}

/** Starts a server on a new cluster. Throws one line that names the package if the machine has none. */
export async function startOwnPostgres(given: OwnPostgresOptions = {}): Promise<OwnPostgres> {
  const { primary, port = await freePort('127.0.0.1') } = given;
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
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off', 'max_connections=200'];
  const args = ['-D', cluster, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];
  const server = spawn(join(programs, 'postgres'), args, { ...options, stdio: 'ignore' });
  const closed = once(server, 'close');
  const urlOf = (database: string) => `postgres://detour@127.0.0.1:${port}/${database}`;
  await until(() => {
    if (server.exitCode !== null) throw new Error(`the PostgreSQL server ended with ${server.exitCode}`);
    return isUp(urlOf('postgres'));
  }, 60_000);
  async function end(signal: NodeJS.Signals): Promise<void> {
    server.kill(signal);
    await closed;
    // Its children end by themselves when they notice.
    await until(async () => !(await isListening(port)), 60_000);
    rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
  }
  const own: OwnPostgres = {
    urlOf,
    programs,
    port,
    query: (statement) => queryOnce(urlOf('postgres'), statement),
    replica: (at) => startOwnPostgres({ primary: own, ...(at !== undefined && { port: at }) }),
    stop: () => end('SIGINT'),
    kill: () => end('SIGKILL'),
  };
  return own;
}

async function queryOnce(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new Client(url);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}

function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return once(socket, 'connect')
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy());
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
