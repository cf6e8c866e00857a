/** Several hosts in DATABASE_URL, with a real primary and its replica. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { type Db, openDatabase } from '../../src/db/connection/client.ts';
import type { HostClient } from '../../src/db/connection/hosts.ts';
import { listen } from '../../src/db/connection/persistent-connection.ts';
import { sql } from '../../src/db/drizzle.ts';
import { isConnectionError, isReadOnlyError } from '../../src/db/errors.ts';
import { migrate } from '../../src/db/migrate.ts';
import { queryRows } from '../../src/db/rows.ts';
import { freePort } from '../../src/platform/postgres/server.ts';
import { startTestDetour } from '../support/detour.ts';
import { type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts';
import { createSite } from '../support/site.ts';
import { until } from '../support/wait.ts';

let primary: OwnPostgres;
let replica: OwnPostgres;
let db: Db;
beforeEach(async () => {
  primary = await startOwnPostgres();
  replica = await primary.replica();
});
afterEach(async () => {
  await db.$client.end();
  await primary.stop();
  await replica.stop();
});

const urlOf = (...ports: number[]): string =>
  `postgres://detour@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/postgres?target_session_attrs=read-write`;
async function portOf(queryable: Db): Promise<number> {
  const [row] = await queryRows<{ port: number }>(queryable)`select current_setting('port')::int as port`;
  return row?.port ?? 0;
}
const writeTo = (queryable: Db) => queryable.transaction((tx) => tx.execute(sql`create temporary table t (id int)`));

/** Accepts connections and never responds. */
async function startSilentHost(): Promise<number> {
  const server = createServer(() => {}).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

test('a host that is closed, silent or a standby is passed over, within 2 s', async () => {
  const began = performance.now();
  db = openDatabase(urlOf(await freePort('127.0.0.1'), await startSilentHost(), replica.port, primary.port));
  expect(await portOf(db)).toBe(primary.port);
  expect(performance.now() - began).toBeLessThan(4_000);
});

test('without a host for writes, the error names each host and its problem', async () => {
  const closed = await freePort('127.0.0.1');
  db = openDatabase(urlOf(closed, replica.port));
  const error = await portOf(db).catch((reason: unknown) => reason);
  expect(isConnectionError(error)).toBe(true);
  const { message } = (error as Error).cause as Error;
  expect(message).toContain(`127.0.0.1:${replica.port} is a standby`);
  expect(message).toContain(`127.0.0.1:${closed} connect ECONNREFUSED`);
});

test('a URL for a standby leads to the one that is a standby now', async () => {
  const url = urlOf(primary.port, replica.port).replace('read-write', 'standby');
  db = openDatabase(url);
  expect(await portOf(db)).toBe(replica.port);
  await replica.query('select pg_promote()');
  const held = await db.$client.connect();
  const error = await (held as unknown as HostClient).checkHost().catch(String);
  held.release(true);
  expect(error).toContain(`no host of DATABASE_READ_URL is a standby (127.0.0.1:${replica.port} is a primary)`);
  await expect(portOf(db)).rejects.toThrow();
});

test('connections leave a server that becomes read-only without ending them, for the promoted one', async () => {
  const url = urlOf(primary.port, replica.port);
  db = openDatabase(url);
  let reconnects = 0;
  const listener = { onNotify() {}, onReconnect: () => void reconnects++, onError() {} };
  const listening = listen(url, ['news'], listener);
  await listening.ready;
  // Several idle connections.
  const held = await Promise.all(Array.from({ length: 5 }, () => db.$client.connect()));
  for (const client of held) client.release();
  await primary.query('alter system set default_transaction_read_only = on');
  await primary.query('select pg_reload_conf()');
  await replica.query('select pg_promote()');
  const failed = await until(() =>
    writeTo(db).then(
      () => false as const,
      (error: unknown) => error,
    ),
  );
  expect(isReadOnlyError(failed)).toBe(true);
  expect(db.$client.idleCount).toBe(0);
  await writeTo(db);
  expect(await portOf(db)).toBe(replica.port);
  await until(() => Promise.resolve(reconnects === 1), 15_000);
  await listening.stop();
});

test('a commit whose wait for the synchronous standby is cancelled is an error, not a success', async () => {
  await primary.query('create table written (id int)');
  await primary.query("alter system set synchronous_standby_names = '*'");
  await primary.query('select pg_reload_conf()');
  db = openDatabase(urlOf(primary.port));
  await until(
    async () => (await primary.query("select from pg_stat_replication where sync_state = 'sync'")).length === 1,
  );
  await db.transaction((tx) => tx.execute(sql`insert into written values (1)`));
  await replica.query("alter system set primary_conninfo = ''");
  await replica.query('select pg_reload_conf()');
  await until(async () => (await primary.query('select from pg_stat_replication')).length === 0);
  const ended = Promise.all(
    [
      db.transaction((tx) => tx.execute(sql`insert into written values (2)`)),
      db.execute(sql`insert into written values (3)`),
    ].map((write) => write.catch((reason: unknown) => reason)),
  );
  const waiting = "from pg_stat_activity where wait_event = 'SyncRep'";
  await until(async () => (await primary.query(`select ${waiting}`)).length === 2);
  await primary.query(`select pg_cancel_backend(pid) ${waiting}`);
  for (const error of await ended) expect(isConnectionError(error)).toBe(true);
  // They are committed on the primary. The notice of the cancellation comes before others see them.
  await until(async () => (await primary.query('select from written')).length === 3);
  await primary.query('alter system reset synchronous_standby_names');
  await primary.query('select pg_reload_conf()');
  await until(
    async () => (await primary.query('show synchronous_standby_names'))[0]?.['synchronous_standby_names'] === '',
  );
  await db.execute(sql`insert into written values (4)`);
});

test('an import whose body pauses during a failover is applied whole or not at all', async () => {
  const url = urlOf(primary.port, replica.port);
  db = openDatabase(url);
  await migrate(db);
  const detour = await startTestDetour({}, { database: { db, url, close: async () => {} } });
  onTestFinished(() => detour.stop());
  const owner = await detour.account();
  const site = await createSite(owner, ['shop.example']);
  const line = (n: number): string => `${JSON.stringify({ old_path: `/p${n}`, new_path: '/x' })}\n`;
  const rest = Promise.withResolvers<void>();
  async function* body() {
    yield Array.from({ length: 2_000 }, (_, n) => line(n)).join('');
    await rest.promise;
    yield line(2_000);
  }
  const answer = fetch(`${detour.address}/api/v1/redirects/bulk?website_id=${site}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${owner.key}`, 'content-type': 'application/x-ndjson' },
    body: Readable.from(body()),
    duplex: 'half',
  });
  const stages = "select relname from pg_class where relname like 'import_stage_%' and relkind = 'r'";
  const [stage] = await until(async () => {
    const found = await primary.query(stages);
    return found.length === 1 && found;
  });
  // Its rows are visible when the import has paused.
  const rows = `select from ${String(stage?.['relname'])}`;
  await until(async () => (await primary.query(rows)).length === 2_000);
  await until(async () => (await replica.query(stages)).length === 1);
  await primary.kill();
  await replica.query('select pg_promote()');
  // The thread of imports has found the promoted server.
  const exported = `/api/v1/redirects/bulk/export?website_id=${site}`;
  await until(async () => (await owner.keyCall('GET', exported)).status === 200);
  rest.resolve();
  expect([(await answer).status, await (await answer).json()]).toEqual([
    503,
    expect.objectContaining({ details: expect.stringContaining('nothing was applied, send it again') }),
  ]);
  const { body: count } = await owner.call('GET', `/api/redirects/count?website_id=${site}`);
  expect(count).toEqual({ count: 0 });
  primary = await replica.replica();
}, 120_000);
