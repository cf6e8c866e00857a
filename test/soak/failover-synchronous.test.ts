/**
 * The primary is killed again and again while clients write, import, deploy, promote and visit two processes, and its
 * synchronous standby is promoted each time. The state afterwards is compared with what the clients were told.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApiKey } from '../../src/accounts/api-key.ts';
import { systemActorByEmail } from '../../src/accounts/system-actor.ts';
import { type Db, openDatabase } from '../../src/db/connection/client.ts';
import { sql } from '../../src/db/drizzle.ts';
import { freePort } from '../../src/platform/postgres/server.ts';
import { send, type TestAccount } from '../support/detour.ts';
import { addWebhook } from '../support/dispatching.ts';
import { scrape } from '../support/metrics.ts';
import * as checks from '../support/kills/checks.ts';
import { startLoad } from '../support/kills/load.ts';
import { createModel } from '../support/kills/model.ts';
import { createVisitor, startVisits, type Visits } from '../support/kills/visitors.ts';
import { type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts';
import { openWorkshop, type ServiceProcess, type Workshop } from '../support/process.ts';
import { seeded } from '../support/random.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { addRedirect, createSite, settled } from '../support/site.ts';
import { until } from '../support/wait.ts';

const KILLS = Number(process.env['KILLS'] ?? 20);
const SEED = Number(process.env['KILLS_SEED'] ?? 20_261_129);
const OWNER = { email: 'owner@example.com', password: 'correct horse battery' };
const HOST = 'visited.example';
/** Acknowledged calls before a kill; up to 20 more. */
const MIN_CALLS = 20;
/** Longest time from a kill to the promotion. */
const MAX_OUTAGE_MS = 3_000;
const MAX_STALENESS_S = 5;
/** Longest response to a visitor on a busy machine. Without the database it would wait for seconds, or fail. */
const ANSWERED_WITHIN_MS = 5_000;
/** Documented: from a promotion until a new edit is live. */
const LIVE_WITHIN_MS = 30_000;

let ports: [number, number];
let primary: OwnPostgres;
let standby: OwnPostgres;
let db: Db;
let workshop: Workshop;
let services: ServiceProcess[];
let addresses: string[];
let receiver: Receiver;
let owner: Pick<TestAccount, 'call' | 'keyCall'>;
let sites: checks.LoadSites & { visited: number };
let stable: number;
let edited: number;
let visits: Visits[];
const visitor = createVisitor();
const model = createModel();
const random = seeded(SEED);
const stale = { reads: 0, tooOld: [] as string[] };
/** of each kill: from the promotion until an edit was acknowledged, and until both processes served it */
const times: { kill: number; editedAt: number; outageMs: number; acknowledgedMs: number; liveMs: number }[] = [];

/** Waits until the standby confirms each commit, and lets commits wait for it. */
async function confirmCommits(): Promise<void> {
  const state = 'select from pg_stat_replication where state = ';
  await until(async () => (await primary.query(`${state} 'streaming'`)).length === 1, 60_000);
  await primary.query("alter system set synchronous_standby_names = '*'");
  await primary.query('select pg_reload_conf()');
  await until(async () => (await primary.query(`${state} 'streaming' and sync_state = 'sync'`)).length === 1, 60_000);
}

