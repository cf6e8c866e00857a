/**
 * Snapshots on disk: what is written, what a start serves from them, and when the database replaces them. Holds the
 * rules of src/deployments/live/snapshots/snapshot-files.ts.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createLiveRegistry, type LiveRegistry } from '../../../src/deployments/live/live-registry.ts';
import { loadSnapshots, type LoadedSnapshots } from '../../../src/deployments/live/snapshots/read-snapshots.ts';
import { createRulesets, type Rulesets } from '../../../src/deployments/live/rulesets.ts';
import { createSnapshotFolder } from '../../../src/deployments/live/snapshots/snapshot-folder.ts';
import { createSnapshotWriter } from '../../../src/deployments/live/snapshots/write-snapshots.ts';
import { openRuleset } from '../../../src/resolver/ruleset.ts';
import { prepareRulesFrom } from '../../../src/jobs/ruleset-jobs.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { startTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';
import { addRedirect, createSite, deploy } from '../../support/site.ts';
import { until } from '../../support/wait.ts';

let detour: TestDetour;
let owner: TestAccount;
const parent = mkdtempSync(join(tmpdir(), 'detour-snapshots-'));
const dir = join(parent, 'rulesets');
let site: number;
let redirect: number;
let number = 0;

beforeAll(async () => {
  detour = await startTestDetour();
  owner = await detour.account();
});
afterAll(async () => {
  await detour.stop();
  rmSync(parent, { recursive: true });
});

/** A website with version 1 of one redirect, and its files. */
beforeEach(async () => {
  rmSync(dir, { recursive: true, force: true });
  site = await createSite(owner, [hostname(++number)], { auto_deploy: false });
  redirect = await addRedirect(owner, site, { old_path: '/a', new_path: '/v1' });
  await deploy(owner, site);
  await writeAll();
});

const hostname = (index: number): string => `s${index}.example.com`;
const query = async (text: string, ...values: unknown[]) => (await detour.db.$client.query(text, values)).rows;
const fileOf = (id: number): string => join(dir, `${id}-production.ruleset`);

/** Writes everything that is live now, as another process does. */
async function writeAll(registry?: LiveRegistry, maxBytes?: number): Promise<boolean> {
  const from = registry ?? (await loaded()).registry;
  const options = {
    db: detour.db,
    dir,
    registry: from,
    clock: systemClock,
    ...(maxBytes !== undefined && { maxBytes }),
  };
  const folder = createSnapshotFolder(options);
  const results = [await folder.writeRules(site, 'production'), await folder.writeSites()];
  return results.every(Boolean);
}

/** A registry that is loaded from the database alone. */
async function loaded(): Promise<{ registry: LiveRegistry; rulesets: Rulesets }> {
  const registry = createLiveRegistry();
  const rulesets = createRulesets(detour.db, prepareRulesFrom(detour.db), registry);
  await rulesets.load();
  return { registry, rulesets };
}

interface Started {
  registry: LiveRegistry;
  found: LoadedSnapshots;
  problems: string[];
}

/** Reads the files as a start does, without the database. */
async function start(): Promise<Started> {
  const registry = createLiveRegistry();
  const problems: string[] = [];
  const found = await loadSnapshots(
    dir,
    registry,
    ({ message, cause }) => void problems.push(`${message}: ${String(cause)}`),
  );
  return { registry, found, problems };
}

function targetOf(registry: LiveRegistry, path = '/a', at?: number): string | null | undefined {
  const live = registry.byHostname(hostname(number));
  return live && live.rules.ruleset.match({ path, query: null }, live.site, at)?.location;
}

/** Loads the registry of a start from the database, and returns how many rules were read. */
async function catchUp({ registry, found }: Started): Promise<LiveRegistry> {
  await createRulesets(detour.db, prepareRulesFrom(detour.db), registry, found).load();
  return registry;
}

async function edit(target: string): Promise<void> {
  await owner.call('PUT', `/api/redirects/${redirect}`, { new_path: target });
  await deploy(owner, site);
}

test('a start serves the written version without the database, then the live one', async () => {
  await edit('/v2');
  const started = await start();
  expect(started.problems).toEqual([]);
  expect([targetOf(started.registry), started.registry.rules(site, 'production').version]).toEqual(['/v1', 1]);
  const before = started.registry.rules(site, 'production').ruleset;
  await catchUp(started);
  expect([targetOf(started.registry), started.registry.rules(site, 'production').version]).toEqual(['/v2', 2]);
  // Patched: it appends to the pages of the file instead of reading all rules.
  expect(started.registry.rules(site, 'production').ruleset.wastedBytes).toBeGreaterThan(before.wastedBytes);
});

