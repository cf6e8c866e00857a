/**
 * Checks of 1,000 hosts by a real process: the time to the first state of each target, visitors meanwhile, and what
 * `kill -9` loses. The hosts are addresses of the loopback network on port 80, so that it needs root or
 * `net.ipv4.ip_unprivileged_port_start=80`. `TARGETS=100000` for the promised size.
 */
import { createServer, type Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Probe, startProbe } from '../../bench/probe.ts';
import { createApiKey } from '../../src/accounts/api-key.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { freePort } from '../../src/platform/postgres/server.ts';
import { type CheckedSite, checkedSite } from '../support/checks.ts';
import { freshDatabase, type FreshDatabase } from '../support/database.ts';
import { send, type TestAccount } from '../support/detour.ts';
import { openWorkshop, type ServiceProcess, type Workshop } from '../support/process.ts';
import { seeded } from '../support/random.ts';
import { until } from '../support/wait.ts';

const HOSTS = 1_000;
const TARGETS = Number(process.env['TARGETS'] ?? 20_000);
const KILLS = Number(process.env['KILLS'] ?? 10);
/** A crash loses at most the last results. */
const MAX_LOST = 100;
const KINDS = ['ok', 'ok', 'ok', 'ok', 'ok', 'dead', 'moved', 'error', 'blocked', 'soft'] as const;
const STATES: Record<string, string> = { soft: 'soft_404' };

let database: FreshDatabase;
let workshop: Workshop;
let service: ServiceProcess;
let port: number;
let world: Server;
let site: CheckedSite;
let key: string;
/** requests of each host in milliseconds */
const asked = new Map<string, number[]>();
/** targets by number whose last request was answered, and when */
const finished = new Map<number, number>();

const hostOf = (n: number): string => `127.1.${Math.floor((n % HOSTS) / 250)}.${1 + (n % 250)}`;
const kindOf = (n: number): string => KINDS[Math.floor(n / HOSTS) % KINDS.length] ?? 'ok';
const targetOf = (n: number): string => `http://${hostOf(n)}/${kindOf(n)}/${n}/page.html`;
const rows = async (text: string) => (await database.db.$client.query(text)).rows;

/** Each target has a folder, so that its sibling is known too. */
function startWorld(): Promise<Server> {
  const server = createServer((request, response) => {
    const host = request.headers.host ?? '';
    asked.set(host, [...(asked.get(host) ?? []), Date.now()]);
    const [, kind = '', number = '', page = ''] = (request.url ?? '').split('/');
    const isTarget = page === 'page.html';
    const isGet = request.method === 'GET';
    const end = (status: number, isLast: boolean, location?: string): void => {
      response.writeHead(status, { 'content-type': 'text/html', ...(location && { location }) });
      response.end(isGet ? `<title>${kind === 'soft' ? 'Not found' : page}</title>` : undefined, () => {
        if (isLast) finished.set(Number(number), Date.now());
      });
    };
    if (kind === '') return end(200, false);
    if (kind === 'soft') return end(200, false);
    if (!isTarget) return end(404, isGet);
    if (kind === 'moved') return end(301, false, `/end/${number}/page.html`);
    if (kind === 'dead') return end(404, isGet);
    if (kind === 'error') return end(503, isGet);
    if (kind === 'blocked') return end(403, isGet);
    return end(200, false);
  });
  return new Promise((resolve, reject) => server.on('error', reject).listen(80, '0.0.0.0', () => resolve(server)));
}

const call: TestAccount['keyCall'] = (method, path, body) =>
  send(`http://127.0.0.1:${port}`, method, `/api/v1/websites/${site.id}/checks${path}`, body, {
    authorization: `Bearer ${key}`,
  });

async function start(): Promise<void> {
  service = workshop.start({
    DATABASE_URL: database.url,
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    CHECK_EGRESS: 'private',
  });
  await service.ready;
}

/** Starts a check of all targets. Returns a reader of it. */
async function startCheck() {
  asked.clear();
  finished.clear();
  const created = await call('POST', '', { kind: 'targets' });
  expect(created.status).toBe(202);
  const { id } = created.body.check;
  return async () => (await call('GET', `/${id}`)).body.check;
}

/** Each host received at most two requests a second, whatever was killed. */
function expectPolite(): void {
  for (const [host, times] of asked) {
    // A request may be late by its handshake.
    const fast = times.toSorted((a, b) => a - b).filter((time, index, all) => time - (all[index - 4] ?? 0) < 1_800);
    expect({ host, fast }).toEqual({ host, fast: [] });
  }
}

async function expectStates(): Promise<void> {
  const wrong = await rows(`select url, state from check_targets`);
  const unexpected = wrong.filter(({ url, state }) => {
    const kind = new URL(url).pathname.split('/')[1] ?? '';
    return state !== (STATES[kind] ?? kind);
  });
  expect(unexpected.slice(0, 10)).toEqual([]);
}

let probe: Probe;

beforeAll(async () => {
  world = await startWorld();
  database = await freshDatabase();
  site = await checkedSite(
    database.db,
    Array.from({ length: TARGETS }, (_, n) => targetOf(n)),
  );
  await database.db.execute(sql`update accounts set plan = 'enterprise'`);
  ({ key } = await createApiKey(database.db, site.actor, { name: 'test' }, systemClock.now()));
  workshop = openWorkshop();
  port = await freePort('127.0.0.1');
  await start();
  const at = { port, host: 'localhost' };
  probe = await startProbe([{ name: 'health', ...at, path: '/health', status: 200 }]);
}, 300_000);

afterAll(async () => {
  probe.stop();
  world.close();
  await workshop.clear();
  await database.close();
});

test('each target has its first state within 15 minutes, and others are answered meanwhile', async () => {
  const read = await startCheck();
  await probe.endPhase();
  const began = Date.now();
  await until(async () => (await read()).status === 'completed', 900_000);
  const { latencies, wrong } = await probe.endPhase();
  console.log(`${TARGETS} targets in ${(Date.now() - began) / 1_000} s; p99 of others ${JSON.stringify(latencies)} ms`);
  expect(wrong).toEqual([]);
  await expectStates();
  expectPolite();
}, 1_000_000);

test('kills lose at most the last 100 results', async () => {
  const random = seeded(Number(process.env['KILL_SEED'] ?? 1));
  await rows(`update checks set created_at = created_at - interval '1 day', next_at = null`);
  const read = await startCheck();
  const lost: number[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    // Another process goes on when the lease of the killed one is over.
    const { done } = (await read()).progress;
    await until(async () => (await read()).progress.done > done + 100, 90_000);
    await pause(2_000 * random());
    const killedAt = Date.now();
    service.signal('SIGKILL');
    await service.ended;
    const known = [...finished].filter(([, time]) => time < killedAt).map(([n]) => n);
    const unstored = await rows(`
      select from check_targets t join checks c on c.id = t.check_id and c.status = 'running'
      where t.state is null and split_part(url, '/', 5)::int = any('{${known.join()}}'::int[])`);
    lost.push(unstored.length);
    finished.clear();
    await start();
  }
  console.log('lost results', lost.join());
  expect(lost).toHaveLength(KILLS);
  expect(Math.max(...lost)).toBeLessThanOrEqual(MAX_LOST);
  await until(async () => (await read()).status === 'completed', 900_000);
  expectPolite();
}, 2_000_000);
