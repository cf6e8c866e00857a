/**
 * The history of a website against brute force: a few hundred random writes, with versions published in between (also
 * back and forth, and with another environment's rules), each held against a plain copy of what the rules were at that
 * moment.
 */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withClient } from '../../../../src/db/connection/client.ts';
import { bulkDeleteRedirects, bulkUpdateRedirects } from '../../../../src/redirects/write/bulk.ts';
import { createRedirect, deleteRedirect, updateRedirect } from '../../../../src/redirects/write/single.ts';
import { restoreRedirect } from '../../../../src/redirects/undo/restore.ts';
import { createDeployedTimes } from '../../../../src/deployments/live/database/deployed-at.ts';
import type { TargetedRow } from '../../../../src/deployments/live/database/live-states.ts';
import { changesBetween, rulesAt } from '../../../../src/deployments/live/database/rules-at.ts';
import type { RulesPointer } from '../../../../src/deployments/live/database/rules-sql.ts';
import type { Actor } from '../../../../src/vocabulary/actor.ts';
import { type Environment, ENVIRONMENTS } from '../../../../src/vocabulary/environment.ts';
import { createWebsite } from '../../../../src/websites/store.ts';
import { storeAccount } from '../../../support/account.ts';
import { type FreshDatabase, freshDatabase } from '../../../support/database.ts';

const HOSTS = ['one.example', 'two.example'];
const SEED = 20261121;
const WRITES = 400;

let database: FreshDatabase;
let actor: Actor;
let websiteId: number;

beforeAll(async () => {
  database = await freshDatabase();
  ({ actor } = await storeAccount(database.db, { email: 'history@example.com', plan: 'enterprise' }));
  websiteId = (
    await createWebsite(
      database.db,
      actor,
      { name: 'history', autoDeploy: false, allowedTargetHosts: HOSTS },
      { isReserved: () => false, needsProof: false },
    )
  ).id;
});

afterAll(() => database.close());

/** Rules of one environment: id -> what is served for it. */
type Snapshot = Map<number, string>;

interface Version {
  environment: Environment;
  at: RulesPointer;
  rules: Snapshot;
  /** id -> since which revision it has been targeted unchanged: a rule taken away and put back is a new one */
  since: Map<number, number>;
  deployedAt: Date;
}

function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

interface WorkingState {
  pointer: Omit<RulesPointer, 'rulesEnv'>;
  rules: Record<Environment, Snapshot>;
  since: Record<Environment, Map<number, number>>;
}

const COLUMNS = { production: 'in_prod', staging: 'in_staging', development: 'in_dev' } as const;

async function workingState(): Promise<WorkingState> {
  const { rows } = await database.db.execute<Record<string, never>>(
    sql`select * from redirects where website_id = ${websiteId}`,
  );
  const { rows: heads } = await database.db.execute<{ head_rev: number }>(
    sql`select head_rev from websites where id = ${websiteId}`,
  );
  const rules: WorkingState['rules'] = { production: new Map(), staging: new Map(), development: new Map() };
  const since: WorkingState['since'] = { production: new Map(), staging: new Map(), development: new Map() };
  let rulesMaxId = 0;
  for (const row of rows) {
    const id = Number(row['id']);
    rulesMaxId = Math.max(rulesMaxId, id);
    const text = JSON.stringify([row['key'], row['new_path'], row['status_code'], row['is_regex']]);
    for (const environment of ENVIRONMENTS) {
      if (row[COLUMNS[environment]] === null) continue;
      rules[environment].set(id, text);
      since[environment].set(id, Number(row[COLUMNS[environment]]));
    }
  }
  return { pointer: { rulesRev: heads[0]?.head_rev ?? 0, rulesMaxId, targetHosts: null }, rules, since };
}