beforeAll(async () => {
  ports = [await freePort('127.0.0.1'), await freePort('127.0.0.1')];
  primary = await startOwnPostgres({ port: ports[0] });
  standby = await primary.replica(ports[1]);
  await confirmCommits();
  const url = `postgres://detour@127.0.0.1:${ports[0]},127.0.0.1:${ports[1]}/postgres?target_session_attrs=read-write`;
  receiver = await startReceiver();
  workshop = openWorkshop();
  services = [];
  addresses = [];
  for (const name of ['a', 'b']) {
    const port = await freePort('127.0.0.1');
    const service = workshop.start({
      PORT: String(port),
      DATABASE_URL: url,
      DATABASE_READ_URL: url.replace('read-write', 'standby'),
      DATA_DIR: `${workshop.dataDir}-${name}`,
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      OWNER_EMAIL: OWNER.email,
      OWNER_PASSWORD: OWNER.password,
      WEBHOOK_EGRESS: 'private',
    });
    services.push(service);
    addresses.push(await service.ready);
  }
  db = openDatabase(url);
  const actor = await systemActorByEmail(db, OWNER.email);
  const { key } = await createApiKey(db, actor, { name: 'kills' }, new Date());
  const [address = ''] = addresses;
  const { headers } = await send(address, 'POST', '/api/auth/sign-in', OWNER, {});
  const cookie = (headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  owner = {
    call: (method, path, body) => send(address, method, path, body, { cookie }),
    keyCall: (method, path, body) => send(address, method, path, body, { authorization: `Bearer ${key}` }),
  };
  await addWebhook({ db }, actor, receiver.url);
  const visited = await createSite(owner, [HOST]);
  stable = await addRedirect(owner, visited, { old_path: '/stable', new_path: '/there' });
  edited = await addRedirect(owner, visited, { old_path: '/edited', new_path: '/0' });
  await settled(owner, visited);
  sites = { visited, ...(await checks.createLoadSites(owner)) };
  for (const each of addresses) await until(async () => (await locate(each, '/edited')) === '/0', 30_000);
  await runUnderKills();
}, 1_800_000);

afterAll(async () => {
  visitor.close();
  await workshop.clear();
  await receiver.stop();
  await db.$client.end();
  await primary.stop();
  await standby.stop();
});

const locate = (address: string, path: string, host = HOST): Promise<string | undefined> =>
  visitor.visit(address, host, path).then(({ headers }) => headers.location);

async function runUnderKills(): Promise<void> {
  visits = addresses.map((address) => startVisits({ address, host: HOST, path: '/stable', target: '/there' }));
  const load = startLoad({
    owner,
    model,
    random: seeded(SEED + 1),
    pace: { pauseMs: 100, maxRows: 400 },
    ...sites,
    explicit: { id: sites.explicit, host: checks.EXPLICIT },
    promoted: { id: sites.promoted, host: checks.PROMOTED },
    locate: (host, path) => locate(addresses[0] ?? '', path, host).catch(() => undefined),
  });
  let isOn = true;
  const reader = readStale(() => isOn);
  for (let kill = 1; kill <= KILLS; kill++) await failOver(kill);
  isOn = false;
  await reader;
  await load.stop();
  for (const each of visits) await each.stop();
}

/** Reads with max_staleness: an edit that was acknowledged before that time is never missing. */
async function readStale(isOn: () => boolean): Promise<void> {
  while (isOn()) {
    const oldest = times.findLast(({ editedAt }) => editedAt < performance.now() - MAX_STALENESS_S * 1_000)?.kill ?? 0;
    const path = `/api/redirects?website_id=${sites.visited}&max_staleness=${MAX_STALENESS_S}`;
    const answer = await owner.call('GET', path).catch(() => undefined);
    if (answer?.status === 200) {
      const found = (answer.body.redirects as { id: number; new_path: string }[]).find(({ id }) => id === edited);
      stale.reads++;
      if (!(Number(found?.new_path.slice(1)) >= oldest)) stale.tooOld.push(`${found?.new_path} after /${oldest}`);
    }
    await pause(50);
  }
}

/** Kills the primary, promotes the standby, waits until an edit is live, and makes the killed server the next standby. */
async function failOver(kill: number): Promise<void> {
  const enough = model.acknowledged() + MIN_CALLS + Math.floor(random() * 20);
  await until(() => Promise.resolve(model.acknowledged() >= enough), 120_000);
  const killedAt = performance.now();
  await primary.kill();
  await pause(random() * MAX_OUTAGE_MS);
  // A promoted server has no standby yet, for which its commits would wait.
  await standby.query('alter system reset synchronous_standby_names');
  await standby.query('select pg_reload_conf()');
  await standby.query('select pg_promote()');
  const promotedAt = performance.now();
  const change = (): Promise<boolean> =>
    owner.call('PUT', `/api/redirects/${edited}`, { new_path: `/${kill}` }).then(
      ({ status }) => status === 200,
      () => false,
    );
  await until(change, LIVE_WITHIN_MS);
  const acknowledgedMs = performance.now() - promotedAt;
  for (const address of addresses)
    await until(async () => (await locate(address, '/edited')) === `/${kill}`, LIVE_WITHIN_MS);
  const editedAt = promotedAt + acknowledgedMs;
  const liveMs = performance.now() - promotedAt;
  times.push({ kill, editedAt, outageMs: promotedAt - killedAt, acknowledgedMs, liveMs });
  const { port } = primary;
  primary = standby;
  standby = await primary.replica(port);
  await confirmCommits();
}

/** A surprise with the line that the service has logged of its request. */
function withLog(surprise: string): string {
  const [, request] = /Request ([\w-]+)/.exec(surprise) ?? [];
  const lines = services.flatMap((service) => service.stderr().split('\n'));
  return [surprise, ...lines.filter((line) => request !== undefined && line.includes(request))].join('\n');
}

const longest = (of: keyof (typeof times)[number]): number => Math.round(Math.max(...times.map((each) => each[of])));

test('an edit is live within 30 s of each promotion, and nothing is left half done', async () => {
  console.log(
    `${KILLS} kills, ${longest('outageMs')} ms without a primary at most; an edit was acknowledged within ` +
      `${longest('acknowledgedMs')} ms of the promotion, and live within ${longest('liveMs')} ms`,
  );
  expect(times.filter(({ liveMs }) => liveMs > LIVE_WITHIN_MS)).toEqual([]);
  const deadline = performance.now() + LIVE_WITHIN_MS;
  await checks.expectNothingOpen(db, () => Math.max(0, deadline - performance.now()));
  expect(model.surprises.map(withLog)).toEqual([]);
});

test('no visitor got anything but the redirect, and each is counted once', async () => {
  expect(visits.map(({ wrong }) => wrong)).toEqual([[], []]);
  const answered = visits.reduce((sum, each) => sum + each.answered(), 0);
  expect(answered).toBeGreaterThan(KILLS * 100);
  const counted = sql`select coalesce(sum(hits), 0)::int as n from redirect_hits where redirect_id = ${stable}`;
  await until(async () => (await checks.scalar(db, counted)) >= answered, 30_000).catch(() => undefined);
  const longestMs = Math.max(...visits.map((each) => each.longestMs()));
  console.log(
    `${answered} visitors answered within ${Math.round(longestMs)} ms, ${await checks.scalar(db, counted)} hits`,
  );
  expect(longestMs).toBeLessThan(ANSWERED_WITHIN_MS);
  expect(await checks.scalar(db, counted)).toBe(answered);
});

const outcome = (): checks.Outcome => ({ owner, db, addresses, receiver, sites, model });

test('each acknowledged write is stored and served by both processes; others are applied or not', () =>
  checks.expectWrites(outcome(), KILLS));

test('each acknowledged import is applied whole, others whole or not at all', () =>
  checks.expectImports(outcome(), KILLS / 10));

test('each acknowledged deployment and promotion is live in both processes, and no version is missing', () =>
  checks.expectDeployments(outcome(), KILLS / 5));

test('each event of a change is delivered', async () => {
  const { events, repeats, imports } = await checks.expectEvents(outcome());
  console.log(
    `${model.acknowledged()} calls acknowledged, ${model.unknown()} without a response, ${model.paths.size} paths, ${imports} imports, ` +
      `${model.deployments.length} deployments, ${events} events, ${repeats} repeats`,
  );
});

test('a standby answers reads in between, never with older data than allowed', async () => {
  const { value } = await scrape(addresses[0] ?? '');
  const ofStandby = value('detour_stale_reads_total', 'server="standby"') ?? 0;
  console.log(`${stale.reads} reads with max_staleness, ${ofStandby} by a standby`);
  expect(stale.tooOld).toEqual([]);
  expect(ofStandby).toBeGreaterThan(KILLS);
});

test('both processes end in order', async () => {
  for (const service of services) service.signal('SIGTERM');
  const ends = await Promise.all(services.map(({ ended }) => ended));
  expect(ends.map(({ code }) => code)).toEqual([0, 0]);
});
