/** Loops that single writes cannot see: found when they are deployed. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';
import { addRedirect, createSite, deploy, ended, settled, type DeploymentAnswer } from '../../support/site.ts';

let detour: TestDetour;
let owner: TestAccount;
let sites = 0;

const newHost = () => `loops${++sites}.example`;

beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
});

afterAll(() => detour.stop());

/** Imports `from -> to` pairs and answers the ended deployment of production. */
async function importPairs(site: number, pairs: [string, string][]): Promise<DeploymentAnswer> {
  const form = new FormData();
  form.set('website_id', String(site));
  form.set('on_conflict', 'update');
  form.set('file', new Blob([['old_path,new_path', ...pairs.map((pair) => pair.join(','))].join('\n')]), 'rules.csv');
  const { body, text } = await owner.call('POST', '/api/redirects/import', form);
  expect(body.error_count, text).toBe(0);
  return ended(owner, body.deployments[0]);
}

/** Adds rules by the bulk call, which accepts loops. */
async function bulk(site: number, redirects: object[]): Promise<void> {
  const { status, text } = await owner.keyCall('POST', '/api/v1/redirects/bulk', {
    website_id: String(site),
    redirects,
  });
  expect(status, text).toBe(200);
  await settled(owner, site);
}

const loopsOf = ({ warnings }: DeploymentAnswer) =>
  warnings.map(({ code, old_paths }) => {
    expect(code).toBe('REDIRECT_LOOP');
    return old_paths;
  });

test('deployments of one account that search long leave a place for others', async () => {
  const names = Array.from({ length: 22 }, (_, i) => `n${i}`);
  const target = `/p?${names.join('&')}`;
  // Each redirects to an address that all of them match, so each step of the search tries many rules.
  const slow = names.flatMap((one, i) =>
    names.slice(i + 1).map((other) => ({ old_path: `/p?${one}&${other}`, new_path: target })),
  );
  const sites = await Promise.all([1, 2, 3].map(() => createSite(owner, [newHost()], { auto_deploy: false })));
  for (const site of sites) await bulk(site, slow);
  const deployments = await Promise.all(sites.map((site) => deploy(owner, site)));
  const times = deployments.map(({ status, started_at, deployed_at }) => {
    expect(status).toBe('completed');
    return { started: Date.parse(started_at ?? ''), deployed: Date.parse(deployed_at ?? '') };
  });
  const last = Math.max(...times.map(({ started }) => started));
  const firstEnd = Math.min(...times.map(({ deployed }) => deployed));
  expect(last).toBeGreaterThanOrEqual(firstEnd);
});

describe('on_loop: warn, which is the default', () => {
  test('an import that closes a loop is deployed, and the deployment names it', async () => {
    const host = newHost();
    const site = await createSite(owner, [host]);
    const deployment = await importPairs(site, [
      ['/a', '/b'],
      ['/b', '/c'],
      ['/c', '/a'],
      ['/x', '/a'],
      ['/ok', '/fine'],
    ]);
    expect([deployment.status, deployment.error, deployment.redirect_count]).toEqual(['completed', null, 5]);
    expect(loopsOf(deployment).map((paths) => paths.toSorted())).toEqual([['/a', '/b', '/c']]);
    expect((await detour.visit(host, '/a')).location).toBe('/b');
  });

  test('several loops are each named once, with old_path as it was written', async () => {
    const site = await createSite(owner, [newHost()]);
    const deployment = await importPairs(site, [
      ['/ä', '/b/'],
      ['/b', '/ä'],
      ['/c', '/d?x=1'],
      ['/d', '/c#top'],
    ]);
    expect(
      loopsOf(deployment)
        .map((paths) => paths.toSorted())
        .toSorted(),
    ).toEqual([
      ['/b', '/ä'],
      ['/c', '/d'],
    ]);
  });

  test('a loop of a hundred redirects is found', async () => {
    const site = await createSite(owner, [newHost()]);
    const pairs = Array.from({ length: 100 }, (_, i): [string, string] => [`/p${i}`, `/p${(i + 1) % 100}`]);
    const loops = loopsOf(await importPairs(site, pairs));
    expect(loops).toHaveLength(1);
    expect(loops[0]).toHaveLength(100);
  });

  test('a loop that goes through the website by its own host or a pattern is found', async () => {
    const host = newHost();
    const site = await createSite(owner, [host], { allowed_target_hosts: [host] });
    const deployment = await importPairs(site, [
      ['/a', `https://${host}/b`],
      ['/b', '/a'],
    ]);
    expect(loopsOf(deployment).map((paths) => paths.toSorted())).toEqual([['/a', '/b']]);
    await addRedirect(owner, site, { old_path: '/old/(.*)', new_path: '/new/$1', is_regex: true });
    const back = await importPairs(site, [['/new/x', '/old/x']]);
    expect(loopsOf(back).flat()).toContain('/new/x');
  });

  test('closed by bulk-update: a draft becomes part of it', async () => {
    const site = await createSite(owner, [newHost()]);
    await addRedirect(owner, site, { old_path: '/a', new_path: '/b' });
    const draft = await addRedirect(owner, site, { old_path: '/b', new_path: '/a', target_environments: '' });
    await settled(owner, site);
    const updates = { target_environments: 'production,staging' };
    const { status } = await owner.call('POST', '/api/redirects/bulk-update', {
      redirectIds: [draft],
      updates,
    });
    expect(status).toBe(200);
    const [production] = await settled(owner, site, 'production');
    const [staging] = await settled(owner, site, 'staging');
    expect(production?.warnings).toEqual([{ code: 'REDIRECT_LOOP', old_paths: ['/a', '/b'] }]);
    expect(staging?.warnings).toEqual([]);
  });

  test('taken away, it is warned of no longer', async () => {
    const site = await createSite(owner, [newHost()]);
    await importPairs(site, [
      ['/a', '/b'],
      ['/b', '/a'],
    ]);
    expect(loopsOf(await importPairs(site, [['/b', '/end']]))).toEqual([]);
  });

  test('every version with a loop names it, whatever it changes, and after an option changed', async () => {
    const site = await createSite(owner, [newHost()]);
    const both = [
      { code: 'REDIRECT_LOOP', old_paths: ['/a', '/b'] },
      { code: 'REDIRECT_LOOP', old_paths: ['/p/(.*)'], growing: true },
    ];
    await bulk(site, [{ old_path: '/p/(.*)', new_path: '/p/x/$1', is_regex: true }]);
    await importPairs(site, [
      ['/a', '/b'],
      ['/b', '/a'],
    ]);
    await importPairs(site, [['/x', '/y']]);
    const [imported] = await settled(owner, site, 'production');
    expect(new Set(imported?.warnings)).toEqual(new Set(both));
    await owner.call('PUT', `/api/websites/${site}`, { case_sensitive: false });
    expect(new Set((await importPairs(site, [['/B', '/a']])).warnings.map(({ old_paths }) => old_paths[0]))).toEqual(
      new Set(['/a', '/p/(.*)']),
    );
    await bulk(site, [{ old_path: '/p/(.*)', new_path: '/q/$1', is_regex: true }]);
    const [ended] = await settled(owner, site, 'production');
    expect(ended?.warnings.map(({ growing }) => growing)).not.toContain(true);
  });

  test('/a to /a/ and /x/ to /x are no loops', async () => {
    const site = await createSite(owner, [newHost()]);
    expect(
      loopsOf(
        await importPairs(site, [
          ['/a', '/a/'],
          ['/x/', '/x'],
          ['/Foo', '/foo'],
        ]),
      ),
    ).toEqual([]);
  });

  test('an explicit deployment finds them as well', async () => {
    const site = await createSite(owner, [newHost()], { auto_deploy: false });
    const form = new FormData();
    form.set('website_id', String(site));
    form.set('file', new Blob(['old_path,new_path\n/a,/b\n/b,/a\n']), 'rules.csv');
    await owner.call('POST', '/api/redirects/import', form);
    expect(loopsOf(await deploy(owner, site))).toEqual([['/a', '/b']]);
  });
});