test('a start serves the windows of redirects from the files', async () => {
  await addRedirect(owner, site, { old_path: '/b', new_path: '/w', active_from: '2030-01-01T00:00:00Z' });
  await addRedirect(owner, site, { old_path: '/(b|c)', new_path: '/p', is_regex: true });
  await deploy(owner, site);
  await writeAll();
  const { registry, problems } = await start();
  expect(problems).toEqual([]);
  const from = Date.parse('2030-01-01T00:00:00Z');
  expect([targetOf(registry, '/b', from - 1), targetOf(registry, '/b', from)]).toEqual(['/p', '/w']);
});

test('an unchanged version is not read again', async () => {
  const started = await start();
  const { ruleset } = started.registry.rules(site, 'production');
  await catchUp(started);
  expect(started.registry.rules(site, 'production').ruleset).toBe(ruleset);
});

test('the folder and its files are private', () => {
  expect(statSync(dir).mode & 0o777).toBe(0o700);
  expect(readdirSync(dir).map((name) => statSync(join(dir, name)).mode & 0o777)).toEqual([0o600, 0o600]);
});

test('a version number with other rules, from a restored backup, is loaded from the database', async () => {
  await query("update redirects set new_path = '/restored' where id = $1", redirect);
  await query('update versions set history = gen_random_uuid() where website_id = $1', site);
  const started = await start();
  expect(targetOf(started.registry)).toBe('/v1');
  expect(targetOf(await catchUp(started))).toBe('/restored');
});

test('a version newer than the live one is loaded from the database', async () => {
  await edit('/v2');
  await writeAll();
  const started = await start();
  expect(targetOf(started.registry)).toBe('/v2');
  await query('delete from versions where website_id = $1 and version = 2', site);
  await query(
    `update website_environments we set live_version = 1, rules_rev = v.rules_rev, rules_max_id = v.rules_max_id
     from versions v where v.website_id = we.website_id and v.environment = we.environment and we.website_id = $1`,
    site,
  );
  expect(targetOf(await catchUp(started))).toBe('/v1');
  expect(await writeAll(started.registry)).toBe(true);
  expect(targetOf((await start()).registry)).toBe('/v1');
});

test('a version that is not retained is loaded from the database', async () => {
  await query("update versions set deployed_at = deployed_at - interval '91 days' where website_id = $1", site);
  await writeAll();
  await query(
    'update website_environments set live_version = 200 where website_id = $1 and environment = $2',
    site,
    'production',
  );
  await query(
    `insert into versions (website_id, environment, version, rules_env, rules_rev, rules_max_id, behind, redirect_count, deployed_at)
     select website_id, environment, 200, rules_env, rules_rev, rules_max_id, behind, redirect_count, now()
     from versions where website_id = $1`,
    site,
  );
  const started = await start();
  const before = started.registry.rules(site, 'production').ruleset;
  await catchUp(started);
  const { version, ruleset } = started.registry.rules(site, 'production');
  expect([version, targetOf(started.registry)]).toEqual([200, '/v1']);
  expect(ruleset.share().literals.hashKey).not.toEqual(before.share().literals.hashKey);
});

test('an environment that was never deployed in the restored database has no rules', async () => {
  const started = await start();
  await query('delete from versions where website_id = $1', site);
  await query(
    'update website_environments set live_version = 0, rules_rev = 0, rules_max_id = 0 where website_id = $1',
    site,
  );
  expect(targetOf(await catchUp(started))).toBeUndefined();
});

test('the files of another database are served only until the database is known', async () => {
  await query("update settings set value = 'other' where name = 'database_id'");
  const started = await start();
  expect(targetOf(started.registry)).toBe('/v1');
  await catchUp(started);
  expect(targetOf(started.registry)).toBe('/v1');
  expect(started.registry.rules(site, 'production').ruleset.share().literals.hashKey).not.toEqual(
    (await start()).registry.rules(site, 'production').ruleset.share().literals.hashKey,
  );
});

test('a file of rules of another database is ignored, and its host is not served', async () => {
  const foreign = createLiveRegistry();
  await createRulesets(detour.db, prepareRulesFrom(detour.db), foreign).load();
  await query("update settings set value = $1 where name = 'database_id'", `other ${number}`);
  const options = { db: detour.db, dir, registry: foreign, clock: systemClock };
  await createSnapshotFolder(options).writeSites();
  const { registry, problems } = await start();
  expect(problems).toEqual([expect.stringContaining('it belongs to another database')]);
  expect(registry.byHostname(hostname(number))).toBeUndefined();
});

