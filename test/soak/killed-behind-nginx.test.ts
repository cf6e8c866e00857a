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
import { addWebhook, statesOf } from '../support/dispatching.ts';
import { type Fleet, type Kill, startFleet } from '../support/kills/fleet.ts';
import { startLoad } from '../support/kills/load.ts';
import { createModel } from '../support/kills/model.ts';
import { createVisitor, startVisits, type Visits } from '../support/kills/visitors.ts';
import { seeded } from '../support/random.ts';
import { startRedis, stopRedis } from '../support/redis-server.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { addRedirect, createSite, deploymentsOf, settled } from '../support/site.ts';
import { until } from '../support/wait.ts';

const PROCESSES = 3;
const KILLS = Number(process.env['KILLS'] ?? 60);
const SEED = Number(process.env['KILLS_SEED'] ?? 20_260_701);
const OWNER = { email: 'owner@example.com', password: 'correct horse battery' };
const WRITES = 'writes.example';
const IMPORTS = 'imports.example';
const EXPLICIT = 'explicit.example';
const PROMOTED = 'promoted.example';
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
const sites = { writes: 0, imports: 0, explicit: 0, promoted: 0, visited: 0 };
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
  sites.visited = await createSite(owner, ['visited.example']);
  stable = await addRedirect(owner, sites.visited, { old_path: '/stable', new_path: '/there' });
  sites.writes = await createSite(owner, [WRITES]);
  sites.imports = await createSite(owner, [IMPORTS]);
  sites.explicit = await createSite(owner, [EXPLICIT], { auto_deploy: false });
  const staging = { hostname: `staging.${PROMOTED}`, environment: 'staging' };
  sites.promoted = await createSite(owner, [{ hostname: PROMOTED, environment: 'production' }, staging]);
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
async function scalar(query: ReturnType<typeof sql>): Promise<number> {
  const { rows } = await database.db.execute<{ n: number }>(query);
  return Number(rows[0]?.n);
}

test('nothing is left half done 30 s after the last start', async () => {
  const open = sql`select (select count(*) from deployments where status in ('queued', 'running'))
    + (select count(*) from imports where status = 'running')
    + (select count(*) from pg_class where relname like 'import_stage_%' and relkind = 'r'
        and not exists (select 1 from imports where completed_at > now() - interval '1 minute'
          and relname like '%' || owner || '%')) as n`;
  await until(async () => (await scalar(open)) === 0, left());
  await until(async () => {
    const { pending = 0, sending = 0 } = await statesOf(database);
    return pending + sending === 0;
  }, left());
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
  await until(async () => (await scalar(counted)) >= answered - loss, left()).catch(() => undefined);
  const hits = await scalar(counted);
  console.log(`${answered} redirects answered, ${hits} counted, ${answered - hits} of at most ${loss} lost`);
  expect(hits).toBeLessThanOrEqual(answered);
  expect(hits).toBeGreaterThanOrEqual(answered - loss);
});

/** The current rules of a website: path to target. */
async function rulesOf(site: number): Promise<Map<string, string>> {
  const { body } = await owner.call('GET', `/api/redirects?website_id=${site}`);
  const redirects = body.redirects as { old_path: string; new_path: string }[];
  const rules = new Map(redirects.map(({ old_path, new_path }) => [old_path, new_path]));
  expect(rules.size).toBe(redirects.length);
  return rules;
}

/** Expects that each process serves the targets; undefined: no redirect. */
async function expectServed(host: string, targets: [path: string, target: string | undefined][]): Promise<void> {
  for (const address of fleet.addresses) {
    const wrong: string[] = [];
    for (let from = 0; from < targets.length; from += 16) {
      const some = targets.slice(from, from + 16);
      const found = await Promise.all(some.map(([path]) => locate(address, host, path)));
      for (const [i, [path, target]] of some.entries())
        if (found[i] !== target) wrong.push(`${path}: ${found[i]} instead of ${target}`);
    }
    expect({ host, address, wrong }).toEqual({ host, address, wrong: [] });
  }
}