async function publish(versions: Version[], version: Omit<Version, 'deployedAt'>): Promise<void> {
  const { environment, at, rules } = version;
  const number = versions.filter((version) => version.environment === environment).length + 1;
  const deployedAt = new Date(Date.UTC(2026, 0, 1) + versions.length * 1_000);
  await database.db.execute(sql`
    insert into versions (website_id, environment, version, rules_env, rules_rev, rules_max_id, behind, target_hosts, redirect_count, deployed_at)
    select ${websiteId}::int, ${environment}, ${number}::int, ${at.rulesEnv}, ${at.rulesRev}::int, ${at.rulesMaxId}::bigint,
      exists (select 1 from versions v where v.website_id = ${websiteId} and v.environment = ${environment}
        and v.rules_env = ${at.rulesEnv} and v.rules_rev > ${at.rulesRev}),
      ${sql.param(at.targetHosts)}::text[], ${rules.size}::int, ${deployedAt.toISOString()}::timestamptz`);
  await database.db.execute(sql`
    update website_environments set live_version = ${number}, rules_env = ${at.rulesEnv}, rules_rev = ${at.rulesRev},
      rules_max_id = ${at.rulesMaxId}, target_hosts = ${sql.param(at.targetHosts)}::text[] where website_id = ${websiteId} and environment = ${environment}`);
  versions.push({ ...version, deployedAt });
}

async function readRules(at: RulesPointer): Promise<Snapshot> {
  return withClient(database.db, async (client) => {
    const found: Snapshot = new Map();
    for await (const rules of rulesAt(client, websiteId, at)) {
      for (const rule of rules)
        found.set(rule.id, JSON.stringify([rule.key, rule.newPath, rule.statusCode, rule.isRegex]));
    }
    return found;
  });
}

/** The rules at `from` with the result of `changesBetween` applied. */
async function patched(from: Version, to: Version): Promise<Map<string, string>> {
  const byKey = new Map([...from.rules.values()].map((text) => [String(JSON.parse(text)[0]), text]));
  const added: string[] = [];
  await withClient(database.db, async (client) => {
    for await (const changes of changesBetween(client, websiteId, from.at, to.at)) {
      for (const { oldKey, rule } of changes) {
        if (oldKey !== null) expect(byKey.delete(oldKey)).toBe(true);
        if (rule) added.push(JSON.stringify([rule.key, rule.newPath, rule.statusCode, rule.isRegex]));
      }
    }
  });
  for (const text of added) byKey.set(String(JSON.parse(text)[0]), text);
  return byKey;
}

/** A path, or an address on one of the hosts. */
function target(pick: (below: number) => number): string {
  const host = HOSTS[pick(6)];
  return `${host ? `https://${host}` : ''}/to/${pick(1e9)}`;
}

/** The published rules of the version if only these target hosts are allowed. */
function keepingTo(hosts: string[] | null, version: Version): Version {
  if (hosts === null) return version;
  const { targetHosts } = version.at;
  const at = { ...version.at, targetHosts: hosts.filter((host) => targetHosts?.includes(host) ?? true) };
  const isKept = (text: string): boolean =>
    /https:/.test(text) ? at.targetHosts.some((host) => text.includes(host)) : true;
  const rules = new Map([...version.rules].filter(([, text]) => isKept(text)));
  const since = new Map([...version.since].filter(([id]) => rules.has(id)));
  return { ...version, at, rules, since };
}

const sortedTexts = (texts: Iterable<string>): string[] => [...texts].sort();

