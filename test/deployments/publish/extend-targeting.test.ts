/**
 * Promotions that add their environment to the redirects that they publish, and deployments of held environments. Holds
 * the rules of src/deployments/publish/publish-version.ts.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';
import { addRedirect, createSite, deploy, ended, settled } from '../../support/site.ts';
import { colleague, eventsOf } from '../../surfaces/session-api/site.ts';
import { hold, release, rollBack } from '../publishing.ts';

let detour: TestDetour;
let owner: TestAccount;
beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
});
afterAll(() => detour.stop());

/** Staging has /s and /both, production has /both; everything is live. Production deploys automatically. */
async function newSite(name: string, options: Record<string, unknown> = {}): Promise<number> {
  const hosts = [
    { hostname: `p.${name}`, environment: 'production' },
    { hostname: `s.${name}`, environment: 'staging' },
  ];
  const site = await createSite(owner, hosts, options);
  await addRedirect(owner, site, { old_path: '/s', new_path: '/1', target_environments: 'staging' });
  await addRedirect(owner, site, { old_path: '/both', new_path: '/1', target_environments: 'production,staging' });
  await settled(owner, site);
  return site;
}

const get = async (path: string) => (await owner.call('GET', `/api${path}`)).body;
const website = async (site: number) => (await get(`/websites/${site}`)).website;
const state = async (site: number) => (await get(`/websites/${site}/environments`)).environments[0];
const preview = async (site: number) => {
  const { counts, live_only } = await get(`/deployments/diff?website_id=${site}&environment=production`);
  return { ...counts, live_only };
};

async function promote(site: number, more: object = {}) {
  const body = { website_id: site, from: 'staging', to: 'production', ...more };
  const { deployment } = (await owner.call('POST', '/api/deployments/promote', body)).body;
  return ended(owner, deployment.id);
}

const targetsOf = async (site: number) => {
  const { redirects } = await get(`/redirects?website_id=${site}`);
  return Object.fromEntries(
    redirects.map((each: { old_path: string; target_environments: string }) => [
      each.old_path,
      each.target_environments,
    ]),
  );
};

