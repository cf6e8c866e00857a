/** The embedded server after crashes, with reused process ids, and in unusual folders. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type EmbeddedPostgres, runningPostgres, startPostgres } from '../../src/platform/postgres/embedded.ts';

let folder: string;
let dataDir: string;
const started: EmbeddedPostgres[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'detour-embedded-'));
  dataDir = join(folder, 'data');
});
afterEach(async () => {
  for (const server of started.splice(0)) await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function start(onExit?: (reason: string) => void): Promise<EmbeddedPostgres> {
  const server = await startPostgres({ dataDir, durable: false, ...(onExit && { onExit }) });
  started.push(server);
  return server;
}

async function ask(url: string, query: string): Promise<unknown[]> {
  const client = new Client(url);
  await client.connect();
  const { rows } = await client.query<Record<string, unknown>>(query).finally(() => client.end());
  return rows.map((row) => Object.values(row)[0]);
}

test('data survives a stop and a start, and only the owner can read the password file', async () => {
  const first = await start();
  await ask(first.url, 'create table kept as select 42 as n');
  await first.stop();
  started.pop();
  const second = await start();
  expect(await ask(second.url, 'select n from kept')).toEqual([42]);
  expect(statSync(join(dataDir, 'postgres', 'password')).mode & 0o777).toBe(0o600);
  expect(new URL(second.url).password).toBe(new URL(first.url).password);
});

test('a connection without the password is rejected', async () => {
  const { url } = await start();
  const wrong = new URL(url);
  wrong.password = 'guessed';
  await expect(ask(wrong.href, 'select 1')).rejects.toThrow('password authentication failed');
  wrong.password = '';
  await expect(ask(wrong.href, 'select 1')).rejects.toThrow(/password/);
});

test('case folding covers characters beyond ASCII, and text sorts by bytes', async () => {
  const { url } = await start();
  expect(await ask(url, `select lower('ÄÉ') || (('Z' < 'a')::text)`)).toEqual(['äétrue']);
});

test('a running server is found by its data folder, only while it runs', async () => {
  expect(runningPostgres(dataDir)).toBeUndefined();
  const server = await start();
  expect(runningPostgres(dataDir)).toBe(server.url);
  await server.stop();
  started.pop();
  expect(runningPostgres(dataDir)).toBeUndefined();
});

test('a server that crashes is reported with the end of its log', async () => {
  const died = Promise.withResolvers<string>();
  const server = await start(died.resolve);
  process.kill(server.pid, 'SIGQUIT');
  expect(await died.promise).toMatch(/^it ended with .*immediate shutdown/);
});

test('a server that is stopped is not reported as crashed', async () => {
  const reasons: string[] = [];
  const server = await start((reason) => reasons.push(reason));
  await server.stop();
  started.pop();
  expect(reasons).toEqual([]);
});

test('an immediate stop leaves a database that recovers', async () => {
  const first = await startPostgres({ dataDir });
  await ask(first.url, 'create table kept as select generate_series(1, 10000) as n');
  await first.stop(0);
  expect(await ask((await start()).url, 'select count(*)::int from kept')).toEqual([10_000]);
});

test('a postmaster.pid with the process id of another program does not prevent the start', async () => {
  const first = await start();
  await first.stop();
  started.pop();
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  const cluster = join(dataDir, 'postgres', 'data');
  writeFileSync(join(cluster, 'postmaster.pid'), `${other.pid}\n${cluster}\n1\n5432\n\n127.0.0.1\n\nready\n`);
  expect(await ask((await start()).url, 'select 1')).toEqual([1]);
  expect(other.exitCode).toBeNull();
  other.kill();
  await once(other, 'exit');
});

test('an interrupted initdb runs again', async () => {
  mkdirSync(join(dataDir, 'postgres', 'data.new', 'base'), { recursive: true });
  writeFileSync(join(dataDir, 'postgres', 'data.new', 'PG_VERSION'), '18\n');
  expect(await ask((await start()).url, 'select 1')).toEqual([1]);
});

test('a folder of another major version is rejected with a remedy and stays unchanged', async () => {
  const version = join(dataDir, 'postgres', 'data', 'PG_VERSION');
  mkdirSync(join(dataDir, 'postgres', 'data'), { recursive: true });
  writeFileSync(version, '15\n');
  await expect(start()).rejects.toThrow(/written by PostgreSQL 15 and this is PostgreSQL 18: .*DATABASE_URL/);
  expect(readFileSync(version, 'utf8')).toBe('15\n');
});

test('the error names a missing password file', async () => {
  await (await start()).stop();
  started.pop();
  rmSync(join(dataDir, 'postgres', 'password'));
  await expect(start()).rejects.toThrow(/cannot read .*password.*put the file back/);
});

test('a data folder that is a file is rejected with the name of the variable', async () => {
  writeFileSync(dataDir, '');
  await expect(start()).rejects.toThrow(/^cannot write to the data folder .*DATA_DIR/);
});

test('the path of the data folder can have mode 0700, spaces and non-ASCII letters', async () => {
  dataDir = join(folder, 'böser Ordner "1"', 'data');
  mkdirSync(join(folder, 'böser Ordner "1"'));
  chmodSync(folder, 0o700);
  expect(await ask((await start()).url, 'select 1')).toEqual([1]);
});

test('a symbolic link to the data folder is the same folder', async () => {
  mkdirSync(join(folder, 'real'));
  symlinkSync(join(folder, 'real'), dataDir);
  const server = await start();
  await expect(startPostgres({ dataDir: join(folder, 'real') })).rejects.toThrow(`in use by process ${process.pid}`);
  expect(runningPostgres(join(folder, 'real'))).toBe(server.url);
  expect(runningPostgres(dataDir)).toBe(server.url);
});

test('a copy of the folder without its owners is rejected with its owner and cp -a, one with owners works', async () => {
  if (process.getuid?.() !== 0) throw new Error('this test needs root, because it changes owners: run it as root');
  const first = await start();
  await ask(first.url, 'create table kept as select 42 as n');
  await first.stop();
  started.pop();
  const original = dataDir;
  dataDir = join(folder, 'copied');
  execFileSync('cp', ['-r', original, dataDir]);
  await expect(start()).rejects.toThrow(
    `${join(dataDir, 'postgres')}, the embedded database, belongs to root, and PostgreSQL does not run as root: copy a data folder with cp -a`,
  );
  rmSync(dataDir, { recursive: true });
  execFileSync('cp', ['-a', original, dataDir]);
  expect(await ask((await start()).url, 'select n from kept')).toEqual([42]);
});

test('as root, the server runs as the user who owns an existing folder', async () => {
  await (await start()).stop();
  started.pop();
  execFileSync('chown', ['-R', '12345:12345', join(dataDir, 'postgres')]);
  const { url, pid } = await start();
  expect(await ask(url, 'select 1')).toEqual([1]);
  expect(readFileSync(`/proc/${pid}/status`, 'utf8')).toMatch(/^Uid:\t12345\t.*\n(.*\n)?.*Gid:\t12345\t/m);
});
