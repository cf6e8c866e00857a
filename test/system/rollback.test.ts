/** Going back to an earlier version: what is served then, what is held, and what the versions and times say. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { send, startTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { addRedirect, createSite, deploy, deploymentsOf, ended, settled } from '../support/site.ts';
import { hold, nextSecond, release, rollBack, stored, visitAt } from '../deployments/publishing.ts';
import { until } from '../support/wait.ts';

let detour: TestDetour;
let owner: TestAccount;
let stranger: TestAccount;

beforeAll(async () => {
  detour = await startTestDetour();
  owner = await detour.account();
  stranger = await detour.account();
});

afterAll(() => detour.stop());

const locations = async (host: string, ...paths: string[]) =>
  Promise.all(paths.map(async (path) => (await detour.visit(host, path)).location));

/** Waits, because another process of this file may have published the version. */
const expectLocations = ([host, ...paths]: [host: string, ...paths: string[]]) =>
  expect.poll(() => locations(host, ...paths), { timeout: 20_000 });

const held = async (site: number) => (await owner.call('GET', `/api/websites/${site}`)).body.website.held_environments;

/** Versions 1 and 2 of production: /a and /gone -> /1, then /a -> /2 and /new, but no /gone. */
async function twoVersions(
  host: string,
  options: Record<string, unknown> = { auto_deploy: false },
): Promise<{ site: number; a: number }> {
  const site = await createSite(owner, [host], { auto_deploy: false });
  const a = await addRedirect(owner, site, { old_path: '/a', new_path: '/1' });
  const gone = await addRedirect(owner, site, { old_path: '/gone', new_path: '/1' });
  await deploy(owner, site);
  await owner.call('PUT', `/api/redirects/${a}`, { new_path: '/2' });
  await owner.call('DELETE', `/api/redirects/${gone}`);
  await addRedirect(owner, site, { old_path: '/new', new_path: '/2' });
  await deploy(owner, site);
  await owner.call('PUT', `/api/websites/${site}`, options);
  return { site, a };
}

