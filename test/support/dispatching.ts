/** Webhooks, events and dispatchers without the HTTP side, for tests of the queue. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { Registry } from 'prom-client';
import { openDatabase } from '../../src/db/connection/client.ts';
import { registerInstance } from '../../src/db/instance.ts';
import { webhooks } from '../../src/db/schema/webhooks.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/ids.ts';
import { createSecretBox } from '../../src/platform/secret-box.ts';
import type { Actor } from '../../src/vocabulary/actor.ts';
import { EVENT_KINDS } from '../../src/vocabulary/kinds.ts';
import type { Plan } from '../../src/vocabulary/plan.ts';
import { createDispatcher, type Dispatcher, type DispatcherDeps } from '../../src/webhooks/queue/dispatcher.ts';
import { publishEvents } from '../../src/events/outbox.ts';
import { secretContext, newSecret } from '../../src/webhooks/sending/sign.ts';
import { storeAccount } from './account.ts';
import type { FreshDatabase } from './database.ts';

export const secretBox = createSecretBox({ secretKey: Buffer.alloc(32, 7), previousSecretKey: null });

let made = 0;

export async function openAccount({ db }: FreshDatabase, plan: Plan = 'business'): Promise<Actor> {
  return (await storeAccount(db, { email: `sender${++made}@example.com`, plan })).actor;
}

export interface AddedWebhook {
  id: string;
  secret: string;
}

/** Adds a webhook of the account that subscribes to every event; `fields` are columns. */
export async function addWebhook(
  { db }: Pick<FreshDatabase, 'db'>,
  actor: Actor,
  url: string,
  fields: Partial<typeof webhooks.$inferInsert> = {},
): Promise<AddedWebhook> {
  const id = newId('wh_');
  const secret = newSecret();
  await db.insert(webhooks).values({
    id,
    accountId: actor.accountId,
    name: 'test',
    url,
    events: [...EVENT_KINDS],
    secret: secretBox.seal(secret, secretContext(id)),
    ...fields,
  });
  return { id, secret };
}

/** Publishes `count` events of the account in one transaction. */
export async function publish({ db }: FreshDatabase, actor: Actor, count = 1, now = systemClock.now()): Promise<void> {
  const events = Array.from({ length: count }, (_, i) => ({
    event: 'redirect.created' as const,
    websiteId: null,
    data: { number: i },
  }));
  await publishEvents(db, actor, now, events);
}

export interface TestDispatcher extends Dispatcher {
  instanceId: number;
  errors: unknown[];
  /** its metrics, in the Prometheus text format */
  numbers(): Promise<string>;
  /** stops it, its instance and its pool */
  end(withinMs?: number): Promise<void>;
}

/** Opens a dispatcher with its own pool and instance, as in a process. Not started. */
export async function openDispatcher(
  { url }: Pick<FreshDatabase, 'url'>,
  { clock = systemClock, ...deps }: Partial<DispatcherDeps> & { clock?: Clock } = {},
): Promise<TestDispatcher> {
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const db = openDatabase(url, { max: 4, onError });
  const instance = await registerInstance(url, onError);
  const metrics = new Registry();
  const dispatcher = createDispatcher({
    db,
    clock,
    instanceId: instance.id,
    isAlive: () => instance.isHeld(),
    secretBox,
    egress: 'private',
    isSending: true,
    mail: null,
    metrics,
    onError,
    ...deps,
  });
  return {
    ...dispatcher,
    instanceId: instance.id,
    errors,
    numbers: () => metrics.metrics(),
    async end(withinMs = 5_000) {
      await dispatcher.stop(withinMs);
      await instance.stop();
      await db.$client.end();
    },
  };
}

export interface DispatcherProcess {
  instanceId: number;
  signal(signal: NodeJS.Signals): void;
  /** kills it unless it has exited */
  end(): Promise<void>;
}

/** Runs a dispatcher in a child process, to kill or suspend it. */
export async function spawnDispatcher({ url }: FreshDatabase): Promise<DispatcherProcess> {
  const file = join(import.meta.dirname, 'dispatcher-process.ts');
  const child = spawn(process.execPath, [file], {
    env: { PATH: process.env['PATH'] ?? '', DATABASE_URL: url },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    instanceId: Number(line.toString().split(' ')[1]),
    signal: (signal) => void child.kill(signal),
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

export interface DeliveryRow extends Record<string, unknown> {
  id: number;
  event_id: string;
  state: string;
  attempt_no: number;
  failures: number;
  due_at: string;
  locked_by: number | null;
  last_status: number | null;
  last_error: string | null;
}

export async function deliveriesOf({ db }: FreshDatabase, webhookId: string): Promise<DeliveryRow[]> {
  const { rows } = await db.execute<DeliveryRow>(
    sql`select * from deliveries where webhook_id = ${webhookId} order by id`,
  );
  return rows;
}

export interface AttemptRow extends Record<string, unknown> {
  attempt_no: number;
  outcome: string;
  status: number | null;
  superseded: boolean;
  signed_with: string | null;
}

export async function attemptsOf({ db }: FreshDatabase, deliveryId: number): Promise<AttemptRow[]> {
  const { rows } = await db.execute<AttemptRow>(
    sql`select * from attempts where delivery_id = ${deliveryId} order by attempt_no`,
  );
  return rows;
}

/** How many deliveries of the database are in each state. */
export async function statesOf({ db }: Pick<FreshDatabase, 'db'>): Promise<Record<string, number>> {
  const { rows } = await db.execute<{ state: string; n: number }>(
    sql`select state, count(*)::int as n from deliveries group by state`,
  );
  return Object.fromEntries(rows.map(({ state, n }) => [state, n]));
}
