/**
 * Deployments of a gated environment, against a running service. Holds the rules of src/deployments/gate/failures.ts
 * and run.ts.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { purgeFailures } from '../../../src/deployments/gate/failures.ts';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';
import { addRedirect, createSite, type DeploymentAnswer, ended, settled } from '../../support/site.ts';
import { until } from '../../support/wait.ts';
import { promote, rollBack } from '../publishing.ts';

let detour: TestDetour;
let owner: TestAccount;

beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
});
afterAll(() => detour.stop());

let hosts = 0;
const newHost = (): string => `gated-${++hosts}.example`;

const expectationsOf = (site: number): string => `/api/websites/${site}/expectations`;
const write = (site: number, expectations: object[]) => owner.call('PUT', expectationsOf(site), { expectations });
const entry = (url: string, more: object = {}) => ({ url, status_code: 301, ...more });

async function deployed(site: number, options: object = {}): Promise<DeploymentAnswer> {
  const body = { website_id: site, environment: 'production', ...options };
  const { deployment } = (await owner.call('POST', '/api/deployments', body)).body;
  return ended(owner, deployment.id);
}

const failuresOf = async (id: string) =>
  (await owner.keyCall('GET', `/api/v1/deployments/${id}/failures`)).body.failures;

test('a run lists the first 1,000 failures and counts all', async () => {
  const site = await createSite(owner, [newHost()]);
  await write(
    site,
    Array.from({ length: 1_500 }, (_, at) => entry(`/many-${at}`)),
  );
  const { run, failures } = (await owner.call('POST', `${expectationsOf(site)}/run`, {})).body;
  expect(run).toMatchObject({ passed: 0, failed: 1_500 });
  expect(failures).toHaveLength(1_000);
});

test('a gated environment gets no version that breaks an expectation, by a change, a call, a rollback or a promotion; force publishes', async () => {
  const [host, staging] = [newHost(), newHost()];
  const site = await createSite(owner, [host, { hostname: staging, environment: 'staging' }], {
    gated_environments: ['production'],
  });
  const environments = 'production,staging';
  const id = await addRedirect(owner, site, { old_path: '/a', new_path: '/1', target_environments: environments });
  expect((await settled(owner, site)).map(({ status }) => status)).toEqual(['completed', 'completed']);
  await owner.call('PUT', `/api/redirects/${id}`, { new_path: '/2' });
  await settled(owner, site);
  await write(site, [entry('/a', { location: '/2' }), entry('/a', { environment: 'staging', location: '/other' })]);

  await owner.call('PUT', `/api/redirects/${id}`, { new_path: '/3' });
  const [failed] = (await settled(owner, site)).filter((each) => each.environment === 'production');
  const error = 'EXPECTATIONS_FAILED: 1 of 1 expectations failed: /a: expected 301 to /2, got 301 to /3';
  expect(failed).toMatchObject({ kind: 'automatic', status: 'failed', version: null, forced: false, error });
  expect(await failuresOf(failed?.id ?? '')).toMatchObject([{ url: '/a', actual: { location: '/3' } }]);
  expect((await detour.visit(host, '/a')).location).toBe('/2');
  // Staging has no gate.
  expect((await detour.visit(staging, '/a')).location).toBe('/3');
  const { events } = (await owner.call('GET', `/api/events?website_id=${site}&event=deployment.failed`)).body;
  expect(events).toMatchObject([{ event: 'deployment.failed' }]);

  expect(await deployed(site)).toMatchObject({ kind: 'explicit', status: 'failed', error });
  expect(await promote(owner, site, 'staging', 'production')).toMatchObject({ kind: 'promote', status: 'failed' });
  expect(await rollBack(owner, site, 1)).toMatchObject({ kind: 'rollback', status: 'failed' });
  expect((await detour.visit(host, '/a')).location).toBe('/2');

  const results = async () =>
    (await owner.keyCall('GET', `/api/v1/websites/${site}/expectations?environment=production`)).body.expectations.map(
      ({ result }: { result: string | null }) => result,
    );
  await owner.keyCall('POST', `/api/v1/websites/${site}/expectations/run`, { environment: 'production' });
  expect(await results()).toEqual(['holds']);
  const forced = await deployed(site, { force: true });
  expect(forced).toMatchObject({ kind: 'explicit', status: 'completed', forced: true, error: null });
  expect(await failuresOf(forced.id)).toEqual([]);
  expect((await detour.visit(host, '/a')).location).toBe('/3');
  await until(async () => (await results())[0] === 'fails');
  // The version that meets the expectations again.
  expect(await rollBack(owner, site, 2)).toMatchObject({ status: 'completed', forced: false });
  expect((await detour.visit(host, '/a')).location).toBe('/2');

  await purgeFailures(detour.db, new Date(), 30);
  expect(await failuresOf(failed?.id ?? '')).toHaveLength(1);
  await purgeFailures(detour.db, new Date(Date.now() + 31 * 86_400_000), 30);
  expect(await failuresOf(failed?.id ?? '')).toEqual([]);
});

test('a rollback or promotion that fails holds nothing, ends no hold, and what was changed meanwhile is deployed', async () => {
  const [host, staging] = [newHost(), newHost()];
  const site = await createSite(owner, [host, { hostname: staging, environment: 'staging' }], {
    gated_environments: ['production'],
  });
  const held = async () => (await owner.call('GET', `/api/websites/${site}`)).body.website.held_environments;
  const rule = { old_path: '/a', new_path: '/1', target_environments: 'production,staging' };
  const id = await addRedirect(owner, site, rule);
  await settled(owner, site);
  await owner.call('PUT', `/api/redirects/${id}`, { new_path: '/2' });
  await settled(owner, site);
  await write(site, [entry('/a', { location: '/2' })]);

  const lock = await detour.db.$client.connect();
  await lock.query('select pg_advisory_lock(7030, $1)', [site]);
  const failing = rollBack(owner, site, 1);
  await until(async () => (await held()).length === 1);
  await addRedirect(owner, site, { old_path: '/meanwhile', new_path: '/to' });
  await lock.query('select pg_advisory_unlock(7030, $1)', [site]);
  lock.release();
  expect(await failing).toMatchObject({ status: 'failed' });
  await settled(owner, site);
  expect(await held()).toEqual([]);
  expect((await detour.visit(host, '/meanwhile')).location).toBe('/to');

  expect(await rollBack(owner, site, 2)).toMatchObject({ status: 'completed' });
  await write(site, [entry('/a', { location: '/other' })]);
  expect(await promote(owner, site, 'staging', 'production')).toMatchObject({ status: 'failed' });
  expect(await held()).toEqual(['production']);
});

test('a version is held against expectations that are stored while its deployment waits for them', async () => {
  const host = newHost();
  const site = await createSite(owner, [host], { gated_environments: ['production'] });
  const writer = await detour.db.$client.connect();
  await writer.query('begin');
  await writer.query('select pg_advisory_xact_lock(7030, $1)', [site]);
  await addRedirect(owner, site, { old_path: '/a', new_path: '/1' });
  await until(async () => {
    const { rows } = await detour.db.$client.query(
      `select 1 from pg_locks where locktype = 'advisory' and classid = 7030 and objid = $1 and not granted`,
      [site],
    );
    return rows.length > 0;
  });
  await writer.query(
    `insert into expectations (website_id, environment, key, url, status_code) values ($1, 'production', '/a', '/a', 404)`,
    [site],
  );
  await writer.query('commit');
  writer.release();
  expect(await settled(owner, site)).toMatchObject([{ status: 'failed' }]);
  expect((await detour.visit(host, '/a')).status).toBe(404);
});

test('a later change does not join a forced deployment', async () => {
  const site = await createSite(owner, [newHost()], { gated_environments: ['production'] });
  await write(site, [entry('/a')]);
  const client = await detour.db.$client.connect();
  await client.query('select pg_advisory_lock(7003, $1)', [site * 4]);
  await owner.call('POST', '/api/deployments', { website_id: site, environment: 'production', force: true });
  await addRedirect(owner, site, { old_path: '/b', new_path: '/c' });
  await client.query('select pg_advisory_unlock_all()');
  client.release();
  const ends = (await settled(owner, site)).map(({ kind, status, forced }) => [kind, status, forced]);
  expect(ends).toEqual([
    ['automatic', 'failed', false],
    ['explicit', 'completed', true],
  ]);
});