describe('a rollback', () => {
  test('serves the rules of the version as a new one, and leaves the redirects as they are', async () => {
    const { site, a } = await twoVersions('back.example');
    const { status, body } = await owner.call('POST', '/api/deployments/rollback', {
      website_id: site,
      environment: 'production',
      version: 1,
    });
    expect([status, body.deployment.kind]).toEqual([202, 'rollback']);
    expect(await ended(owner, body.deployment.id)).toMatchObject({
      status: 'completed',
      version: 3,
      redirect_count: 2,
      changes: { added: 1, changed: 1, removed: 1 },
      source: { environment: 'production', version: 1 },
      warnings: [],
    });
    await expectLocations(['back.example', '/a', '/gone', '/new']).toEqual(['/1', '/1', undefined]);
    expect((await owner.call('GET', `/api/redirects/${a}`)).body.redirect.new_path).toBe('/2');
    expect((await owner.call('GET', `/api/redirects?website_id=${site}`)).body.redirects).toHaveLength(2);
    await rollBack(owner, site, 2);
    await expectLocations(['back.example', '/a', '/gone', '/new']).toEqual(['/2', undefined, '/2']);
  });

  test('by key: ids as strings, and a read key may not', async () => {
    const { site } = await twoVersions('key.example');
    const asked = { website_id: String(site), environment: 'production', version: 1 };
    const { status, body } = await owner.keyCall('POST', '/api/v1/deployments/rollback', asked);
    expect([status, body.deployment.website_id, body.deployment.kind]).toEqual([202, String(site), 'rollback']);
    expect(body.deployment.source).toEqual({ environment: 'production', version: 1 });
    expect((await ended(owner, body.deployment.id)).version).toBe(3);
    const { body: made } = await owner.call('POST', '/api/keys', { name: 'reader', scope: 'read' });
    const reader = { authorization: `Bearer ${made.api_key.key}` };
    const refused = await send<{ code: string }>(detour.address, 'POST', '/api/v1/deployments/rollback', asked, reader);
    expect([refused.status, refused.body.code]).toEqual([403, 'INSUFFICIENT_SCOPE']);
  });

  test('has the two events of a deployment, with its version', async () => {
    const { site } = await twoVersions('events.example');
    const done = await rollBack(owner, site, 1);
    const { rows } = await detour.db.$client.query(
      `select event, body::jsonb->'data'->'deployment' as deployment from events
       where website_id = $1 and body::jsonb->'data'->'deployment'->>'deployment_id' = $2 order by id`,
      [site, done.id],
    );
    expect(rows).toMatchObject([
      { event: 'deployment.started', deployment: { version: null, environment: 'production' } },
      { event: 'deployment.completed', deployment: { version: 3, redirect_count: 2, error: null } },
    ]);
  });

  test('is served by the other processes too, and by one that starts afterwards', async () => {
    const { site } = await twoVersions('others.example');
    const other = await detour.another();
    await rollBack(owner, site, 1);
    await until(async () => (await visitAt(other.address, 'others.example', '/a')) === '/1');
    expect(await visitAt(other.address, 'others.example', '/new')).toBeUndefined();
    const fresh = await detour.another();
    expect(await visitAt(fresh.address, 'others.example', '/a')).toBe('/1');
    expect(await visitAt(fresh.address, 'others.example', '/gone')).toBe('/1');
    expect(await visitAt(fresh.address, 'others.example', '/new')).toBeUndefined();
  });

  test('to a version that was itself a rollback serves what that one served', async () => {
    const { site } = await twoVersions('twice.example');
    await rollBack(owner, site, 1);
    await deploy(owner, site);
    expect((await rollBack(owner, site, 3)).changes).toEqual({ added: 1, changed: 1, removed: 1 });
    await expectLocations(['twice.example', '/a', '/gone', '/new']).toEqual(['/1', '/1', undefined]);
  });

  test('of nearly all of many rules is counted and served like one of a few', async () => {
    const site = await createSite(owner, ['most.example'], { auto_deploy: false });
    const put = async (target: string) => {
      const redirects = Array.from({ length: 5_000 }, (_, i) => ({ old_path: `/p${i}`, new_path: target }));
      const body = { website_id: String(site), redirects };
      expect((await owner.keyCall('POST', '/api/v1/redirects/bulk', body)).status).toBe(200);
    };
    await put('/1');
    await deploy(owner, site);
    const other = await detour.another();
    await put('/2');
    const gone = (await owner.call('GET', `/api/redirects?website_id=${site}&limit=1`)).body.redirects[0];
    await owner.call('DELETE', `/api/redirects/${gone.id}`);
    await addRedirect(owner, site, { old_path: gone.old_path, new_path: '/3' });
    const changes = { added: 1, changed: 4_999, removed: 1 };
    expect((await deploy(owner, site)).changes).toEqual(changes);
    expect(await rollBack(owner, site, 1)).toMatchObject({ changes, redirect_count: 5_000 });
    await expectLocations(['most.example', '/p0', gone.old_path]).toEqual(['/1', '/1']);
    await until(async () => (await visitAt(other.address, 'most.example', '/p7')) === '/1');
  });

  test('that would close a loop fails where the website says so, and is warned of where not', async () => {
    const site = await createSite(owner, ['loop.example'], { auto_deploy: false });
    // A single write refuses loops, bulk ones do not: /a and /b lead to each other only in version 1.
    const entries = [
      { old_path: '/a', new_path: '/b' },
      { old_path: '/b', new_path: '/a' },
    ];
    const bulk = await owner.keyCall('POST', '/api/v1/redirects/bulk', {
      website_id: String(site),
      redirects: entries,
    });
    expect(bulk.status).toBe(200);
    await deploy(owner, site);
    const { redirects } = (await owner.call('GET', `/api/redirects?website_id=${site}&q=/b`)).body;
    for (const { id, old_path } of redirects) {
      if (old_path === '/b') await owner.call('PUT', `/api/redirects/${id}`, { new_path: '/end' });
    }
    await deploy(owner, site);
    const warned = await rollBack(owner, site, 1);
    expect(warned.warnings).toEqual([{ code: 'REDIRECT_LOOP', old_paths: ['/a', '/b'] }]);
    expect((await deploy(owner, site)).status).toBe('completed');
    await owner.call('PUT', `/api/websites/${site}`, { on_loop: 'fail' });
    const failed = await rollBack(owner, site, 1);
    expect([failed.status, failed.version]).toEqual(['failed', null]);
    expect(failed.error).toContain('REDIRECT_LOOP');
    expect(await held(site)).toEqual([]);
    await expectLocations(['loop.example', '/b']).toEqual(['/end']);
  });
});

