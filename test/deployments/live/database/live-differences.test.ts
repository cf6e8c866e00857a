/** `include=live`: the rule that visitors get if it differs from the redirect. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../../../support/detour.ts';
import { addRedirect, createSite, deploy } from '../../../support/site.ts';
import { promote, rollBack } from '../../publishing.ts';

let detour: TestDetour;
let owner: TestAccount;

beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
});
afterAll(() => detour.stop());

const rule = (old_path: string, new_path: string, status_code = 301) => ({
  old_path,
  new_path,
  status_code,
  is_regex: false,
  active_from: null,
  active_until: null,
});

/** `live` of each redirect by path, from the list; a page and the whole list have the same. */
async function liveOf(site: number): Promise<Record<string, unknown>> {
  const all = (await owner.call('GET', `/api/redirects?website_id=${site}&include=live`)).body.redirects;
  const page = (await owner.call('GET', `/api/redirects?website_id=${site}&include=live&limit=100`)).body.redirects;
  expect(page).toEqual(all);
  return Object.fromEntries(all.map((each: { old_path: string; live: unknown }) => [each.old_path, each.live]));
}

test('names the live rule beside an undeployed edit, and environments in which it is not live yet', async () => {
  const site = await createSite(owner, [], { auto_deploy: false });
  const both = { target_environments: 'production,staging' };
  const edited = await addRedirect(owner, site, { old_path: '/edited', new_path: '/1', ...both });
  const moved = await addRedirect(owner, site, { old_path: '/moved', new_path: '/1' });
  const back = await addRedirect(owner, site, { old_path: '/back', new_path: '/1' });
  const taken = await addRedirect(owner, site, { old_path: '/taken', new_path: '/1' });
  await addRedirect(owner, site, { old_path: '/draft', new_path: '/1', target_environments: '' });
  const none = { production: null };
  expect(await liveOf(site)).toEqual({
    '/edited': { production: null, staging: null },
    '/moved': none,
    '/back': none,
    '/taken': none,
    '/draft': {},
  });
  await deploy(owner, site);
  await owner.call('PUT', `/api/redirects/${edited}`, { new_path: '/2' });
  await owner.call('PUT', `/api/redirects/${edited}`, { status_code: 302 });
  await owner.call('PUT', `/api/redirects/${moved}`, { old_path: '/elsewhere', notes: 'moved' });
  for (const new_path of ['/2', '/1']) await owner.call('PUT', `/api/redirects/${back}`, { new_path });
  await owner.call('PUT', `/api/redirects/${taken}`, { target_environments: 'development' });
  const waiting = {
    '/edited': { production: rule('/edited', '/1'), staging: null },
    '/elsewhere': { production: rule('/moved', '/1') },
    '/back': {},
    '/taken': { production: rule('/taken', '/1'), development: null },
    '/draft': {},
  };
  expect(await liveOf(site)).toEqual(waiting);
  const one = (await owner.keyCall('GET', `/api/v1/redirects/${edited}?include=live`)).body.redirect;
  expect(one.live).toEqual(waiting['/edited']);
  expect((await owner.call('GET', `/api/redirects/${edited}`)).body.redirect).not.toHaveProperty('live');
  await deploy(owner, site);
  await deploy(owner, site, 'staging');
  expect(await liveOf(site)).toEqual({
    '/edited': {},
    '/elsewhere': {},
    '/back': {},
    '/taken': { development: null },
    '/draft': {},
  });
});

test('names what a promotion or a rollback made live', async () => {
  const site = await createSite(owner, [], { auto_deploy: false });
  const staging = { target_environments: 'staging' };
  const id = await addRedirect(owner, site, { old_path: '/a', new_path: '/1' });
  await addRedirect(owner, site, { old_path: '/s', new_path: '/1', ...staging });
  await deploy(owner, site);
  await deploy(owner, site, 'staging');
  await promote(owner, site, 'staging', 'production');
  expect(await liveOf(site)).toEqual({ '/a': { production: null }, '/s': { production: rule('/s', '/1') } });
  await owner.call('PUT', `/api/redirects/${id}`, { new_path: '/2' });
  await deploy(owner, site);
  expect(await liveOf(site)).toEqual({ '/a': {}, '/s': {} });
  await rollBack(owner, site, 1);
  expect(await liveOf(site)).toEqual({ '/a': { production: rule('/a', '/1') }, '/s': {} });
});
