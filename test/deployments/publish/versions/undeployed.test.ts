/** The state of each environment: its live version, and how many changes wait. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../../../support/detour.ts';
import { addRedirect, createSite, deploy, settled } from '../../../support/site.ts';
import { promote, rollBack } from '../../publishing.ts';
import { expectStatus } from '../../../support/expect-status.ts';

let detour: TestDetour;
let owner: TestAccount;
beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
});
afterAll(() => detour.stop());

async function statesOf(site: number) {
  const { status, text, body } = await owner.call('GET', `/api/websites/${site}/environments`);
  expectStatus({ status, text }, 200);
  return Object.fromEntries(
    body.environments.map(({ environment, ...state }: { environment: string }) => [environment, state]),
  );
}

const EMPTY = {
  live_version: 0,
  redirect_count: 0,
  waiting_changes: 0,
  live_only: 0,
  differences: 0,
  held: false,
  deploying: false,
  failed_deployment: null,
};

test('waiting changes are those of the diff, after edits, deployments, rollbacks and promotions', async () => {
  const site = await createSite(owner, [], { auto_deploy: false });
  expect(await statesOf(site)).toEqual({ production: EMPTY, staging: EMPTY, development: EMPTY });
  const waitingIsDiff = async () => {
    const states = await statesOf(site);
    for (const environment of ['production', 'staging', 'development']) {
      const query = `website_id=${site}&environment=${environment}`;
      const { added, changed, removed } = (await owner.call('GET', `/api/deployments/diff?${query}`)).body.counts;
      expect([environment, states[environment].waiting_changes]).toEqual([environment, added + changed + removed]);
    }
    return [states['production'].waiting_changes, states['staging'].waiting_changes];
  };
  const a = await addRedirect(owner, site, { old_path: '/a', new_path: '/1' });
  await addRedirect(owner, site, { old_path: '/s', new_path: '/1', target_environments: 'staging' });
  expect(await waitingIsDiff()).toEqual([1, 1]);
  await deploy(owner, site);
  await deploy(owner, site, 'staging');
  expect(await waitingIsDiff()).toEqual([0, 0]);
  await owner.call('PUT', `/api/redirects/${a}`, { new_path: '/2' });
  await owner.call('PUT', `/api/redirects/${a}`, { notes: 'a note is not deployed' });
  expect(await waitingIsDiff()).toEqual([1, 0]);
  await owner.call('PUT', `/api/redirects/${a}`, { new_path: '/1' });
  expect(await waitingIsDiff()).toEqual([0, 0]);
  await promote(owner, site, 'staging', 'production');
  expect(await waitingIsDiff()).toEqual([2, 0]);
  expect((await statesOf(site))['production']).toEqual({
    ...EMPTY,
    live_version: 2,
    redirect_count: 1,
    waiting_changes: 2,
    live_only: 1,
    differences: 1,
    held: true,
  });
  await rollBack(owner, site, 1);
  expect(await waitingIsDiff()).toEqual([0, 0]);
});

test('a failed deployment is named until a later one succeeds, and its changes wait', async () => {
  const site = await createSite(owner, [], { on_loop: 'fail' });
  const fields = { new_path: '/b', target_environments: 'staging' };
  const a = await addRedirect(owner, site, { old_path: '/a', ...fields });
  await addRedirect(owner, site, { old_path: '/c', new_path: '/d', target_environments: 'production' });
  await settled(owner, site);
  expect(await statesOf(site)).toMatchObject({
    production: { live_version: 1, waiting_changes: 0 },
    staging: { live_version: 1, waiting_changes: 0, failed_deployment: null },
  });
  const redirects = [{ old_path: '/b', new_path: '/a', target_environments: ['staging'] }];
  const body = { website_id: String(site), redirects };
  expectStatus(await owner.keyCall('POST', '/api/v1/redirects/bulk', body), 200);
  const [failed] = await settled(owner, site);
  expect((await statesOf(site))['staging']).toEqual({
    ...EMPTY,
    live_version: 1,
    redirect_count: 1,
    waiting_changes: 1,
    differences: 1,
    failed_deployment: { id: failed?.id, error: failed?.error },
  });
  await owner.call('PUT', `/api/redirects/${a}`, { new_path: '/end' });
  await settled(owner, site);
  expect((await statesOf(site))['staging']).toMatchObject({ waiting_changes: 0, failed_deployment: null });
});

test('viewers and keys read it, other accounts do not', async () => {
  const site = await createSite(owner, []);
  const stranger = await detour.account();
  expect((await stranger.call('GET', `/api/websites/${site}/environments`)).status).toBe(404);
  const { body } = await owner.keyCall('GET', `/api/v1/websites/${site}/environments`);
  expect(body.environments.map(({ environment }: { environment: string }) => environment)).toEqual([
    'production',
    'staging',
    'development',
  ]);
});