describe('a held environment', () => {
  test('takes no automatic deployment, shows in the website, and goes on with the next explicit one', async () => {
    const { site } = await twoVersions('held.example', { auto_deploy: true });
    await settled(owner, site);
    expect(await held(site)).toEqual([]);
    const before = (await deploymentsOf(owner, site, 'production'))[0]?.version ?? 0;
    await rollBack(owner, site, 1);
    expect(await held(site)).toEqual(['production']);
    await addRedirect(owner, site, {
      old_path: '/x',
      new_path: '/y',
      target_environments: 'production,staging',
    });
    const [newest] = await settled(owner, site, 'production');
    expect([newest?.version, newest?.source?.version]).toEqual([before + 1, 1]);
    expect((await settled(owner, site, 'staging'))[0]?.redirect_count).toBe(1);
    await expectLocations(['held.example', '/x']).toEqual([undefined]);
    // Turning auto_deploy off and on deploys the undeployed changes, except in held environments.
    await owner.call('PUT', `/api/websites/${site}`, { auto_deploy: false });
    await owner.call('PUT', `/api/websites/${site}`, { auto_deploy: true });
    expect((await settled(owner, site, 'production'))[0]?.version).toBe(before + 1);
    await deploy(owner, site);
    expect(await held(site)).toEqual([]);
    await expectLocations(['held.example', '/x']).toEqual(['/y']);
    await addRedirect(owner, site, { old_path: '/z', new_path: '/y' });
    await settled(owner, site);
    await expectLocations(['held.example', '/z']).toEqual(['/y']);
  });

  test('cannot be set or released through the website', async () => {
    const { site } = await twoVersions('put.example');
    await rollBack(owner, site, 1);
    const { status, body } = await owner.call('PUT', `/api/websites/${site}`, {
      name: 'renamed',
      held_environments: [],
    });
    expect([status, body.website.held_environments]).toEqual([200, ['production']]);
  });
});

describe('the order', () => {
  test('is that of the calls: what waits goes first, later explicit ones go after, and each rollback is its own', async () => {
    const { site } = await twoVersions('order.example', { auto_deploy: true });
    await settled(owner, site);
    const before = (await deploymentsOf(owner, site, 'production'))[0]?.version ?? 0;
    const lock = await hold(detour, site, 'production');
    // Runs, and waits for the lock; the next change waits behind it.
    await addRedirect(owner, site, { old_path: '/w1', new_path: '/w' });
    const asked: string[] = [(await deploymentsOf(owner, site, 'production'))[0]?.id ?? ''];
    const ask = async (path: string, more: object) =>
      asked.push(
        (
          await owner.call('POST', `/api/deployments${path}`, {
            website_id: site,
            environment: 'production',
            ...more,
          })
        ).body.deployment.id,
      );
    await ask('/rollback', { version: 1 });
    await addRedirect(owner, site, { old_path: '/w2', new_path: '/w' });
    await ask('/rollback', { version: 2 });
    await ask('', {});
    await ask('', {});
    await addRedirect(owner, site, { old_path: '/w3', new_path: '/w' });
    await ask('/rollback', { version: 1 });
    await release(lock);
    const all = await settled(owner, site);
    const versions = asked.map((id) => all.find((each) => each.id === id)?.version);
    // The two explicit ones are one deployment.
    expect(versions).toEqual([1, 2, 3, 4, 4, 5].map((n) => before + n));
    expect(await held(site)).toEqual(['production']);
    await expectLocations(['order.example', '/a', '/w3']).toEqual(['/1', undefined]);
  });

  test('of many calls at the same time loses none', async () => {
    const { site } = await twoVersions('many.example');
    const calls = await Promise.all(
      Array.from({ length: 24 }, (_, i) =>
        owner.call('POST', `/api/deployments${i % 2 ? '/rollback' : ''}`, {
          website_id: site,
          environment: 'production',
          ...(i % 2 && { version: 1 + (i % 3 ? 1 : 0) }),
        }),
      ),
    );
    const ids = [...new Set<string>(calls.map(({ body }) => body.deployment.id))];
    const done = await Promise.all(ids.map((id) => ended(owner, id)));
    expect(done.filter(({ kind }) => kind === 'rollback')).toHaveLength(12);
    const versions = done.map(({ version }) => version ?? 0).toSorted((a, b) => a - b);
    expect(versions).toEqual(ids.map((_, i) => i + 3));
  });

  test('edits during a rollback stay in the redirects and out of what is served', async () => {
    const { site, a } = await twoVersions('during.example', { auto_deploy: true });
    await settled(owner, site);
    const rolling = rollBack(owner, site, 1);
    const edits = Array.from({ length: 20 }, (_, i) =>
      owner.call('PUT', `/api/redirects/${a}`, { new_path: `/e${i}` }),
    );
    await Promise.all([rolling, ...edits]);
    await settled(owner, site);
    const { redirect } = (await owner.call('GET', `/api/redirects/${a}`)).body;
    expect(redirect.new_path).toMatch(/^\/e/);
    await expectLocations(['during.example', '/a', '/gone']).toEqual(['/1', '/1']);
    await deploy(owner, site);
    await expectLocations(['during.example', '/a', '/gone']).toEqual([redirect.new_path, undefined]);
  });
});