async function write(pick: (below: number) => number, alive: number[], deletions: string[]): Promise<void> {
  const { db } = database;
  const some = <T>(list: readonly T[]): T => list[pick(list.length)] as T;
  const environments = ENVIRONMENTS.filter(() => pick(4) > 0);
  const kind = pick(12);
  if (kind < 4 || alive.length === 0) {
    const fields = {
      newPath: target(pick),
      statusCode: 301,
      isRegex: false,
      groupId: null,
      notes: null,
      environments,
      activeFrom: null,
      activeUntil: null,
    };
    const redirect = await createRedirect(db, actor, websiteId, {
      oldPath: `/p/${pick(1e9)}`,
      ...fields,
    });
    alive.push(redirect.id);
  } else if (kind < 6) {
    await updateRedirect(db, actor, some(alive), { newPath: target(pick) });
  } else if (kind === 6) {
    await updateRedirect(db, actor, some(alive), { environments });
  } else if (kind === 7) {
    await updateRedirect(db, actor, some(alive), { oldPath: `/p/${pick(1e9)}`, environments });
  } else if (kind === 8) {
    const id = some(alive);
    await deleteRedirect(db, actor, id);
    alive.splice(alive.indexOf(id), 1);
    const { rows } = await db.execute<{ id: string }>(
      sql`select id from events where redirect_id = ${id} order by id desc limit 1`,
    );
    deletions.push(rows[0]?.id ?? '');
  } else if (kind === 9) {
    const ids = alive.filter(() => pick(3) === 0);
    if (ids.length > 0)
      await bulkUpdateRedirects(db, actor, { selection: { ids }, updates: { change: { environments } }, bulk: {} });
  } else if (kind === 10) {
    const ids = alive.filter(() => pick(20) === 0);
    if (ids.length > 0) await bulkDeleteRedirects(db, actor, { selection: { ids }, bulk: {} });
    for (const id of ids) alive.splice(alive.indexOf(id), 1);
  } else if (deletions.length > 0) {
    const [eventId = ''] = deletions.splice(pick(deletions.length), 1);
    alive.push((await restoreRedirect(db, actor, { websiteId, eventId })).id);
  }
}

/** The first version of the run, up to the live one, in which the rule has stood unchanged. */
function standsSince(versions: Version[], environment: Environment, id: number): Date | null {
  const own = versions.filter((version) => version.environment === environment);
  const live = own.at(-1)?.since.get(id);
  if (live === undefined) return null;
  let first = own.length - 1;
  while (first > 0 && own[first - 1]?.since.get(id) === live) first--;
  return own[first]?.deployedAt ?? null;
}

test('every version can be read again, each difference leads from one to the other, and every deployed time is the first of its run', async () => {
  const pick = random(SEED);
  const versions: Version[] = [];
  const alive: number[] = [];
  const deletions: string[] = [];
  for (let step = 0; step < WRITES; step++) {
    await write(pick, alive, deletions);
    if (pick(4) > 0) continue;
    const environment = ENVIRONMENTS[pick(3)] ?? 'production';
    const own = versions.filter((version) => version.environment === environment);
    const earlier = own[pick(own.length || 1)];
    if (earlier && pick(6) === 0) {
      const hosts = [null, null, [], HOSTS.slice(0, 1), HOSTS][pick(5)] ?? null;
      await publish(versions, keepingTo(hosts, earlier));
    } else {
      const { pointer, rules, since } = await workingState();
      const at = { rulesEnv: environment, ...pointer };
      await publish(versions, { environment, at, rules: rules[environment], since: since[environment] });
    }
  }

  for (const version of versions) expect(await readRules(version.at)).toEqual(version.rules);
  for (let pair = 0; pair < 150; pair++) {
    const from = versions[pick(versions.length)];
    const to = versions[pick(versions.length)];
    if (!from || !to || from.environment !== to.environment) continue;
    expect(sortedTexts((await patched(from, to)).values())).toEqual(sortedTexts(to.rules.values()));
  }

  const { rows } = await database.db.execute<Record<string, never>>(
    sql`select * from redirects where website_id = ${websiteId}`,
  );
  const targeted: TargetedRow[] = rows.map((row) => ({
    id: Number(row['id']),
    websiteId,
    rev: Number(row['rev']),
    newPath: row['new_path'] ?? null,
    inProd: row['in_prod'] ?? null,
    inStaging: row['in_staging'] ?? null,
    inDev: row['in_dev'] ?? null,
  }));
  const times = await createDeployedTimes(database.db)(targeted);
  const expected = targeted.map((row) => ({
    production: standsSince(versions, 'production', row.id),
    staging: standsSince(versions, 'staging', row.id),
    development: standsSince(versions, 'development', row.id),
  }));
  expect(versions.length).toBeGreaterThan(60);
  expect(targeted.length).toBeGreaterThan(30);
  expect(expected.flatMap((row) => Object.values(row)).filter((time) => time !== null).length).toBeGreaterThan(20);
  expect(times).toEqual(expected);
});
