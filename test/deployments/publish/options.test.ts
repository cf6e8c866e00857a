/** Hosts and options are not versioned: a change takes effect without a deployment, on every instance. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EdgeAnswer, sharedTestDetour, type TestAccount, type TestDetour, visitAt } from '../../support/detour.ts';
import { addRedirect, createSite, deploymentsOf, settled } from '../../support/site.ts';
import { until } from '../../support/wait.ts';
import { expectStatus } from '../../support/expect-status.ts';

let detour: TestDetour;
let owner: TestAccount;
let addresses: string[];
let names = 0;

const newHost = () => `options${++names}.example`;

/** The response of each instance. */
const everywhere = (host: string, path: string): Promise<EdgeAnswer[]> =>
  Promise.all(addresses.map((address) => visitAt(address, host, path)));

const locations = async (host: string, path: string) => (await everywhere(host, path)).map(({ location }) => location);

/** Resolves once every instance answers this Location (undefined: none) for the address. */
const becomes = (withinMs: number, host: string, path: string, location: string | undefined) =>
  until(async () => (await locations(host, path)).every((each) => each === location), withinMs);

const change = async (site: number, options: Record<string, unknown>) => {
  const { status, text } = await owner.call('PUT', `/api/websites/${site}`, options);
  expectStatus({ status, text }, 200);
};

const inProduction = (hostname: string) => ({ hostname, environment: 'production' });

beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
  addresses = [detour.address, (await detour.another()).address];
});

afterAll(() => detour.stop());

describe('an option takes effect within 5 s on every instance, without a deployment', () => {
  test.each([
    ['case_sensitive', false, '/Path/a', '/PATH/A', '/to', undefined, '/to'],
    ['trailing_slash', 'exact', '/p', '/p/', '/to', '/to', undefined],
    ['query', 'drop', '/p', '/p?x=1', '/to', '/to?x=1', '/to'],
    ['query', 'exact', '/p', '/p?x=1', '/to', '/to?x=1', undefined],
    ['fallback_url', 'https://old.example', '/p', '/none?x=1', '/to', undefined, 'https://old.example/none?x=1'],
  ])('%s: %j and back', async (option, value, oldPath, visited, newPath, before, after) => {
    const host = newHost();
    const site = await createSite(owner, [host]);
    const initial = (await owner.call('GET', `/api/websites/${site}`)).body.website[option];
    await addRedirect(owner, site, { old_path: oldPath, new_path: newPath });
    await settled(owner, site);
    await becomes(5_000, host, visited, before);
    await becomes(5_000, host, oldPath, newPath);
    const deployments = await deploymentsOf(owner, site);
    await change(site, { [option]: value });
    await becomes(5_000, host, visited, after);
    expect(await locations(host, oldPath)).toEqual([newPath, newPath]);
    await change(site, { [option]: initial });
    await becomes(5_000, host, visited, before);
    expect(await deploymentsOf(owner, site)).toEqual(deployments);
  });

  test('of two rules that match when case is ignored, the exact case wins', async () => {
    const host = newHost();
    const site = await createSite(owner, [host], { case_sensitive: false });
    for (const path of ['/Ab', '/aB', '/ab'])
      await addRedirect(owner, site, { old_path: path, new_path: `/to${path}` });
    await settled(owner, site);
    await becomes(5_000, host, '/ab', '/to/ab');
    for (const path of ['/Ab', '/aB', '/ab']) expect(await locations(host, path)).toEqual([`/to${path}`, `/to${path}`]);
    expect(await locations(host, '/AB')).toEqual(['/to/Ab', '/to/Ab']);
  });
});

