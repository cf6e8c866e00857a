/** Kills the whole service at random moments under load, and counts what is lost and how long the recovery takes. */
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { systemActorByEmail } from '../../src/accounts/system-actor.ts';
import { freePort } from '../../src/platform/postgres/server.ts';
import { freshDatabase, type FreshDatabase } from './database.ts';
import { send } from './detour.ts';
import { addWebhook, statesOf } from './dispatching.ts';
import { openWorkshop, type ServiceProcess } from './process.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { createSite, type Caller } from './site.ts';
import { until } from './wait.ts';

const OWNER = { email: 'owner@example.com', password: 'correct horse battery' };
const WRITERS = 4;
/** Acknowledged changes before a kill; up to 20 more. */
const MIN_CHANGES = 6;

export interface Toll {
  kills: number;
  /** changes that the API acknowledged with 201 */
  acknowledged: number;
  /** of these, those whose event was not stored */
  unstored: number;
  events: number;
  /** deliveries that never arrived */
  lost: number;
  /** deliveries with a body that differs from their event's */
  changed: number;
  /** requests more than deliveries */
  repeated: number;
  /** deliveries in flight at a kill */
  interrupted: number;
  /** longest time from the ready line of a restart until the last of those was sent again */
  slowestMs: number;
}

export async function killAgainAndAgain(rounds: number): Promise<Toll> {
  const database = await freshDatabase();
  const workshop = openWorkshop();
  const port = await freePort('127.0.0.1');
  const address = `http://127.0.0.1:${port}`;
  const start = async (): Promise<ServiceProcess> => {
    const service = workshop.start({
      PORT: String(port),
      DATABASE_URL: database.url,
      PUBLIC_URL: address,
      SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      OWNER_EMAIL: OWNER.email,
      OWNER_PASSWORD: OWNER.password,
      WEBHOOK_EGRESS: 'private',
    });
    await service.ready;
    return service;
  };
  // A fast one, and one that keeps several deliveries in flight.
  const receivers = [
    await startReceiver(),
    await startReceiver({ reply: (response) => setTimeout(() => response.end(), 40) }),
  ];
  try {
    let service = await start();
    const { headers } = await send(address, 'POST', '/api/auth/sign-in', OWNER, {});
    const cookie = (headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const owner: Caller = { call: (method, path, body) => send(address, method, path, body, { cookie }) };
    const actor = await systemActorByEmail(database.db, OWNER.email);
    for (const { url } of receivers) await addWebhook(database, actor, url);
    const site = await createSite(owner, ['killed.example']);
    const acknowledged: string[] = [];
    const toll = { kills: rounds, interrupted: 0, slowestMs: 0 };
    for (let round = 0; round < rounds; round++) {
      const load = startLoad(owner, site, round, acknowledged);
      // A moment that depends on what was done, not on how busy the machine is.
      const enough = acknowledged.length + MIN_CHANGES + Math.floor(Math.random() * 20);
      await until(() => Promise.resolve(acknowledged.length >= enough), 60_000);
      await pause(Math.random() * 50);
      service.signal('SIGKILL');
      await service.ended;
      await load.stop();
      const held = await sendingNow(database);
      const before = receivers.map(({ requests }) => requests.length);
      service = await start();
      const ready = performance.now();
      const again = await until(() => Promise.resolve(sentAgain(receivers, before, held)), 10_000);
      toll.interrupted += held.size;
      toll.slowestMs = Math.max(toll.slowestMs, again - ready);
    }
    await sendAll(database, service, start);
    return { ...toll, ...(await account(database, receivers, acknowledged)) };
  } finally {
    await workshop.clear();
    for (const receiver of receivers) await receiver.stop();
    await database.close();
  }
}

/** Starts writers that create redirects one after the other and record each acknowledged one. */
function startLoad(owner: Caller, site: number, round: number, acknowledged: string[]) {
  let isOn = true;
  const writers = Array.from({ length: WRITERS }, async (_, writer) => {
    for (let i = 0; isOn; i++) {
      const path = `/r${round}-${writer}-${i}`;
      const body = { website_id: site, old_path: path, new_path: '/to' };
      const answer = await owner.call('POST', '/api/redirects', body).catch(() => undefined);
      if (answer?.status === 201) acknowledged.push(path);
      // The service is gone; the test says when it is back.
      if (!answer) return;
    }
  });
  return {
    async stop() {
      isOn = false;
      await Promise.all(writers);
    },
  };
}

/**
 * Stops the service when everything is sent. A deployment may store its events just afterwards; the next start sends
 * them, as after any clean stop.
 */
async function sendAll(
  database: FreshDatabase,
  running: ServiceProcess,
  start: () => Promise<ServiceProcess>,
): Promise<void> {
  const unsent = async (): Promise<number> => {
    const { pending = 0, sending = 0 } = await statesOf(database);
    return pending + sending;
  };
  let service = running;
  for (;;) {
    await until(async () => (await unsent()) === 0, 30_000);
    service.signal('SIGTERM');
    await service.ended;
    if ((await unsent()) === 0) return;
    service = await start();
  }
}

async function sendingNow({ db }: FreshDatabase): Promise<Set<string>> {
  // Waits until the database has finished the statements of the killed process.
  await until(async () => {
    const { rows } = await db.execute(sql`select 1 from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`);
    return rows.length === 0;
  });
  const { rows } = await db.execute<{ id: number }>(sql`select id from deliveries where state = 'sending'`);
  return new Set(rows.map(({ id }) => `whd_${id}`));
}

/** The time at which the last delivery in flight arrived again, or false. */
function sentAgain(receivers: Receiver[], before: number[], held: Set<string>): number | false {
  const missing = new Set(held);
  let last = 0;
  for (const [i, { requests }] of receivers.entries()) {
    for (const { headers, at } of requests.slice(before[i])) {
      if (missing.delete(String(headers['x-service-delivery']))) last = Math.max(last, at);
    }
  }
  return missing.size === 0 && last;
}

/** Compares what arrived with what was stored. */
async function account({ db }: FreshDatabase, receivers: Receiver[], acknowledged: string[]) {
  const { rows: events } = await db.execute<{ id: string; body: string }>(sql`
    select id, body from events where id in (select event_id from deliveries)`);
  const bodies = new Map(events.map(({ id, body }) => [id, body]));
  const stored = new Set([...bodies.values()].map((body) => /"redirect":\{[^}]*?"old_path":"([^"]*)"/.exec(body)?.[1]));
  let lost = 0;
  let repeated = 0;
  let changed = 0;
  for (const { requests } of receivers) {
    const came = new Set(requests.map(({ headers }) => String(headers['webhook-id'])));
    lost += [...bodies.keys()].filter((id) => !came.has(id)).length;
    repeated += requests.length - came.size;
    changed += requests.filter(({ headers, body }) => bodies.get(String(headers['webhook-id'])) !== body).length;
  }
  return {
    acknowledged: acknowledged.length,
    unstored: acknowledged.filter((path) => !stored.has(path)).length,
    events: bodies.size,
    lost,
    changed,
    repeated,
  };
}
