/** Former revisions are retained exactly as long as a version that needs them can be published. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withClient } from '../../../src/db/connection/client.ts';
import { pruneRevisions } from '../../../src/deployments/publish/versions/version-retention.ts';
import { rulesAt } from '../../../src/deployments/live/database/rules-at.ts';
import type { RulesPointer } from '../../../src/deployments/live/database/rules-sql.ts';
import { purgeChanges } from '../../../src/redirects/changes/record-change.ts';
import { startTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';
import { addRedirect, createSite, deploy, ended } from '../../support/site.ts';
import { until } from '../../support/wait.ts';
import { hold, promote, release, rollBack, visitAt } from '../publishing.ts';

let detour: TestDetour;
let owner: TestAccount;

beforeAll(async () => {
  detour = await startTestDetour();
  owner = await detour.account();
});

afterAll(() => detour.stop());

/** One round over all websites, as the upkeep does it, when no change needs them. */
async function forget(): Promise<void> {
  await query('delete from changes');
  await prune();
}

async function prune(): Promise<void> {
  for (let after = await pruneRevisions(detour.db, 0); after > 0;) {
    after = await pruneRevisions(detour.db, after);
  }
}

const query = async (text: string, ...values: unknown[]) => (await detour.db.$client.query(text, values)).rows;

const revisions = async (site: number): Promise<number> =>
  (await query('select count(*)::int as count from redirect_revisions where website_id = $1', site))[0].count;

/** Makes the versions so far older than the days for which all are kept. */
const age = (site: number) =>
  query("update versions set deployed_at = deployed_at - interval '91 days' where website_id = $1", site);

/** As if version 6 had been published 96 times: the versions after it become 102 to 104. */
async function repeatVersion6(site: number): Promise<void> {
  const values = [site, 95];
  await query('update versions set version = version + $2 where website_id = $1 and version > 6', ...values);
  await query(
    'update website_environments set live_version = live_version + $2 where website_id = $1 and live_version > 0',
    ...values,
  );
  await query(
    `insert into versions select (jsonb_populate_record(v, jsonb_build_object('version', 6 + n))).*
     from versions v, generate_series(1, $2) n where v.website_id = $1 and v.version = 6`,
    ...values,
  );
}

interface StoredVersion extends RulesPointer {
  version: number;
}

async function versionsOf(site: number): Promise<StoredVersion[]> {
  const rows = await query(
    'select * from versions where website_id = $1 and environment = $2 order by version',
    site,
    'production',
  );
  return rows.map((row) => ({
    version: row.version,
    rulesEnv: row.rules_env,
    rulesRev: row.rules_rev,
    rulesMaxId: row.rules_max_id,
    targetHosts: row.target_hosts,
  }));
}

async function rulesOf(site: number, at: RulesPointer): Promise<string[]> {
  return withClient(detour.db, async (client) => {
    const found: string[] = [];
    for await (const rules of rulesAt(client, site, at)) found.push(...rules.map((rule) => JSON.stringify(rule)));
    return found.toSorted();
  });
}

test('the last 100 versions and those of 90 days can be gone back to, older ones are 404 VERSION_EXPIRED, and times stay', async () => {
  const site = await createSite(owner, ['keep.example'], { auto_deploy: false });
  const ids = [];
  for (let i = 0; i < 5; i++) ids.push(await addRedirect(owner, site, { old_path: `/${i}`, new_path: '/to' }));
  await deploy(owner, site);
  const steps = 8;
  for (let step = 1; step <= steps; step++) {
    // The first two stay as they are, so that their time is that of version 1; the third moves at first only.
    const id = step < 5 ? ids[2] : ids[3 + (step % 2)];
    await owner.call('PUT', `/api/redirects/${id}`, { new_path: `/to${step}` });
    await deploy(owner, site);
  }
  await owner.call('DELETE', `/api/redirects/${ids[4]}`);
  const times = async () =>
    (await owner.call('GET', `/api/redirects?website_id=${site}`)).body.redirects.map(
      (redirect: Record<string, unknown>) => redirect['deployed_to_prod'],
    );

  await repeatVersion6(site);
  await forget();
  expect(await revisions(site)).toBe(steps + 1);
  await age(site);
  await deploy(owner, site);
  const before = await times();
  expect(before).not.toContain(null);
  const versions = await versionsOf(site);
  expect(versions.at(-1)?.version).toBe(105);
  const kept = versions.filter(({ version }) => version > versions.length - 100);
  const rules = await Promise.all(kept.map((at) => rulesOf(site, at)));

  await forget();
  // Versions 1 to 5 are out of reach; the revisions that ended with version 6 or before went.
  expect(await revisions(site)).toBe(steps + 1 - 5);
  expect(await times()).toEqual(before);
  expect(await Promise.all(kept.map((at) => rulesOf(site, at)))).toEqual(rules);

  for (const version of [1, 5]) {
    const asked = { website_id: site, environment: 'production', version };
    const { status, body } = await owner.call('POST', '/api/deployments/rollback', asked);
    expect([version, status, body.code]).toEqual([version, 404, 'VERSION_EXPIRED']);
    const key = await owner.keyCall('POST', '/api/v1/deployments/rollback', {
      ...asked,
      website_id: String(site),
    });
    expect([key.status, key.body.code]).toEqual([404, 'VERSION_EXPIRED']);
  }
  const { website } = (await owner.call('GET', `/api/websites/${site}`)).body;
  expect(website.held_environments).toEqual([]);
  expect((await rollBack(owner, site, 6)).status).toBe('completed');
  expect((await detour.visit('keep.example', '/2')).location).toBe('/to4');
  const fresh = await detour.another();
  expect(await visitAt(fresh.address, 'keep.example', '/2')).toBe('/to4');
});

