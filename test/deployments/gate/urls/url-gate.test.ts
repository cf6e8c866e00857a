/** The gate of URLs against a running service. Holds the rules of src/deployments/gate/urls/compare-urls.ts. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../../../support/detour.ts';
import { addRedirect, createSite, deploy, type DeploymentAnswer, ended, settled } from '../../../support/site.ts';
import { type StoredUrl, storeUrls } from '../../../support/urls.ts';
import { promote, rollBack } from '../../publishing.ts';

let detour: TestDetour;
let owner: TestAccount;

beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
});
afterAll(() => detour.stop());

let hosts = 0;
const newHost = (): string => `url-gate-${++hosts}.example`;

const living = (url: string): StoredUrl => ({ url, state: 'living' });
const removed = (url: string, links = 0): StoredUrl => ({ url, state: 'removed', links });
const failuresOf = async (id: string) =>
  (await owner.keyCall('GET', `/api/v1/deployments/${id}/failures`)).body.failures;

async function gatedSite(options: object = {}): Promise<number> {
  return createSite(owner, [newHost(), { hostname: newHost(), environment: 'staging' }], {
    url_gate: ['production'],
    auto_deploy: false,
    ...options,
  });
}

async function forced(site: number): Promise<DeploymentAnswer> {
  const body = { website_id: site, environment: 'production', force: true };
  return ended(owner, (await owner.call('POST', '/api/deployments', body)).body.deployment.id);
}

test('a version that loses a URL is not published; force publishes it; a rollback or promotion is checked too', async () => {
  const site = await gatedSite();
  await storeUrls(detour.db, site, [living('/new'), removed('/a', 3), removed('/b'), removed('/lost-before')]);
  const both = { target_environments: 'production,staging' };
  const a = await addRedirect(owner, site, { old_path: '/a', new_path: '/new', ...both });
  const b = await addRedirect(owner, site, { old_path: '/b', new_path: '/new' });
  // Nothing is live: no version causes that /lost-before is lost.
  expect(await deploy(owner, site)).toMatchObject({ status: 'completed', version: 1 });
  expect(await deploy(owner, site, 'staging')).toMatchObject({ status: 'completed' });

  await owner.call('DELETE', `/api/redirects/${b}`);
  await owner.call('PUT', `/api/redirects/${a}`, { new_path: '/lost-before' });
  const failed = await deploy(owner, site);
  expect(failed).toMatchObject({ status: 'failed', error: 'URLS_LOST: 2 URLs would be lost: /a; /b' });
  expect(await failuresOf(failed.id)).toEqual([
    { kind: 'url_lost', url: '/a', weight: 30, reason: 'dead_end' },
    { kind: 'url_lost', url: '/b', weight: 0, reason: 'unanswered' },
  ]);
  expect(await promote(owner, site, 'staging', 'production')).toMatchObject({
    status: 'failed',
    error: 'URLS_LOST: 1 URL would be lost: /b',
  });
  expect(await forced(site)).toMatchObject({ status: 'completed', forced: true });
  // Both are lost now, so no version causes it.
  expect(await deploy(owner, site)).toMatchObject({ status: 'completed' });
  expect(await rollBack(owner, site, 1)).toMatchObject({ status: 'completed' });
  expect(await rollBack(owner, site, 2)).toMatchObject({ status: 'failed' });
});

test('a URL that leaves the list fails nothing, and an accepted loss neither', async () => {
  const site = await gatedSite();
  await storeUrls(detour.db, site, [living('/new'), removed('/a')]);
  const id = await addRedirect(owner, site, { old_path: '/a', new_path: '/new' });
  await deploy(owner, site);
  await storeUrls(detour.db, site, [removed('/new')]);
  await addRedirect(owner, site, { old_path: '/c', new_path: '/d' });
  expect(await deploy(owner, site)).toMatchObject({ status: 'completed' });
  await storeUrls(detour.db, site, [living('/new')]);
  const accept = (until: string | null) =>
    owner.keyCall('PUT', `/api/v1/websites/${site}/urls/accepted`, {
      accepted: [{ glob: '/a*', reason: 'old', until }],
    });
  expect((await accept('2020-01-01T00:00:00Z')).status).toBe(200);
  await owner.call('DELETE', `/api/redirects/${id}`);
  expect(await deploy(owner, site)).toMatchObject({ status: 'failed' });
  await accept(null);
  expect(await deploy(owner, site)).toMatchObject({ status: 'completed' });
});

test('a living page that a pattern newly hides fails; a literal rule for exactly its URL is a warning', async () => {
  const site = await gatedSite();
  await storeUrls(detour.db, site, [living('/docs/a'), living('/docs/b/'), living('/old')]);
  await addRedirect(owner, site, { old_path: '/old', new_path: '/docs/a' });
  expect(await deploy(owner, site)).toMatchObject({
    status: 'completed',
    warnings: [{ code: 'URL_SHADOWED', old_paths: ['/old'] }],
  });
  // It is hidden already.
  await addRedirect(owner, site, { old_path: '/docs/b', new_path: '/elsewhere' });
  const pattern = { old_path: '/docs/(a)', new_path: '/x-$1', is_regex: true };
  await addRedirect(owner, site, pattern);
  const failed = await deploy(owner, site);
  const error = 'URLS_LOST: 2 living pages would be hidden by rules: /docs/a; /docs/b/';
  expect(failed).toMatchObject({ status: 'failed', error, warnings: [] });
  expect(await failuresOf(failed.id)).toEqual([
    { kind: 'url_shadowed', url: '/docs/a', weight: 0, old_path: '/docs/(a)', shadowed_by: 'pattern' },
    { kind: 'url_shadowed', url: '/docs/b/', weight: 0, old_path: '/docs/b', shadowed_by: 'slash' },
  ]);
});

test('both mechanisms run, and a dry run of a sync has the failures of both', async () => {
  const site = await gatedSite({ gated_environments: ['production'] });
  await storeUrls(detour.db, site, [living('/new'), removed('/a')]);
  const id = await addRedirect(owner, site, { old_path: '/a', new_path: '/new' });
  expect(await deploy(owner, site)).toMatchObject({ status: 'completed' });
  await owner.call('PUT', `/api/websites/${site}/expectations`, { expectations: [{ url: '/a', status_code: 301 }] });
  const plan = await owner.keyCall('PUT', `/api/v1/websites/${site}/redirects?dry_run=true&max_delete=100%25`, {
    redirects: [{ old_path: '/other', new_path: '/new' }],
  });
  const failures = [
    { kind: 'expectation', url: '/a', expected: { status_code: 301 } },
    { kind: 'url_lost', url: '/a', reason: 'unanswered' },
  ];
  expect(plan.body.gate).toMatchObject([{ environment: 'production', passed: 1, failed: 2, failures }]);
  await owner.call('DELETE', `/api/redirects/${id}`);
  const failed = await deploy(owner, site);
  expect(failed.error).toBe(
    'EXPECTATIONS_FAILED: 1 of 1 expectations failed: /a: expected 301, got 404; URLS_LOST: 1 URL would be lost: /a',
  );
  expect(await failuresOf(failed.id)).toMatchObject(failures);
  await settled(owner, site);
});
