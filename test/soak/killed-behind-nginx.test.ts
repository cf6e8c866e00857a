/**
 * Three processes behind nginx, with Redis and one database, killed at random while clients write, import, deploy,
 * promote and visit. The state afterwards is compared with a plain model of what the clients were told.
 */
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApiKey } from '../../src/accounts/api-key.ts';
import { systemActorByEmail } from '../../src/accounts/system-actor.ts';
import { readRulesVersion, readSitesFile } from '../../src/deployments/live/snapshots/snapshot-files.ts';
import { freePort } from '../../src/platform/postgres/server.ts';
import { freshDatabase, type FreshDatabase } from '../support/database.ts';
import { send, type TestAccount } from '../support/detour.ts';
import { addWebhook } from '../support/dispatching.ts';
import {
  createLoadSites,
  expectDeployments,
  expectEvents,
  expectImports,
  expectNothingOpen,
  expectWrites,
  EXPLICIT,
  type LoadSites,
  type Outcome,
  PROMOTED,
  scalar,
} from '../support/kills/checks.ts';
import { type Fleet, type Kill, startFleet } from '../support/kills/fleet.ts';
import { startLoad } from '../support/kills/load.ts';
import { createModel } from '../support/kills/model.ts';
import { createVisitor, startVisits, type Visits } from '../support/kills/visitors.ts';
import { seeded } from '../support/random.ts';
import { startRedis, stopRedis } from '../support/redis-server.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { addRedirect, createSite, settled } from '../support/site.ts';
import { until } from '../support/wait.ts';

const PROCESSES = 3;
const KILLS = Number(process.env['KILLS'] ?? 60);
const SEED = Number(process.env['KILLS_SEED'] ?? 20_260_701);
const OWNER = { email: 'owner@example.com', password: 'correct horse battery' };
/** Documented: everything is whole so long after the last start. */
const WHOLE_WITHIN_MS = 30_000;

let database: FreshDatabase;
let redis: ChildProcess;
let receiver: Receiver;
let fleet: Fleet;
let owner: Pick<TestAccount, 'call' | 'keyCall'>;
let visits: Visits;
let kills: Kill[];
/** performance.now() by which everything must be whole */
let deadline: number;
const visitor = createVisitor();
const model = createModel();
let sites: LoadSites & { visited: number };
let stable: number;

const locate = (address: string, host: string, path: string): Promise<string | undefined> =>
  visitor.visit(address, host, path).then(({ headers }) => headers.location);

beforeAll(async () => {
  database = await freshDatabase();
  const redisPort = await freePort('127.0.0.1');
  redis = await startRedis(redisPort);
  receiver = await startReceiver();
  fleet = await startFleet(PROCESSES, {
    DATABASE_URL: database.url,
    DATABASE_CONNECTIONS: '24',
    REDIS_URL: `redis://127.0.0.1:${redisPort}`,
    SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    OWNER_EMAIL: OWNER.email,
    OWNER_PASSWORD: OWNER.password,
    WEBHOOK_EGRESS: 'private',
  });
  const actor = await systemActorByEmail(database.db, OWNER.email);
  const { key } = await createApiKey(database.db, actor, { name: 'kills' }, new Date());
  const { headers } = await send(fleet.address, 'POST', '/api/auth/sign-in', OWNER, {});
  const cookie = (headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  owner = {
    call: (method, path, body) => send(fleet.address, method, path, body, { cookie }),
    keyCall: (method, path, body) => send(fleet.address, method, path, body, { authorization: `Bearer ${key}` }),
  };
  await addWebhook(database, actor, receiver.url);
  await createSites();
  await runUnderKills();
}, 1_200_000);

afterAll(async () => {
  visitor.close();
  await fleet.stop();
  await receiver.stop();
  await stopRedis(redis);
  await database.close();
});

async function createSites(): Promise<void> {
  const visited = await createSite(owner, ['visited.example']);
  stable = await addRedirect(owner, visited, { old_path: '/stable', new_path: '/there' });
  sites = { visited, ...(await createLoadSites(owner)) };
  const [newest] = await settled(owner, sites.visited);
  // A process that starts answers from its snapshots first.
  for (const address of fleet.addresses) {
    const folder = join(fleet.dataDirOf(address), 'rulesets');
    const isWritten = async (): Promise<boolean> => {
      const rules = await readRulesVersion(join(folder, `${sites.visited}-production.ruleset`)).catch(() => undefined);
      const known = await readSitesFile(folder).catch(() => undefined);
      const visited = known?.sites.find(({ site }) => site.id === sites.visited);
      return rules?.version === newest?.version && visited?.live.includes('production') === true;
    };
    await until(isWritten, 300_000);
  }
}

async function runUnderKills(): Promise<void> {
  const random = seeded(SEED);
  visits = startVisits({ address: fleet.address, host: 'visited.example', path: '/stable', target: '/there' });
  const load = startLoad({
    owner,
    model,
    random: seeded(SEED + 1),
    writes: sites.writes,
    imports: sites.imports,
    explicit: { id: sites.explicit, host: EXPLICIT },
    promoted: { id: sites.promoted, host: PROMOTED },
    locate: (host, path) => locate(fleet.address, host, path).catch(() => undefined),
  });
  const began = performance.now();
  kills = await fleet.killAtRandom(KILLS, random, () => model.acknowledged());
  console.log(`${KILLS} kills in ${Math.round(performance.now() - began)} ms`);
  deadline = performance.now() + WHOLE_WITHIN_MS;
  await load.stop();
  await visits.stop();
}

const left = (): number => Math.max(0, deadline - performance.now());

test('nothing is left half done 30 s after the last start', async () => {
  await expectNothingOpen(database.db, left);
  expect(fleet.problems).toEqual([]);
  expect(model.surprises).toEqual([]);
});

test('no visitor got anything but the redirect', () => {
  expect(visits.wrong).toEqual([]);
  expect(kills).toHaveLength(KILLS);
  expect(visits.answered()).toBeGreaterThan(KILLS * 10);
});

test('hits are never more than the answered redirects, and lack at most those not written before a kill', async () => {
  const counted = sql`select coalesce(sum(hits), 0)::int as n from redirect_hits where redirect_id = ${stable}`;
  const answered = visits.answered();
  const loss = visits.unwritten(kills.filter(({ isOrderly }) => !isOrderly));
  await until(async () => (await scalar(database.db, counted)) >= answered - loss, left()).catch(() => undefined);
  const hits = await scalar(database.db, counted);
  console.log(`${answered} redirects answered, ${hits} counted, ${answered - hits} of at most ${loss} lost`);
  expect(hits).toBeLessThanOrEqual(answered);
  expect(hits).toBeGreaterThanOrEqual(answered - loss);
});

const outcome = (): Outcome => ({ owner, db: database.db, addresses: fleet.addresses, receiver, sites, model });

test('each acknowledged write is stored and served by every process; others are applied or not', () =>
  expectWrites(outcome(), KILLS));

test('each acknowledged import is applied whole, others whole or not at all', () =>
  expectImports(outcome(), KILLS / 10));

test('each acknowledged deployment and promotion is live in every process, and no version is missing', () =>
  expectDeployments(outcome(), KILLS / 5));

test('each event is delivered, unchanged under its own id, and there is one event for each change', async () => {
  const { events, repeats, imports } = await expectEvents(outcome());
  console.log(
    `${KILLS} kills, ${model.paths.size} paths, ${imports} imports, ${model.deployments.length} deployments, ${events} events, ${repeats} repeats`,
  );
});
