/**
 * Promotions: one environment's live rules become another's next version. Holds the rules of
 * src/deployments/publish/max-removals.ts and resolve-publication.ts.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';
import { addRedirect, createSite, deploy, deploymentsOf, ended, settled } from '../../support/site.ts';
import { until } from '../../support/wait.ts';
import { nextSecond, promote, rollBack, stored, visitAt } from '../publishing.ts';

let detour: TestDetour;
let owner: TestAccount;

beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
});

afterAll(() => detour.stop());

const location = async (host: string, path: string) => (await detour.visit(host, path)).location;

const held = async (site: number) => (await owner.call('GET', `/api/websites/${site}`)).body.website.held_environments;

/** Staging has /s, production has /p, both have /both; everything is live. */
async function newSite(name: string, options: Record<string, unknown> = {}): Promise<number> {
  const hosts = [
    { hostname: `p.${name}`, environment: 'production' },
    { hostname: `s.${name}`, environment: 'staging' },
  ];
  const site = await createSite(owner, hosts, { auto_deploy: false, ...options });
  await addRedirect(owner, site, { old_path: '/p', new_path: '/1' });
  await addRedirect(owner, site, { old_path: '/s', new_path: '/1', target_environments: 'staging' });
  await addRedirect(owner, site, {
    old_path: '/both',
    new_path: '/1',
    target_environments: 'production,staging',
  });
  await deploy(owner, site, 'production');
  await deploy(owner, site, 'staging');
  return site;
}

describe('a promotion', () => {
  test('serves what is live there, not what is edited there, and leaves the redirects as they are', async () => {
    const site = await newSite('first.example');
    await addRedirect(owner, site, { old_path: '/later', new_path: '/1', target_environments: 'staging' });
    const { status, body } = await owner.call('POST', '/api/deployments/promote', {
      website_id: site,
      from: 'staging',
      to: 'production',
    });
    expect([status, body.deployment.kind, body.deployment.environment]).toEqual([202, 'promote', 'production']);
    expect(await ended(owner, body.deployment.id)).toMatchObject({
      status: 'completed',
      version: 2,
      redirect_count: 2,
      changes: { added: 1, changed: 0, removed: 1 },
      source: { environment: 'staging', version: 1 },
    });
    const served = ['/p', '/s', '/both', '/later'].map((path) => location('p.first.example', path));
    expect(await Promise.all(served)).toEqual([undefined, '/1', '/1', undefined]);
    const { redirects } = (await owner.call('GET', `/api/redirects?website_id=${site}&environment=production`)).body;
    expect(redirects.map(({ old_path }: { old_path: string }) => old_path).toSorted()).toEqual(['/both', '/p']);
  });

  test('a rollback and a deployment that remove more than max_removals are 409, and queue nothing', async () => {
    const site = await newSite('removals.example');
    const before = (await deploymentsOf(owner, site)).length;
    const post = (path: string, body: object) =>
      owner.call('POST', `/api/deployments${path}`, { website_id: site, ...body });
    const promotion = { from: 'staging', to: 'production' };
    const refused = await post('/promote', { ...promotion, max_removals: 0 });
    expect([refused.status, refused.body.code, refused.body.details]).toEqual([
      409,
      'TOO_MANY_REMOVALS',
      expect.stringContaining('1 of 2 live rules of production would be removed'),
    ]);
    expect((await post('/promote', { ...promotion, max_removals: '49.9%' })).status).toBe(409);
    const { redirects } = (await owner.call('GET', `/api/redirects?website_id=${site}`)).body;
    const redirectIds = redirects.map(({ id }: { id: number }) => id);
    await owner.call('DELETE', '/api/redirects/bulk-delete', { redirectIds });
    const environment = 'production';
    expect((await post('', { environment, max_removals: 1 })).body.code).toBe('TOO_MANY_REMOVALS');
    expect(await deploymentsOf(owner, site)).toHaveLength(before);
    expect(await held(site)).toEqual([]);
    const allowed = await post('', { environment, max_removals: '100%' });
    expect(allowed.status).toBe(202);
    expect(await ended(owner, allowed.body.deployment.id)).toMatchObject({ changes: { removed: 2 } });
    await addRedirect(owner, site, { old_path: '/new', new_path: '/1' });
    await deploy(owner, site, environment);
    expect((await post('/rollback', { environment, version: 2, max_removals: 0 })).body.code).toBe('TOO_MANY_REMOVALS');
    expect((await post('/rollback', { environment, version: 1, max_removals: 1 })).status).toBe(202);
    for (const max_removals of [-1, 1.5, '5', '101%', true]) {
      expect([400, 422]).toContain((await post('', { environment, max_removals })).status);
    }
    const [last] = await deploymentsOf(owner, site);
    expect(last).toMatchObject({ requested_by: { type: 'user', id: expect.any(String), name: owner.email } });
  });

  test('holds the environment it went to, and no other, until the next explicit deployment', async () => {
    const site = await newSite('hold.example', { auto_deploy: true });
    await settled(owner, site);
    await promote(owner, site, 'staging', 'production');
    expect(await held(site)).toEqual(['production']);
    await addRedirect(owner, site, {
      old_path: '/x',
      new_path: '/1',
      target_environments: 'production,staging',
    });
    await settled(owner, site);
    expect([await location('p.hold.example', '/x'), await location('s.hold.example', '/x')]).toEqual([undefined, '/1']);
    await deploy(owner, site);
    expect(await held(site)).toEqual([]);
    const served = ['/p', '/s', '/x'].map((path) => location('p.hold.example', path));
    expect(await Promise.all(served)).toEqual(['/1', undefined, '/1']);
  });

  test('by key, to another process, and after a restart', async () => {
    const site = await newSite('key.example');
    const other = await detour.another();
    const asked = { website_id: String(site), from: 'staging', to: 'production' };
    const { status, body } = await owner.keyCall('POST', '/api/v1/deployments/promote', asked);
    expect([status, body.deployment.website_id, body.deployment.source]).toEqual([
      202,
      String(site),
      { environment: 'staging', version: 1 },
    ]);
    await ended(owner, body.deployment.id);
    await until(async () => (await visitAt(other.address, 'p.key.example', '/s')) === '/1');
    const fresh = await detour.another();
    expect(await visitAt(fresh.address, 'p.key.example', '/s')).toBe('/1');
    expect(await visitAt(fresh.address, 'p.key.example', '/p')).toBeUndefined();
  });

  test('can be rolled back, and gone back to', async () => {
    const site = await newSite('undo.example');
    await promote(owner, site, 'staging', 'production');
    await rollBack(owner, site, 1);
    expect(await location('p.undo.example', '/p')).toBe('/1');
    const again = await rollBack(owner, site, 2);
    expect([again.version, again.changes]).toEqual([4, { added: 1, changed: 0, removed: 1 }]);
    expect(await location('p.undo.example', '/s')).toBe('/1');
    // A promoted version can be promoted again.
    expect((await promote(owner, site, 'production', 'development')).redirect_count).toBe(2);
  });

  test('leaves out what leads to a host that is no longer allowed', async () => {
    const site = await newSite('allow.example', { allowed_target_hosts: ['old.example'] });
    await addRedirect(owner, site, {
      old_path: '/away',
      new_path: 'https://old.example/x',
      target_environments: 'staging',
    });
    await deploy(owner, site, 'staging');
    await owner.call('PUT', `/api/websites/${site}`, { allowed_target_hosts: [] });
    const done = await promote(owner, site, 'staging', 'production');
    expect(done.warnings).toEqual([{ code: 'TARGET_HOST_NOT_ALLOWED', old_paths: ['/away'] }]);
    expect(done.redirect_count).toBe(2);
    expect(await location('p.allow.example', '/away')).toBeUndefined();
    expect(await location('s.allow.example', '/away')).toBe('https://old.example/x');
  });

  test('keeps the times of what stands unchanged, also when the own rules come back', async () => {
    const site = await createSite(owner, [], { auto_deploy: false });
    const both = await addRedirect(owner, site, {
      old_path: '/both',
      new_path: '/1',
      target_environments: 'production,staging',
    });
    const own = await addRedirect(owner, site, { old_path: '/own', new_path: '/1' });
    const foreign = await addRedirect(owner, site, {
      old_path: '/foreign',
      new_path: '/1',
      target_environments: 'staging',
    });
    const first = await deploy(owner, site);
    await deploy(owner, site, 'staging');
    await nextSecond(detour);
    const second = await promote(owner, site, 'staging', 'production');
    expect(await stored(owner, both)).toBe(first.deployed_at);
    expect(await stored(owner, own)).toBeNull();
    expect(await stored(owner, foreign)).toBe(second.deployed_at);
    await nextSecond(detour);
    const third = await deploy(owner, site);
    expect(await stored(owner, both)).toBe(first.deployed_at);
    expect(await stored(owner, own)).toBe(third.deployed_at);
    expect(await stored(owner, foreign)).toBeNull();
  });
});

