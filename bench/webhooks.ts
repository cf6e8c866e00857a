/** Webhooks: deliveries per second with their log, latency after the commit, and the cost of queueing. */
import { type ChildProcess, fork } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { Registry } from 'prom-client';
import { Agent, request } from 'undici';
import { createAccount } from '../src/accounts/account.ts';
import { systemActor } from '../src/accounts/system-actor.ts';
import { type Db, openDatabase } from '../src/db/client.ts';
import { registerInstance } from '../src/db/instance.ts';
import { migrate } from '../src/db/migrate.ts';
import { webhooks } from '../src/db/schema.ts';
import { systemClock } from '../src/platform/clock.ts';
import { startPostgres } from '../src/platform/postgres/embedded.ts';
import { newId } from '../src/platform/ids.ts';
import { createSecretBox } from '../src/platform/secret-box.ts';
import type { Actor } from '../src/vocabulary/actor.ts';
import { EVENT_KINDS } from '../src/vocabulary/event.ts';
import { createDailyPartitions } from '../src/events/daily-partitions.ts';
import { createDispatcher, type Dispatcher } from '../src/webhooks/queue/dispatcher.ts';
import { publishEvents } from '../src/events/outbox.ts';
import { secretContext, newSecret } from '../src/webhooks/sending/sign.ts';
import type { Arrivals } from './receiver.ts';
import { median, quantile, report, seconds } from './report.ts';

/** Receivers with 8 attempts in flight each: the maximum of a process. */
const RECEIVERS = 64;
const CONCURRENCY = 64;
const COMMITS = 300;
const WRITES = 300;

const secretBox = createSecretBox(randomBytes(32));

interface Bench {
  db: Db;
  actor: Actor;
  dispatcher: Dispatcher;
  receiver: ChildProcess;
  url: string;
}

export async function measureWebhooks(deliveries: number): Promise<void> {
  const parent = mkdtempSync(join(tmpdir(), 'detour-bench-'));
  const postgres = await startPostgres({ dataDir: join(parent, 'data') });
  const db = openDatabase(postgres.url);
  const receiver = fork(join(import.meta.dirname, 'receiver.ts'));
  const [port] = (await once(receiver, 'message')) as [number];
  try {
    await migrate(db);
    await createDailyPartitions(db, systemClock.now());
    const { account } = await createAccount(db, { email: 'bench@example.com', plan: 'business' });
    const instance = await registerInstance(postgres.url, console.error);
    const dispatcher = openDispatcher(db, instance.id);
    const bench = { db, actor: systemActor(account), dispatcher, receiver, url: `http://127.0.0.1:${port}/` };
    await measureWrites(bench);
    dispatcher.start();
    await measureLatency(bench);
    await measureRate(bench, deliveries);
    await dispatcher.stop(5_000);
    await instance.stop();
  } finally {
    receiver.disconnect();
    await db.$client.end();
    await postgres.stop();
    rmSync(parent, { recursive: true, force: true });
  }
}

function openDispatcher(db: Db, instanceId: number): Dispatcher {
  return createDispatcher({
    db,
    clock: systemClock,
    instanceId,
    isAlive: () => true,
    secretBox,
    egress: 'private',
    metrics: new Registry(),
    onError: console.error,
  });
}

async function addWebhooks({ db, actor, url }: Bench, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const id = newId('wh_');
    const secret = secretBox.seal(newSecret(), secretContext(id));
    await db
      .insert(webhooks)
      .values({ id, accountId: actor.accountId, name: 'bench', url, events: [...EVENT_KINDS], secret });
  }
}

async function publish({ db, actor }: Bench, count = 1): Promise<void> {
  const events = Array.from({ length: count }, (_, i) => ({
    event: 'redirect.created' as const,
    websiteId: null,
    data: {
      redirect: { id: String(i), old_path: '/a-path-of-some-length', new_path: '/its-target-of-some-length' },
    },
  }));
  await db.transaction((tx) => publishEvents(tx, actor, systemClock.now(), events));
}

/** Without sending. Alternates, so that other load affects both equally. */
async function measureWrites(bench: Bench): Promise<void> {
  const { account } = await createAccount(bench.db, { email: 'quiet@example.com', plan: 'business' });
  const quiet = { ...bench, actor: systemActor(account) };
  await addWebhooks(bench, 1);
  const without: number[] = [];
  const queued: number[] = [];
  for (let i = 0; i < WRITES; i++) {
    without.push(1_000 * (await seconds(() => publish(quiet))));
    queued.push(1_000 * (await seconds(() => publish(bench))));
  }
  await bench.db.execute(sql`truncate deliveries`);
  const note = `median ${median(without).toFixed(2)} ms without a webhook, ${median(queued).toFixed(2)} ms with one`;
  const value = median(queued) / median(without);
  report({ name: 'webhooks: storing an event and queueing it / storing it', value, unit: 'x', note });
}

async function measureLatency({ db, actor, dispatcher, receiver, ...bench }: Bench): Promise<void> {
  const taken: number[] = [];
  for (let i = 0; i < COMMITS; i++) {
    await pause(2);
    const arrival = once(receiver, 'message');
    receiver.send('next');
    await publish({ db, actor, dispatcher, receiver, ...bench });
    const committed = performance.timeOrigin + performance.now();
    dispatcher.wake();
    const [{ lastAt }] = (await arrival) as [Arrivals];
    taken.push(lastAt - committed);
  }
  const note = `median ${median(taken).toFixed(1)} ms`;
  report({
    name: 'webhooks: commit to first byte at the receiver, p99',
    value: quantile(taken, 0.99),
    unit: 'ms',
    promise: 25,
    note,
  });
}

async function measureRate(bench: Bench, deliveries: number): Promise<void> {
  const { db, dispatcher } = bench;
  await addWebhooks(bench, RECEIVERS - 1);
  const alone = await undiciAlone(bench.url, deliveries);
  await db.execute(sql`update webhooks set is_active = false, deactivated_reason = 'failing'`);
  for (let left = deliveries / RECEIVERS; left > 0; left -= 1_000) await publish(bench, Math.min(left, 1_000));
  await db.execute(sql`update webhooks set is_active = true`);
  const start = performance.now();
  dispatcher.wake();
  for (let isDone = false; !isDone;) {
    await pause(20);
    // Uses the partial indexes: counting rows would cost more than sending.
    const { rows } = await db.execute<{ done: boolean }>(sql`
      select not exists (select from deliveries where state = 'pending')
        and not exists (select from deliveries where state = 'sending') as done`);
    isDone = rows[0]?.done === true;
  }
  const rate = deliveries / ((performance.now() - start) / 1_000);
  report({
    name: 'webhooks: deliveries per second with their log / undici alone',
    value: rate / alone,
    unit: 'x',
    promise: 0.5,
    atLeast: true,
    note: `${Math.round(rate)} and ${Math.round(alone)} per second`,
  });
}

/** The limit: signed requests without a queue or a log. */
async function undiciAlone(url: string, count: number): Promise<number> {
  const agent = new Agent();
  const body = JSON.stringify({
    event: 'redirect.created',
    data: { redirect: { id: '1', old_path: '/a-path' } },
  });
  let left = count;
  const start = performance.now();
  const sender = async (): Promise<void> => {
    while (left-- > 0) {
      const signature = createHmac('sha256', 'secret').update(body).digest('hex');
      const headers = { 'content-type': 'application/json', 'x-service-signature': signature };
      const answer = await request(url, { method: 'POST', headers, body, dispatcher: agent });
      await answer.body.dump();
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, sender));
  const rate = count / ((performance.now() - start) / 1_000);
  await agent.close();
  return rate;
}
