/**
 * deployed_to_prod, deployed_to_staging, deployed_to_dev: since when a redirect's rule is live as it is. Holds the
 * rules of src/deployments/live/database/read-revisions.ts.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';
import { addRedirect, createSite, deploy, settled } from '../../support/site.ts';
import { promote } from '../publishing.ts';
import { until } from '../../support/wait.ts';

let detour: TestDetour;
let owner: TestAccount;

beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
});

afterAll(() => detour.stop());

type Times = { prod: string | null; staging: string | null; dev: string | null };

const FIELDS = { prod: 'deployed_to_prod', staging: 'deployed_to_staging', dev: 'deployed_to_dev' };

async function times(id: number): Promise<Times> {
  const { redirect } = (await owner.call('GET', `/api/redirects/${id}`)).body;
  return { prod: redirect[FIELDS.prod], staging: redirect[FIELDS.staging], dev: redirect[FIELDS.dev] };
}

/** Times are whole seconds, so a later one shows once the next second has begun. */
async function nextSecond(): Promise<void> {
  const now = async () =>
    (await detour.db.$client.query('select floor(extract(epoch from now()))::int as at')).rows[0].at;
  const begin = await now();
  await until(async () => (await now()) > begin);
}

describe('the time', () => {
  test('is that of the deployment, in the environments where the redirect is live and in no other', async () => {
    const site = await createSite(owner, [], { auto_deploy: false });
    const id = await addRedirect(owner, site, {
      old_path: '/a',
      new_path: '/b',
      target_environments: 'production,staging',
    });
    expect(await times(id)).toEqual({ prod: null, staging: null, dev: null });
    const { deployed_at } = await deploy(owner, site);
    await deploy(owner, site, 'development');
    expect(await times(id)).toEqual({ prod: deployed_at, staging: null, dev: null });
    const { redirects } = (await owner.call('GET', `/api/redirects?website_id=${site}`)).body;
    expect(redirects[0]).toMatchObject({
      id,
      deployed_to_prod: deployed_at,
      deployed_to_staging: null,
      deployed_to_dev: null,
    });
  });

  test('stays while the rule stays as it is, and moves with the first version that changes it', async () => {
    const site = await createSite(owner, [], { auto_deploy: false });
    const a = await addRedirect(owner, site, {
      old_path: '/a',
      new_path: '/1',
      target_environments: 'production,staging',
    });
    const first = await deploy(owner, site);
    const staging = await deploy(owner, site, 'staging');
    await nextSecond();
    const b = await addRedirect(owner, site, { old_path: '/b', new_path: '/1' });
    await owner.call('PUT', `/api/redirects/${a}`, { notes: 'seen', group_id: 'g' });
    const second = await deploy(owner, site);
    expect(second.deployed_at).not.toBe(first.deployed_at);
    expect(await times(a)).toEqual({ prod: first.deployed_at, staging: staging.deployed_at, dev: null });
    expect(await times(b)).toEqual({ prod: second.deployed_at, staging: null, dev: null });
    await nextSecond();
    await owner.call('PUT', `/api/redirects/${a}`, { new_path: '/2' });
    expect((await times(a)).prod).toBe(first.deployed_at);
    const third = await deploy(owner, site);
    expect(await times(a)).toEqual({ prod: third.deployed_at, staging: staging.deployed_at, dev: null });
    expect((await times(b)).prod).toBe(second.deployed_at);
  });

  test('is null once the environment is taken away and that is deployed, and new when it comes back', async () => {
    const site = await createSite(owner, []);
    const id = await addRedirect(owner, site, {
      old_path: '/a',
      new_path: '/1',
      target_environments: 'production,staging',
    });
    await settled(owner, site);
    const before = await times(id);
    expect(before.prod).not.toBeNull();
    await owner.call('PUT', `/api/redirects/${id}`, { target_environments: 'staging' });
    await settled(owner, site);
    expect(await times(id)).toEqual({ ...before, prod: null });
    await nextSecond();
    await owner.call('PUT', `/api/redirects/${id}`, { target_environments: 'production,staging' });
    await settled(owner, site);
    const after = await times(id);
    expect(after.staging).toBe(before.staging);
    expect((after.prod ?? '') > (before.prod ?? '')).toBe(true);
  });

  test('counts versions that were promoted from an environment which the redirect left later', async () => {
    const site = await createSite(owner, [], { auto_deploy: false });
    const id = await addRedirect(owner, site, {
      old_path: '/a',
      new_path: '/1',
      target_environments: 'production,staging',
    });
    await deploy(owner, site, 'staging');
    const promoted = await promote(owner, site, 'staging', 'production');
    expect((await times(id)).prod).toBe(promoted.deployed_at);
    await nextSecond();
    await owner.call('PUT', `/api/redirects/${id}`, { target_environments: 'production' });
    await deploy(owner, site);
    expect((await times(id)).prod).toBe(promoted.deployed_at);
  });
});