describe('with targeting "extend"', () => {
  test('the redirects get the environment, the hold ends, and the next deployment keeps them', async () => {
    const site = await newSite('extend.example');
    const done = await promote(site, { targeting: 'extend', note: 'go' });
    expect(done).toMatchObject({ status: 'completed', targeting: 'extend', change_id: expect.stringMatching(/^chg_/) });
    expect(await targetsOf(site)).toMatchObject({ '/s': expect.stringContaining('production') });
    expect((await website(site)).held_environments).toEqual([]);
    expect(await state(site)).toMatchObject({ waiting_changes: 0, live_only: 0, differences: 0, held: false });
    const { change } = await get(`/changes/${done.change_id}`);
    expect(change).toMatchObject({ kind: 'promote', counts: { updated: 1 }, fields: ['target_environments'] });
    const updated = (await eventsOf(detour, owner)).filter(({ event }) => event === 'redirect.updated');
    expect(updated[0]).toMatchObject({
      data: { redirect: { old_path: '/s' }, previous: { target_environments: ['staging'] } },
    });
    await addRedirect(owner, site, { old_path: '/next', new_path: '/1' });
    await settled(owner, site);
    const served = ['/s', '/both', '/next'].map(async (path) => (await detour.visit('p.extend.example', path)).status);
    expect(await Promise.all(served)).toEqual([301, 301, 301]);

    const dry = await owner.call('POST', `/api/changes/${done.change_id}/undo`, { dry_run: true });
    expect([dry.body.environments, dry.body.deployments]).toEqual([['production'], []]);
    const undone = await owner.call('POST', `/api/changes/${done.change_id}/undo`, {});
    expect([undone.body.environments, undone.body.deployments]).toEqual([['production'], [expect.any(String)]]);
    await settled(owner, site);
    expect((await detour.visit('p.extend.example', '/s')).status).toBe(404);
  });

  test('the hold stays if the redirects differ from the version, and the state says how', async () => {
    const site = await newSite('differs.example', { auto_deploy: false });
    await deploy(owner, site, 'staging');
    const { redirects } = await get(`/redirects?website_id=${site}`);
    const [gone] = redirects.filter(({ old_path }: { old_path: string }) => old_path === '/s');
    await owner.call('PUT', `/api/redirects/${gone.id}`, { new_path: '/edited' });
    await addRedirect(owner, site, { old_path: '/only-draft', new_path: '/1' });
    expect((await promote(site, { targeting: 'extend' })).status).toBe('completed');
    expect((await website(site)).held_environments).toEqual(['production']);
    expect(await targetsOf(site)).toMatchObject({ '/s': expect.stringContaining('production') });
    expect(await state(site)).toMatchObject({ waiting_changes: 2, live_only: 0, differences: 2 });
  });

  test('a failed gate adds no environment and holds nothing', async () => {
    const site = await newSite('gate.example', { auto_deploy: false });
    await deploy(owner, site, 'staging');
    await owner.call('PUT', `/api/websites/${site}`, { gated_environments: ['production'] });
    const expectations = [{ url: '/s', environment: 'production', status_code: 410 }];
    await owner.keyCall('PUT', `/api/v1/websites/${site}/expectations`, { expectations });
    const before = await website(site);
    expect(await promote(site, { targeting: 'extend' })).toMatchObject({ status: 'failed', change_id: null });
    expect(await targetsOf(site)).toMatchObject({ '/s': 'staging' });
    expect(await website(site)).toMatchObject({ held_environments: [], revision: before.revision });
  });

  test('more than 10,000 redirects are one event, and the user who asked may be gone', async () => {
    const site = await newSite('many.example', { auto_deploy: false });
    const count = 10_001;
    const redirects = Array.from({ length: count }, (_, n) => ({
      ...{ old_path: `/n/${n}`, new_path: '/1', target_environments: ['staging'] },
    }));
    await owner.keyCall('POST', '/api/v1/redirects/bulk', { website_id: String(site), redirects });
    await deploy(owner, site, 'staging');
    const lock = await hold(detour, site, 'production');
    const editor = await colleague(detour, owner, 'editor');
    const body = { website_id: site, from: 'staging', to: 'production', targeting: 'extend' };
    const asked = (await editor.call('POST', '/api/deployments/promote', body)).body.deployment;
    const { users } = await get('/users');
    const { id } = users.find(({ email }: { email: string }) => email === editor.email);
    expect((await owner.call('DELETE', `/api/users/${id}`)).status).toBe(200);
    await release(lock);
    const done = await ended(owner, asked.id);
    expect(done).toMatchObject({ status: 'completed', redirect_count: count + 2 });
    const { change } = await get(`/changes/${done.change_id}`);
    expect(change).toMatchObject({ counts: { updated: count + 1 }, actor: { name: editor.email } });
    expect((await website(site)).held_environments).toEqual([]);
    const updated = (await eventsOf(detour, owner, site)).filter(({ event }) => event === 'redirect.updated');
    expect(updated).toMatchObject([
      { data: { redirect: null, bulk: { count: count + 1, updates: { add_environments: ['production'] } } } },
    ]);
    const listed = await owner.call('GET', `/api/redirects?website_id=${site}&environment=production&limit=1`);
    expect(listed.body.redirects[0].target_environments).toContain('production');
  });

  test('without a redirect that lacks the environment there is no change', async () => {
    const site = await newSite('nothing.example');
    await promote(site, { targeting: 'extend' });
    const { revision } = await website(site);
    expect(await promote(site, { targeting: 'extend' })).toMatchObject({ status: 'completed', change_id: null });
    expect(await website(site)).toMatchObject({ held_environments: [], revision });
  });
});

test('without targeting the redirects stay, and previews tell what is live only by the promotion', async () => {
  const site = await newSite('keep.example');
  expect(await promote(site)).toMatchObject({ targeting: 'keep', change_id: null });
  expect(await targetsOf(site)).toMatchObject({ '/s': 'staging' });
  expect((await website(site)).held_environments).toEqual(['production']);
  const { redirects } = await get(`/redirects?website_id=${site}`);
  const [both] = redirects.filter(({ old_path }: { old_path: string }) => old_path === '/both');
  await owner.call('DELETE', `/api/redirects/${both.id}`);
  await addRedirect(owner, site, { old_path: '/new', new_path: '/1' });
  expect(await state(site)).toMatchObject({ waiting_changes: 3, live_only: 1, differences: 2, held: true });
  expect(await preview(site)).toEqual({ added: 1, changed: 0, removed: 2, live_only: 1 });
});

describe('a deployment of a held environment', () => {
  test('is 409 ENVIRONMENT_HELD with resume: false, and resumes otherwise', async () => {
    const site = await newSite('held.example');
    await rollBack(owner, site, 1);
    const body = { website_id: site, environment: 'production' };
    const refused = await owner.call('POST', '/api/deployments', { ...body, resume: false });
    expect([refused.status, refused.body.code]).toEqual([409, 'ENVIRONMENT_HELD']);
    expect(refused.body.details).toContain('send resume=true');
    expect((await website(site)).held_environments).toEqual(['production']);
    const key = { website_id: String(site), environment: 'production' };
    expect((await owner.keyCall('POST', '/api/v1/deployments', { ...key, resume: false })).status).toBe(409);
    const other = { ...body, environment: 'staging' };
    expect((await owner.call('POST', '/api/deployments', { ...other, resume: false })).status).toBe(202);
    expect((await owner.call('POST', '/api/deployments', body)).status).toBe(202);
    expect((await website(site)).held_environments).toEqual([]);
    expect((await owner.call('POST', '/api/deployments', { ...body, resume: false })).status).toBe(202);
  });
});