describe('on_loop: fail', () => {
  test('a deployment fails for a loop that was live before, also one that grows', async () => {
    const site = await createSite(owner, [newHost()]);
    await bulk(site, [{ old_path: '/p/(.*)', new_path: '/p/x/$1', is_regex: true }]);
    const [live] = await settled(owner, site, 'production');
    expect([live?.status, live?.warnings.length]).toEqual(['completed', 1]);
    await owner.call('PUT', `/api/websites/${site}`, { on_loop: 'fail' });
    const failed = await importPairs(site, [['/unrelated', '/y']]);
    expect([failed.status, failed.error]).toEqual(['failed', 'REDIRECT_LOOP: /p/(.*) redirects to itself without end']);
  });

  test('the deployment fails, the version before goes on serving, and the next one without the loop has it all', async () => {
    const host = newHost();
    const site = await createSite(owner, [host], { on_loop: 'fail' });
    await importPairs(site, [
      ['/a', '/b'],
      ['/z', '/1'],
    ]);
    const failed = await importPairs(site, [
      ['/b', '/a'],
      ['/z', '/2'],
    ]);
    expect(failed).toMatchObject({ status: 'failed', version: null, deployed_at: null });
    expect(failed.error).toContain('REDIRECT_LOOP');
    expect(failed.warnings).toEqual([{ code: 'REDIRECT_LOOP', old_paths: ['/a', '/b'] }]);
    expect((await detour.visit(host, '/b')).status).toBe(404);
    expect((await detour.visit(host, '/z')).location).toBe('/1');
    const again = await importPairs(site, [['/y', '/3']]);
    expect(again.status).toBe('failed');
    expect((await detour.visit(host, '/y')).status).toBe(404);
    const mended = await importPairs(site, [['/b', '/end']]);
    expect(mended).toMatchObject({
      status: 'completed',
      version: 2,
      redirect_count: 4,
      changes: { added: 2, changed: 1, removed: 0 },
    });
    expect((await detour.visit(host, '/z')).location).toBe('/2');
  });

  test('emits deployment.failed with its reason, and no deployment.completed', async () => {
    const site = await createSite(owner, [newHost()], { on_loop: 'fail' });
    const failed = await importPairs(site, [
      ['/a', '/b'],
      ['/b', '/a'],
    ]);
    const { rows } = await detour.db.$client.query(
      `select event, body::jsonb->'data'->'deployment' as deployment from events
       where website_id = $1 and event like 'deployment.%' order by id`,
      [site],
    );
    expect(rows.map(({ event }) => event)).toEqual(['deployment.started', 'deployment.failed']);
    expect(rows[1].deployment).toEqual({
      website_id: String(site),
      environment: 'production',
      redirect_count: null,
      deployed_at: null,
      deployment_id: failed.id,
      version: null,
      started_at: failed.started_at,
      error: failed.error,
      note: null,
      changes: { added: 0, changed: 0, removed: 0 },
      warnings: [{ code: 'REDIRECT_LOOP', old_paths: ['/a', '/b'] }],
      warning_count: 1,
    });
  });
});