describe('a rule whose target host is no longer allowed', () => {
  const HOSTS = { allowed_target_hosts: ['old.example', 'kept.example'] };

  async function site(host: string): Promise<{ site: number; ids: number[] }> {
    const id = await createSite(owner, [host], { auto_deploy: false, ...HOSTS });
    const ids = [];
    for (const [path, target] of [
      ['/same', 'https://OLD.example/same'],
      ['/kept', 'https://kept.example:443/'],
      ['/local', '/https://old.example/'],
      ['/edited', 'https://old.example./1'],
    ]) {
      ids.push(await addRedirect(owner, id, { old_path: path ?? '', new_path: target }));
    }
    await deploy(owner, id);
    await owner.call('PUT', `/api/redirects/${ids[3]}`, { new_path: '/2' });
    await deploy(owner, id);
    return { site: id, ids };
  }

  test('is left out and warned of, changed since or not, and counted nowhere', async () => {
    const { site: id, ids } = await site('hosts.example');
    expect((await rollBack(owner, id, 1)).warnings).toEqual([]);
    await deploy(owner, id);
    await owner.call('PUT', `/api/websites/${id}`, { allowed_target_hosts: ['kept.example'] });
    const done = await rollBack(owner, id, 1);
    expect(done).toMatchObject({
      status: 'completed',
      redirect_count: 2,
      changes: { added: 0, changed: 0, removed: 2 },
      warnings: [{ code: 'TARGET_HOST_NOT_ALLOWED', old_paths: ['/edited', '/same'] }],
    });
    const paths = ['/same', '/kept', '/local', '/edited'];
    const served = [undefined, 'https://kept.example:443/', '/https://old.example/', undefined];
    await expectLocations(['hosts.example', ...paths]).toEqual(served);
    const fresh = await detour.another();
    for (const [i, path] of paths.entries()) {
      expect(await visitAt(fresh.address, 'hosts.example', path)).toBe(served[i]);
    }
    const { redirect } = (await owner.call('GET', `/api/redirects/${ids[0]}`)).body;
    expect(redirect.deployed_to_prod).toBeNull();
  });

  test('stays out of the version when the host is allowed again, and returns with the next deployment', async () => {
    const { site: id, ids } = await site('again.example');
    await owner.call('PUT', `/api/websites/${id}`, { allowed_target_hosts: ['kept.example'] });
    const without = await rollBack(owner, id, 1);
    await owner.call('PUT', `/api/websites/${id}`, HOSTS);
    const again = await rollBack(owner, id, without.version ?? 0);
    expect([again.redirect_count, again.changes]).toEqual([2, { added: 0, changed: 0, removed: 0 }]);
    expect(again.warnings).toEqual([]);
    await expectLocations(['again.example', '/same']).toEqual([undefined]);
    await nextSecond(detour);
    const deployed = await deploy(owner, id);
    expect(deployed).toMatchObject({ redirect_count: 4, changes: { added: 2, changed: 0, removed: 0 } });
    await expectLocations(['again.example', '/same', '/edited']).toEqual(['https://OLD.example/same', '/2']);
    const times = await Promise.all(ids.map(async (redirect) => stored(owner, redirect)));
    expect(times[0]).toBe(deployed.deployed_at);
    expect((times[1] ?? '') < (deployed.deployed_at ?? '')).toBe(true);
    expect((await rollBack(owner, id, 1)).changes).toEqual({ added: 0, changed: 1, removed: 0 });
  });
});