describe('hosts take effect within 1 s on every instance', () => {
  async function siteWithRules(hosts: Parameters<typeof createSite>[1], target: string): Promise<number> {
    const site = await createSite(owner, hosts);
    const everyEnvironment = 'production,staging,development';
    await addRedirect(owner, site, {
      old_path: '/p',
      new_path: target,
      target_environments: everyEnvironment,
    });
    await addRedirect(owner, site, {
      old_path: '/s',
      new_path: `${target}-staging`,
      target_environments: 'staging',
    });
    await settled(owner, site);
    return site;
  }

  test('a host that is added answers, one that is taken away is no longer the website', async () => {
    const [first, second] = [newHost(), newHost()];
    const site = await siteWithRules([first], '/hosts');
    await becomes(1_000, first, '/p', '/hosts');
    await change(site, { hosts: [inProduction(first), inProduction(second)] });
    await becomes(1_000, second, '/p', '/hosts');
    await change(site, { hosts: [inProduction(second)] });
    await becomes(1_000, first, '/p', undefined);
    for (const answer of await everywhere(first, '/health')) expect(answer.status).toBe(200);
    expect(await locations(second, '/p')).toEqual(['/hosts', '/hosts']);
  });

  test('a host moves between environments', async () => {
    const host = newHost();
    const site = await siteWithRules([host], '/moved');
    await becomes(1_000, host, '/p', '/moved');
    expect(await locations(host, '/s')).toEqual([undefined, undefined]);
    await change(site, { hosts: [{ hostname: host, environment: 'staging' }] });
    await becomes(1_000, host, '/s', '/moved-staging');
    await change(site, { hosts: [inProduction(host)] });
    await becomes(1_000, host, '/s', undefined);
  });

  test('a host moves to another website, and back, and no other has it meanwhile', async () => {
    const host = newHost();
    const one = await siteWithRules([host], '/one');
    const two = await siteWithRules([newHost()], '/two');
    for (const [from, to, target] of [
      [one, two, '/two'],
      [two, one, '/one'],
      [one, two, '/two'],
    ] as const) {
      const refused = await owner.call('PUT', `/api/websites/${to}`, { hosts: [inProduction(host)] });
      expect([refused.status, refused.body.code]).toEqual([409, 'CONFLICT']);
      await change(from, { hosts: [] });
      await change(to, { hosts: [inProduction(host)] });
      await becomes(1_000, host, '/p', target);
    }
  });

  test('a redirect whose website has no host yet answers as soon as it has one', async () => {
    const host = newHost();
    const site = await siteWithRules([], '/late');
    await change(site, { hosts: [inProduction(host)] });
    await becomes(1_000, host, '/p', '/late');
  });
});

describe('deleting a website', () => {
  test('with redirects is 409 without force, and changes nothing', async () => {
    const host = newHost();
    const site = await createSite(owner, [host]);
    await addRedirect(owner, site, { old_path: '/p', new_path: '/to' });
    await settled(owner, site);
    expect((await owner.call('DELETE', `/api/websites/${site}`)).status).toBe(409);
    await becomes(1_000, host, '/p', '/to');
  });

  test('stops its hosts at once, frees them, and takes its rows away in the background', async () => {
    const host = newHost();
    const site = await createSite(owner, [host]);
    const redirect = await addRedirect(owner, site, { old_path: '/p', new_path: '/to' });
    const [deployment] = await settled(owner, site);
    await becomes(1_000, host, '/p', '/to');
    const { status } = await owner.call('DELETE', `/api/websites/${site}?force=true`);
    expect(status).toBe(200);
    await becomes(1_000, host, '/p', undefined);
    const gone = [`/api/websites/${site}`, `/api/redirects/${redirect}`, `/api/deployments/${deployment?.id}`];
    for (const path of [...gone, `/api/redirects?website_id=${site}`]) {
      expect([path, (await owner.call('GET', path)).status]).toEqual([path, 404]);
    }
    expect((await owner.call('DELETE', `/api/websites/${site}?force=true`)).status).toBe(404);
    const next = await createSite(owner, [host]);
    await addRedirect(owner, next, { old_path: '/p', new_path: '/next' });
    await becomes(2_000, host, '/p', '/next');
    await until(async () => {
      const { rows } = await detour.db.$client.query(
        `select (select count(*) from redirects where website_id = $1) + (select count(*) from versions where website_id = $1)
           + (select count(*) from redirect_revisions where website_id = $1)
           + (select count(*) from deployments where website_id = $1) as left`,
        [site],
      );
      return Number(rows[0].left) === 0;
    });
    expect(await locations(host, '/p')).toEqual(['/next', '/next']);
  });

  test('while its deployments are in progress ends them, and others continue', async () => {
    const other = await createSite(owner, [newHost()]);
    const site = await createSite(owner, [newHost()]);
    const adding = Array.from({ length: 20 }, (_, i) =>
      owner.call('POST', '/api/redirects', { website_id: site, old_path: `/p${i}`, new_path: '/to' }),
    );
    const deleted = owner.call('DELETE', `/api/websites/${site}?force=true`);
    for (const { status } of await Promise.all(adding)) expect([201, 404]).toContain(status);
    expect((await deleted).status).toBe(200);
    await addRedirect(owner, other, { old_path: '/p', new_path: '/to' });
    expect((await settled(owner, other))[0]).toMatchObject({ status: 'completed', version: 1 });
    expect((await owner.call('GET', `/api/deployments?website_id=${site}`)).status).toBe(404);
  });
});