test('each acknowledged write is stored and served by every process; others are applied or not', async () => {
  const rules = await rulesOf(sites.writes);
  const wrong = [...model.paths].filter(([path, states]) => !states.includes(rules.get(path)));
  expect(wrong.map(([path, states]) => [path, states, rules.get(path)])).toEqual([]);
  expect([...rules.keys()].filter((path) => !model.paths.has(path))).toEqual([]);
  expect(model.created.length).toBeGreaterThan(KILLS);
  await expectServed(
    WRITES,
    [...model.paths.keys()].map((path) => [path, rules.get(path)]),
  );
});

test('each acknowledged import is applied whole, others whole or not at all', async () => {
  const rules = await rulesOf(sites.imports);
  const live: [string, string | undefined][] = [];
  let whole = 0;
  for (const { prefix, rows, isAcknowledged } of model.imports) {
    const paths = Array.from({ length: rows }, (_, i) => `${prefix}${i}`);
    const found = paths.filter((path) => rules.get(path) === `/to${path.slice(1)}`).length;
    expect([prefix, found]).toEqual([prefix, isAcknowledged || found > 0 ? rows : 0]);
    whole += found;
    for (const i of [0, rows >> 1, rows - 1]) live.push([`${prefix}${i}`, rules.get(`${prefix}${i}`)]);
  }
  expect(rules.size).toBe(whole);
  expect(model.imports.filter(({ isAcknowledged }) => isAcknowledged).length).toBeGreaterThan(KILLS / 10);
  await expectServed(IMPORTS, live);
  const [newest] = await deploymentsOf(owner, sites.imports, 'production');
  expect(newest?.redirect_count).toBe(rules.size);
});

test('each acknowledged deployment and promotion is live in every process, and no version is missing', async () => {
  const all = await Promise.all(
    Object.values(sites).flatMap((site) =>
      ['production', 'staging'].map((environment) => deploymentsOf(owner, site, environment)),
    ),
  );
  const byId = new Map(all.flat().map((deployment) => [deployment.id, deployment.status]));
  // The list ends after 1,000.
  expect(model.deployments.filter((id) => byId.get(id) !== 'completed')).toEqual([]);
  expect(model.deployments.length).toBeGreaterThan(KILLS / 5);
  for (const deployments of all) {
    const versions = deployments.map(({ version }) => version);
    expect(versions).toEqual(versions.map((_, i) => (versions[0] ?? 0) - i));
  }
  for (const host of [EXPLICIT, PROMOTED]) {
    const paths = model.published.get(host) ?? [];
    expect(paths.length).toBeGreaterThan(5);
    await expectServed(
      host,
      paths.map((path) => [path, '/to']),
    );
  }
});

test('each event is delivered, unchanged under its own id, and there is one event for each change', async () => {
  const { rows } = await database.db.execute<{ id: string; event: string; body: string }>(
    sql`select id, event, body from events where id in (select event_id from deliveries)`,
  );
  const bodies = new Map(rows.map(({ id, body }) => [id, body]));
  const delivered = new Set(receiver.requests.map(({ headers }) => String(headers['webhook-id'])));
  expect([...bodies.keys()].filter((id) => !delivered.has(id))).toEqual([]);
  const changed = receiver.requests.filter(({ headers, body }) => bodies.get(String(headers['webhook-id'])) !== body);
  expect(changed).toEqual([]);
  const count = (values: string[]): Map<string, number> => {
    const counts = new Map<string, number>();
    for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
    return counts;
  };
  const redirects = rows
    .filter(({ event }) => event.startsWith('redirect.'))
    .map(({ event, body }) => ({
      event,
      ...(JSON.parse(body).data.redirect as { old_path: string; new_path: string }),
    }));
  const created = count(redirects.filter(({ event }) => event === 'redirect.created').map(({ old_path }) => old_path));
  const updated = count(redirects.filter(({ event }) => event === 'redirect.updated').map(({ new_path }) => new_path));
  expect(model.created.filter((path) => created.get(path) !== 1)).toEqual([]);
  expect([...created].filter(([, times]) => times > 1)).toEqual([]);
  expect(model.updated.filter((target) => updated.get(target) !== 1)).toEqual([]);
  const imported = rows.filter(({ event }) => event === 'bulk_import.completed').length;
  const completed = await scalar(sql`select count(*) as n from imports where status = 'completed'`);
  expect(imported).toBe(completed);
  console.log(
    `${KILLS} kills, ${model.paths.size} paths, ${completed} imports, ${model.deployments.length} deployments, ${rows.length} events, ${receiver.requests.length - rows.length} repeats`,
  );
});
