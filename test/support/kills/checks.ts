/** Comparison of the state after kills with the model of what the clients were told. */
import { expect } from 'vitest';
import type { Db } from '../../../src/db/connection/client.ts';
import { type SQL, sql } from '../../../src/db/drizzle.ts';
import type { TestAccount } from '../detour.ts';
import { statesOf } from '../dispatching.ts';
import type { Receiver } from '../receiver.ts';
import { createSite, deploymentsOf } from '../site.ts';
import { until } from '../wait.ts';
import type { Model } from './model.ts';
import { createVisitor } from './visitors.ts';

const WRITES = 'writes.example';
const IMPORTS = 'imports.example';
export const EXPLICIT = 'explicit.example';
export const PROMOTED = 'promoted.example';

export interface LoadSites {
  writes: number;
  imports: number;
  explicit: number;
  promoted: number;
}

export interface Outcome {
  owner: Pick<TestAccount, 'call'>;
  db: Db;
  /** of all processes */
  addresses: string[];
  receiver: Receiver;
  sites: LoadSites;
  model: Model;
}

/** Creates the websites of load.ts. */
export async function createLoadSites(owner: Pick<TestAccount, 'call'>): Promise<LoadSites> {
  const staging = { hostname: `staging.${PROMOTED}`, environment: 'staging' };
  return {
    writes: await createSite(owner, [WRITES]),
    imports: await createSite(owner, [IMPORTS]),
    explicit: await createSite(owner, [EXPLICIT], { auto_deploy: false }),
    promoted: await createSite(owner, [{ hostname: PROMOTED, environment: 'production' }, staging]),
  };
}

/** Returns the number `n` of the only row. */
export async function scalar(db: Db, query: SQL): Promise<number> {
  const { rows } = await db.execute<{ n: number }>(query);
  return Number(rows[0]?.n);
}

/** Waits until no deployment, import, staging table or delivery is left open. */
export async function expectNothingOpen(db: Db, leftMs: () => number): Promise<void> {
  const open = sql`select (select count(*) from deployments where status in ('queued', 'running'))
    + (select count(*) from imports where status = 'running')
    + (select count(*) from pg_class where relname like 'import_stage_%' and relkind = 'r'
        and not exists (select 1 from imports where completed_at > now() - interval '1 minute'
          and relname like '%' || owner || '%')) as n`;
  await until(async () => (await scalar(db, open)) === 0, leftMs());
  await until(async () => {
    const { pending = 0, sending = 0 } = await statesOf({ db });
    return pending + sending === 0;
  }, leftMs());
}

/** The current rules of a website: path to target. */
async function rulesOf({ owner }: Outcome, site: number): Promise<Map<string, string>> {
  const { body } = await owner.call('GET', `/api/redirects?website_id=${site}`);
  const redirects = body.redirects as { old_path: string; new_path: string }[];
  const rules = new Map(redirects.map(({ old_path, new_path }) => [old_path, new_path]));
  expect(rules.size).toBe(redirects.length);
  return rules;
}

/** Expects that each process serves the targets; undefined: no redirect. */
async function expectServed(
  addresses: string[],
  host: string,
  targets: [path: string, target: string | undefined][],
): Promise<void> {
  const { visit, close } = createVisitor();
  for (const address of addresses) {
    const wrong: string[] = [];
    for (let from = 0; from < targets.length; from += 16) {
      const some = targets.slice(from, from + 16);
      const found = await Promise.all(some.map(([path]) => visit(address, host, path)));
      for (const [i, [path, target]] of some.entries()) {
        const { location } = found[i]?.headers ?? {};
        if (location !== target) wrong.push(`${path}: ${location} instead of ${target}`);
      }
    }
    expect({ host, address, wrong }).toEqual({ host, address, wrong: [] });
  }
  close();
}

/** Each acknowledged write is stored and served by every process; others are applied or not. */
export async function expectWrites(outcome: Outcome, atLeast: number): Promise<void> {
  const { model, addresses, sites } = outcome;
  const rules = await rulesOf(outcome, sites.writes);
  const wrong = [...model.paths].filter(([path, states]) => !states.includes(rules.get(path)));
  expect(wrong.map(([path, states]) => [path, states, rules.get(path)])).toEqual([]);
  expect([...rules.keys()].filter((path) => !model.paths.has(path))).toEqual([]);
  expect(model.created.length).toBeGreaterThan(atLeast);
  const targets = [...model.paths.keys()].map((path): [string, string | undefined] => [path, rules.get(path)]);
  await expectServed(addresses, WRITES, targets);
}

/** Each acknowledged import is applied whole, others whole or not at all. */
export async function expectImports(outcome: Outcome, atLeast: number): Promise<void> {
  const { owner, model, addresses, sites } = outcome;
  const rules = await rulesOf(outcome, sites.imports);
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
  expect(model.imports.filter(({ isAcknowledged }) => isAcknowledged).length).toBeGreaterThan(atLeast);
  await expectServed(addresses, IMPORTS, live);
  const [newest] = await deploymentsOf(owner, sites.imports, 'production');
  expect(newest?.redirect_count).toBe(rules.size);
}

/** Each acknowledged deployment and promotion is live in every process, and no version is missing. */
export async function expectDeployments({ owner, model, addresses, sites }: Outcome, atLeast: number): Promise<void> {
  const all = await Promise.all(
    Object.values(sites).flatMap((site) =>
      ['production', 'staging'].map((environment) => deploymentsOf(owner, site, environment)),
    ),
  );
  const byId = new Map(all.flat().map((deployment) => [deployment.id, deployment.status]));
  // The list ends after 1,000.
  expect(model.deployments.filter((id) => byId.get(id) !== 'completed')).toEqual([]);
  expect(model.deployments.length).toBeGreaterThan(atLeast);
  for (const deployments of all) {
    const versions = deployments.map(({ version }) => version);
    expect(versions).toEqual(versions.map((_, i) => (versions[0] ?? 0) - i));
  }
  for (const host of [EXPLICIT, PROMOTED]) {
    const paths = model.published.get(host) ?? [];
    expect(paths.length).toBeGreaterThan(5);
    await expectServed(
      addresses,
      host,
      paths.map((path) => [path, '/to']),
    );
  }
}

/** Each event is delivered, unchanged under its own id, and there is one event for each change. */
export async function expectEvents({ db, receiver, model }: Outcome) {
  const { rows } = await db.execute<{ id: string; event: string; body: string }>(
    sql`select id, event, body from events where id in (select event_id from deliveries)`,
  );
  const bodies = new Map(rows.map(({ id, body }) => [id, body]));
  const delivered = new Set(receiver.requests.map(({ headers }) => String(headers['webhook-id'])));
  expect([...bodies.keys()].filter((id) => !delivered.has(id))).toEqual([]);
  const changed = receiver.requests.filter(({ headers, body }) => bodies.get(String(headers['webhook-id'])) !== body);
  expect(changed).toEqual([]);
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
  const imports = rows.filter(({ event }) => event === 'bulk_import.completed').length;
  expect(imports).toBe(await scalar(db, sql`select count(*) as n from imports where status = 'completed'`));
  return { events: rows.length, repeats: receiver.requests.length - rows.length, imports };
}

function count(values: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}