test('a damaged file is ignored with its reason, and the database replaces it', async () => {
  writeFileSync(fileOf(site), 'damaged');
  const started = await start();
  expect(started.problems).toEqual([expect.stringContaining('the file is truncated')]);
  expect(started.problems[0]).toContain(fileOf(site));
  expect(started.registry.byHostname(hostname(number))).toBeUndefined();
  expect(targetOf(await catchUp(started))).toBe('/v1');
  expect(await writeAll(started.registry)).toBe(true);
  expect(targetOf((await start()).registry)).toBe('/v1');
});

test('a file without a checksum is served, and replaced by all rules of the database', async () => {
  const { registry } = await loaded();
  const rules = registry.rules(site, 'production');
  const shared = rules.ruleset.share();
  const old = { ...shared, literals: { ...shared.literals, sum: Number.NaN } };
  registry.setRules(site, 'production', { ...rules, ruleset: openRuleset(old) });
  rmSync(fileOf(site));
  expect(await writeAll(registry)).toBe(true);
  const started = await start();
  const checksum = () => started.registry.rules(site, 'production').ruleset.checksum;
  expect([targetOf(started.registry), checksum()]).toEqual(['/v1', undefined]);
  await edit('/v2');
  await catchUp(started);
  expect([targetOf(started.registry), checksum()]).toEqual([
    '/v2',
    (await loaded()).registry.rules(site, 'production').ruleset.checksum,
  ]);
});

test('a pipe or a folder among the files is ignored, and does not delay the start', async () => {
  rmSync(fileOf(site));
  execFileSync('mkfifo', [fileOf(site)]);
  mkdirSync(fileOf(site + 1));
  const { problems, registry } = await start();
  expect(problems.toSorted()).toEqual([
    expect.stringContaining('this is not a regular file'),
    expect.stringContaining('this is not a regular file'),
  ]);
  expect(registry.byHostname(hostname(number))).toBeUndefined();
});

test('without a folder, or with a damaged list of websites, nothing is served', async () => {
  writeFileSync(join(dir, 'sites.snapshot'), Buffer.alloc(100));
  const damaged = await start();
  expect(damaged.problems).toEqual([expect.stringContaining('sites.snapshot')]);
  rmSync(dir, { recursive: true });
  const none = await start();
  for (const { registry, found } of [damaged, none]) {
    expect(registry.websiteIds()).toEqual([]);
    expect(found).toEqual({ databaseId: undefined, versions: [] });
  }
  expect(none.problems).toEqual([]);
});

test('a process that is behind does not overwrite a newer version', async () => {
  const { registry: behind } = await loaded();
  await edit('/v2');
  await writeAll();
  expect(await writeAll(behind)).toBe(true);
  expect(targetOf((await start()).registry)).toBe('/v2');
});

test('a version that is not committed is not written', async () => {
  const { registry } = await loaded();
  const { ruleset, ...rules } = registry.rules(site, 'production');
  registry.setRules(site, 'production', { ...rules, version: 2, ruleset });
  expect(await writeAll(registry)).toBe(false);
  expect((await start()).registry.rules(site, 'production').version).toBe(1);
});

test('files of deleted websites and drafts of crashed processes are removed, but not fresh ones', async () => {
  const old = new Date(Date.now() - 120_000);
  for (const name of [
    '999-production.ruleset',
    '998-staging.ruleset',
    '1-production.ruleset.draft',
    '2-staging.ruleset.draft',
  ])
    writeFileSync(join(dir, name), 'x');
  for (const name of ['999-production.ruleset', '1-production.ruleset.draft']) utimesSync(join(dir, name), old, old);
  await writeAll();
  expect(readdirSync(dir).sort()).toEqual(
    [`${site}-production.ruleset`, '2-staging.ruleset.draft', '998-staging.ruleset', 'sites.snapshot'].sort(),
  );
});

test('above the limit of the folder no file is written', async () => {
  await edit('/v2');
  await expect(writeAll(undefined, 100)).rejects.toThrow('would exceed 100 bytes');
});

test('the writer writes what changes, and at its stop what is pending', async () => {
  const { registry, rulesets } = await loaded();
  const errors: unknown[] = [];
  const writer = createSnapshotWriter({
    db: detour.db,
    dir,
    registry,
    clock: systemClock,
    onError: (error) => void errors.push(error),
  });
  await edit('/v2');
  await rulesets.resynchronise();
  writer.start();
  await until(async () => targetOf((await start()).registry) === '/v2');
  await edit('/v3');
  await rulesets.resynchronise();
  await writer.stop();
  expect(targetOf((await start()).registry)).toBe('/v3');
  expect(errors).toEqual([]);
});