test('a version of the last 90 days can be rolled back to after any number of versions, and its rules are retained again', async () => {
  const site = await createSite(owner, ['days.example'], { auto_deploy: false });
  const id = await addRedirect(owner, site, { old_path: '/a', new_path: '/1' });
  await deploy(owner, site);
  await owner.call('PUT', `/api/redirects/${id}`, { new_path: '/2' });
  await deploy(owner, site);
  // As if a hundred more had followed.
  await query('update versions set version = 102 where website_id = $1 and version = 2', site);
  await query('update website_environments set live_version = 102 where website_id = $1 and live_version > 0', site);
  await forget();
  expect((await rollBack(owner, site, 1)).version).toBe(103);
  await age(site);
  await forget();
  expect(await revisions(site)).toBe(1);
  expect((await deploy(owner, site)).version).toBe(104);
  expect((await rollBack(owner, site, 103)).status).toBe('completed');
  await until(async () => (await detour.visit('days.example', '/a')).location === '/1');
});

test('a queued version is retained at any age, and so are the revisions that a running deployment may read', async () => {
  const site = await createSite(owner, ['wait.example'], { auto_deploy: false });
  const id = await addRedirect(owner, site, {
    old_path: '/a',
    new_path: '/1',
    target_environments: 'staging',
  });
  await deploy(owner, site, 'staging');
  const lock = await hold(detour, site, 'production');
  const asked = { website_id: site, from: 'staging', to: 'production' };
  const { deployment } = (await owner.call('POST', '/api/deployments/promote', asked)).body;
  await owner.call('PUT', `/api/redirects/${id}`, { new_path: '/2' });
  await deploy(owner, site, 'staging');
  // As if a hundred more had followed.
  await query(
    'update website_environments set live_version = live_version + 100 where website_id = $1 and live_version > 0',
    site,
  );
  await query('update versions set version = version + 100 where website_id = $1 and version = 2', site);
  await age(site);
  await forget();
  expect(await revisions(site)).toBe(1);
  await release(lock);
  expect((await ended(owner, deployment.id)).status).toBe('completed');
  // The other process of this file may have published it.
  await until(async () => (await detour.visit('wait.example', '/a')).location === '/1');

  await query("delete from versions where website_id = $1 and environment = 'production'", site);
  await query(
    "update website_environments set running = 'x' where website_id = $1 and environment = 'development'",
    site,
  );
  await forget();
  expect(await revisions(site)).toBe(1);
  await query('update website_environments set running = null where website_id = $1', site);
  await forget();
  expect(await revisions(site)).toBe(0);
});

test('many rows are deleted in batches, of one website at a time, and all of them if nothing was ever deployed', async () => {
  const count = 6_000;
  const put = async (site: number, target: string) => {
    const redirects = Array.from({ length: count }, (_, i) => ({ old_path: `/${i}`, new_path: target }));
    const { status } = await owner.keyCall('POST', '/api/v1/redirects/bulk', {
      website_id: String(site),
      redirects,
    });
    expect(status).toBe(200);
  };
  const [never, live] = [
    await createSite(owner, [], { auto_deploy: false }),
    await createSite(owner, [], { auto_deploy: false }),
  ];
  for (const site of [never, live]) await put(site, '/to1');
  await deploy(owner, live);
  for (const site of [never, live]) await put(site, '/to2');
  expect([await revisions(never), await revisions(live)]).toEqual([count, count]);
  await query('delete from changes');
  expect(await pruneRevisions(detour.db, never - 1)).toBe(never - 1);
  expect(await revisions(never)).toBe(count - 5_000);
  await forget();
  expect([await revisions(never), await revisions(live)]).toEqual([0, count]);
  expect((await promote(owner, live, 'production', 'staging')).redirect_count).toBe(count);
});

test('the former states of a change are retained for 30 days', async () => {
  const site = await createSite(owner, ['changes.example'], { auto_deploy: false });
  const id = await addRedirect(owner, site, { old_path: '/a', new_path: '/1' });
  await owner.call('PUT', `/api/redirects/${id}`, { new_path: '/2' });
  await owner.call('PUT', `/api/redirects/${id}`, { notes: 'n' });
  await owner.call('PUT', `/api/redirects/${id}`, { new_path: '/3' });
  const age = (days: number, revision: number) =>
    query(
      `update changes set created_at = created_at - make_interval(days => $2) where website_id = $1 and revision <= $3`,
      site,
      days,
      revision,
    );
  await age(29, 4);
  await purgeChanges(detour.db);
  await prune();
  expect(await revisions(site)).toBe(3);
  const { change_id: changeId } = (await owner.call('GET', `/api/redirects/${id}/history`)).body.history[1];
  await age(2, 3);
  expect((await owner.call('GET', `/api/changes?website_id=${site}`)).body.changes).toHaveLength(1);
  const undone = await owner.call('POST', `/api/changes/${changeId}/undo`, {});
  expect([undone.status, undone.body.code]).toEqual([404, 'CHANGE_NOT_FOUND']);
  await purgeChanges(detour.db);
  await prune();
  expect(await revisions(site)).toBe(1);
});