describe('deployed times', () => {
  test('stay through a rollback for what stands unchanged, and are new for what comes back', async () => {
    const site = await createSite(owner, [], { auto_deploy: false });
    const same = await addRedirect(owner, site, { old_path: '/same', new_path: '/1' });
    const edited = await addRedirect(owner, site, { old_path: '/edited', new_path: '/1' });
    const first = await deploy(owner, site);
    await owner.call('PUT', `/api/redirects/${edited}`, { new_path: '/2' });
    const added = await addRedirect(owner, site, { old_path: '/added', new_path: '/1' });
    await nextSecond(detour);
    const second = await deploy(owner, site);
    expect([await stored(owner, same), await stored(owner, edited)]).toEqual([first.deployed_at, second.deployed_at]);
    await nextSecond(detour);
    const third = await rollBack(owner, site, 1);
    expect(await stored(owner, same)).toBe(first.deployed_at);
    expect(await stored(owner, edited)).toBe(third.deployed_at);
    expect(await stored(owner, added)).toBeNull();
  });
});

describe('errors', () => {
  let site: number;
  beforeAll(async () => {
    ({ site } = await twoVersions('foreign.example'));
  });

  test.each([
    [{}, 400, 'MISSING_PARAMETER'],
    [{ environment: 'production' }, 400, 'MISSING_PARAMETER'],
    [{ environment: 'production', version: '1' }, 400, 'INVALID_PARAMETER'],
    [{ environment: 'production', version: 1.5 }, 400, 'INVALID_PARAMETER'],
    [{ environment: 'live', version: 1 }, 422, 'VALIDATION_ERROR'],
    [{ environment: 'production', version: 1, forced: true }, 400, 'UNKNOWN_FIELD'],
    [{ environment: 'production', version: 0 }, 404, 'VERSION_NOT_FOUND'],
    [{ environment: 'production', version: -1 }, 404, 'VERSION_NOT_FOUND'],
    [{ environment: 'production', version: 3 }, 404, 'VERSION_NOT_FOUND'],
    [{ environment: 'production', version: 9_007_199_254_740_991 }, 404, 'VERSION_NOT_FOUND'],
    [{ environment: 'staging', version: 1 }, 404, 'VERSION_NOT_FOUND'],
  ])('%j is %i %s on both surfaces, and nothing is queued or held', async (fields, status, code) => {
    const path = 'deployments/rollback';
    const c = await owner.call('POST', `/api/${path}`, { website_id: site, ...fields });
    const a = await owner.keyCall('POST', `/api/v1/${path}`, { website_id: String(site), ...fields });
    expect([c.status, c.body.code, a.status, a.body.code]).toEqual([status, code, status, code]);
    expect(await deploymentsOf(owner, site)).toHaveLength(2);
    expect(await held(site)).toEqual([]);
  });

  test("another account's website is not there", async () => {
    const asked = { environment: 'production', version: 1 };
    const c = await stranger.call('POST', '/api/deployments/rollback', { website_id: site, ...asked });
    const a = await stranger.keyCall('POST', '/api/v1/deployments/rollback', {
      website_id: String(site),
      ...asked,
    });
    expect([c.status, c.body.code, a.status]).toEqual([404, 'WEBSITE_NOT_FOUND', 404]);
    expect(await held(site)).toEqual([]);
  });
});
