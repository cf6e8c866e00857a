/** The database crashes and restarts while webhooks are sent. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/db/connection/client.ts';
import { migrate } from '../../src/db/migrate.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { type EmbeddedPostgres, startPostgres } from '../../src/platform/postgres/embedded.ts';
import { createDailyPartitions } from '../../src/events/daily-partitions.ts';
import type { FreshDatabase } from '../support/database.ts';
import { addWebhook, openAccount, openDispatcher, publish, statesOf } from '../support/dispatching.ts';
import { startReceiver } from '../support/receiver.ts';
import { until } from '../support/wait.ts';

const ROUNDS = 5;
/** Events of a round: a fifth is sent before the crash, the rest after the restart. */
const EVENTS = 500;
const DOWN_MS = 1_500;

/** The command that started the server, for the restart. Linux only. */
function commandOf({ pid }: EmbeddedPostgres) {
  const [file = '', ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
  const { uid, gid } = statSync(`/proc/${pid}`);
  return { file, args, uid, gid };
}

async function ready(url: string): Promise<void> {
  const probe = openDatabase(url, { max: 1 });
  await until(
    () =>
      probe.execute(sql`select 1`).then(
        () => true,
        () => false,
      ),
    30_000,
  );
  await probe.$client.end();
}

test('five hard restarts of the database under load: nothing is lost, and sending resumes within 2 s', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'detour-restart-'));
  const dataDir = join(parent, 'data');
  const postgres = await startPostgres({ dataDir });
  const command = commandOf(postgres);
  const cluster = join(dataDir, 'postgres', 'data');
  const db = openDatabase(postgres.url);
  await migrate(db);
  await createDailyPartitions(db, systemClock.now());
  const database: FreshDatabase = { db, url: postgres.url, close: () => db.$client.end() };
  const receiver = await startReceiver({ reply: (response) => setTimeout(() => response.end(), 10) });
  const actor = await openAccount(database);
  await addWebhook(database, actor, receiver.url);
  const dispatcher = await openDispatcher(database);
  dispatcher.start();
  let pid = postgres.pid;
  let stored = 0;
  let slowestMs = 0;
  for (let round = 0; round < ROUNDS; round++) {
    await publish(database, actor, EVENTS);
    stored += EVENTS;
    dispatcher.wake();
    await receiver.got(stored - EVENTS + 100);
    process.kill(pid, 'SIGQUIT'); // what `pg_ctl stop -m immediate` does
    await pause(DOWN_MS);
    const child = spawn(command.file, command.args, {
      uid: command.uid,
      gid: command.gid,
      cwd: cluster,
      stdio: 'ignore',
    });
    pid = child.pid ?? 0;
    await ready(postgres.url);
    const back = performance.now();
    const before = receiver.requests.length;
    await receiver.got(before + 1, 5_000);
    slowestMs = Math.max(slowestMs, performance.now() - back);
    await until(async () => (await statesOf(database))['delivered'] === stored, 60_000);
  }
  const ids = new Set(receiver.requests.map(({ headers }) => headers['webhook-id']));
  const repeated = receiver.requests.length - ids.size;
  console.log(
    `${ROUNDS} hard restarts: ${ids.size} of ${stored} delivered, ${repeated} came twice, sending again ${Math.round(slowestMs)} ms after the return at worst`,
  );
  expect(ids.size).toBe(stored);
  expect(await statesOf(database)).toEqual({ delivered: stored });
  expect(slowestMs).toBeLessThan(2_000);
  // Only what was sent and not yet written: 8 in flight, and their batch of outcomes.
  expect(repeated).toBeLessThanOrEqual(ROUNDS * 16);
  await dispatcher.end(1_000);
  await receiver.stop();
  await db.$client.end();
  process.kill(pid, 'SIGINT');
  await until(async () => {
    try {
      process.kill(pid, 0);
      return false;
    } catch {
      return true;
    }
  });
  rmSync(parent, { recursive: true, force: true });
});
