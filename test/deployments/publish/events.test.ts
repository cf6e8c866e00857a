/** The events of a deployment: what each says, and that each is there exactly once. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';
import { addRedirect, createSite, deploy, settled } from '../../support/site.ts';

let detour: TestDetour;
let owner: TestAccount;

beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
});

afterAll(() => detour.stop());

interface StoredEvent {
  event: string;
  actor_type: string;
  timestamp: string;
  deployment: Record<string, unknown>;
}

async function events(site: number): Promise<StoredEvent[]> {
  const { rows } = await detour.db.$client.query(
    `select event, actor_type, body::jsonb->>'timestamp' as timestamp, body::jsonb->'data'->'deployment' as deployment
     from events where website_id = $1 and event like 'deployment.%' order by id`,
    [site],
  );
  return rows;
}

test('deployment.started, then deployment.completed, with ids as strings and null rather than absent', async () => {
  const site = await createSite(owner, [], { auto_deploy: false });
  await addRedirect(owner, site, { old_path: '/a', new_path: '/b', target_environments: 'development' });
  const done = await deploy(owner, site, 'development');
  const [started, completed, ...more] = await events(site);
  expect(more).toEqual([]);
  const common = {
    website_id: String(site),
    environment: 'development',
    deployment_id: done.id,
    started_at: done.started_at,
    error: null,
    note: null,
  };
  const noWarnings = { warnings: [], warning_count: 0 };
  expect(started).toMatchObject({
    event: 'deployment.started',
    actor_type: 'user',
    deployment: { ...common, ...noWarnings, redirect_count: null, deployed_at: null, version: null, changes: null },
  });
  expect(completed).toMatchObject({
    event: 'deployment.completed',
    deployment: {
      ...common,
      ...noWarnings,
      redirect_count: 1,
      deployed_at: done.deployed_at,
      version: 1,
      changes: { added: 1, changed: 0, removed: 0 },
    },
  });
  for (const { deployment } of await events(site)) {
    expect(Object.keys(deployment).toSorted()).toEqual(
      [...Object.keys({ ...common, ...noWarnings }), 'redirect_count', 'deployed_at', 'version', 'changes'].toSorted(),
    );
  }
  expect(completed?.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
});

test('every deployment has its two events, also where changes came quickly and by key', async () => {
  const site = await createSite(owner, []);
  await Promise.all(
    Array.from({ length: 30 }, (_, i) =>
      addRedirect(owner, site, {
        old_path: `/p${i}`,
        new_path: '/t',
        target_environments: 'production,staging',
      }),
    ),
  );
  await owner.keyCall('POST', '/api/v1/deployments', { website_id: String(site), environment: 'staging' });
  const ids = (await settled(owner, site)).map(({ id }) => id).toSorted();
  const all = await events(site);
  for (const kind of ['deployment.started', 'deployment.completed']) {
    const named = all.filter(({ event }) => event === kind).map(({ deployment }) => deployment['deployment_id']);
    expect(named.toSorted()).toEqual(ids);
  }
  expect(all).toHaveLength(2 * ids.length);
});