describe('errors', () => {
  test.each([
    [{ to: 'production' }, 400, 'MISSING_PARAMETER'],
    [{ from: 'staging' }, 400, 'MISSING_PARAMETER'],
    [{ from: 1, to: 'production' }, 400, 'INVALID_PARAMETER'],
    [{ from: 'live', to: 'production' }, 422, 'VALIDATION_ERROR'],
    [{ from: 'staging', to: 'live' }, 422, 'VALIDATION_ERROR'],
    [{ from: 'staging', to: 'staging' }, 422, 'VALIDATION_ERROR'],
    [{ from: 'development', to: 'production' }, 422, 'VALIDATION_ERROR'],
    [{ from: 'staging', to: 'production', version: 1 }, 400, 'UNKNOWN_FIELD'],
  ])('%j is %i %s on both surfaces, and nothing is queued or held', async (fields, status, code) => {
    const site = await createSite(owner, [], { auto_deploy: false });
    await deploy(owner, site, 'staging');
    const c = await owner.call('POST', '/api/deployments/promote', { website_id: site, ...fields });
    const a = await owner.keyCall('POST', '/api/v1/deployments/promote', {
      website_id: String(site),
      ...fields,
    });
    expect([c.status, c.body.code, a.status, a.body.code]).toEqual([status, code, status, code]);
    expect(await deploymentsOf(owner, site)).toHaveLength(1);
    expect(await held(site)).toEqual([]);
  });

  test('an environment with nothing live says that it must be deployed first', async () => {
    const site = await createSite(owner, [], { auto_deploy: false });
    const { body } = await owner.call('POST', '/api/deployments/promote', {
      website_id: site,
      from: 'staging',
      to: 'production',
    });
    expect(body.details).toContain('from: nothing is deployed in staging yet; deploy it first');
  });
});
