import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDeployer } from '../../src/deployments/publish/deployer.ts';
import { createRulesets, type Rulesets } from '../../src/deployments/live/rulesets.ts';
import { extendTargeting } from '../../src/redirects/write/extend-targeting.ts';
import { checkGateInThread, createRulesetThread, prepareInThread } from '../../src/jobs/ruleset-thread.ts';
import type { JobThread } from '../../src/platform/jobs/thread.ts';
import type { Loop } from '../../src/platform/scheduling/loop.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { freshDatabase, type FreshDatabase } from '../support/database.ts';
import { until } from '../support/wait.ts';

let app: TestApp;
let database: FreshDatabase;
let thread: JobThread;
let rulesets: Rulesets;
let deployer: Loop;
const errors: unknown[] = [];

beforeAll(async () => {
  database = await freshDatabase();
  app = await startTestApp({ database });
  const entry = new URL('../jobs/ruleset-worker.ts', import.meta.url);
  const onError = (error: unknown): void => void errors.push(error);
  thread = createRulesetThread({ databaseUrl: database.url, connections: 2 }, onError, entry);
  rulesets = createRulesets(database.db, prepareInThread(thread));
  await rulesets.load();
  deployer = createDeployer({
    db: database.db,
    rulesets,
    checkGate: checkGateInThread(thread),
    extendTargeting,
    onPublished: () => {},
    committed: () => {},
    metrics: new Registry(),
    onError,
  });
  deployer.start();
});

afterAll(async () => {
  await deployer.stop();
  await thread.close();
  await app.close();
  await database.close();
});

test('a deployment whose thread ends is taken up again, and visitors get the former rules until then', async () => {
  const { email } = await app.account();
  const cookie = await app.cookieOf(email);
  const create = async (url: string, body: object) => (await app.call('POST', url, { cookie, body })).json();
  const { website } = await create('/api/websites', {
    name: 'shop',
    hosts: [{ hostname: 'shop.example', environment: 'production' }],
  });
  const locationOf = (path: string) => {
    const live = rulesets.byHostname('shop.example');
    return live?.rules.ruleset.match({ path, query: null }, live.site)?.location;
  };
  await create('/api/redirects', { website_id: website.id, old_path: '/a', new_path: '/1' });
  await until(async () => locationOf('/a') === '/1');

  const blocker = await database.db.$client.connect();
  await blocker.query('begin');
  await create('/api/redirects', { website_id: website.id, old_path: '/b', new_path: '/2' });
  await blocker.query('lock table redirect_revisions in access exclusive mode');
  await until(async () => {
    const { rowCount } = await database.db.execute(`select 1 from pg_locks where not granted and database =
      (select oid from pg_database where datname = current_database())`);
    return (rowCount ?? 0) > 0;
  });
  await thread.run('exit', null).catch(() => {});
  expect(locationOf('/a')).toBe('/1');
  expect(locationOf('/b')).toBeUndefined();
  await blocker.query('commit');
  blocker.release();

  await until(async () => locationOf('/b') === '/2');
  expect(locationOf('/a')).toBe('/1');
  expect(errors.length).toBeGreaterThan(0);
  const { deployments } = (await app.call('GET', `/api/deployments?website_id=${website.id}`, { cookie })).json();
  expect(new Set(deployments.map((each: { status: string }) => each.status))).toEqual(new Set(['completed']));
});

test('a gate whose thread ends is checked again, and nothing is published without it', async () => {
  const { email } = await app.account();
  const cookie = await app.cookieOf(email);
  const send = async (method: 'POST' | 'PUT', url: string, body: object) =>
    (await app.call(method, url, { cookie, body })).json();
  const { website } = await send('POST', '/api/websites', { name: 'gated', gated_environments: ['production'] });
  const expectations = [{ url: '/a', status_code: 404 }];
  expect(await send('PUT', `/api/websites/${website.id}/expectations`, { expectations })).toMatchObject({ created: 1 });

  const blocker = await database.db.$client.connect();
  await blocker.query('begin');
  await blocker.query('lock table expectations in access exclusive mode');
  await send('POST', '/api/redirects', { website_id: website.id, old_path: '/a', new_path: '/1' });
  await until(async () => {
    const { rowCount } = await database.db.execute(`select 1 from pg_locks where not granted and relation =
      'expectations'::regclass and database = (select oid from pg_database where datname = current_database())`);
    return (rowCount ?? 0) > 0;
  });
  await thread.run('exit', null).catch(() => {});
  await blocker.query('commit');
  blocker.release();

  const deployment = await until(async () => {
    const { deployments } = (await app.call('GET', `/api/deployments?website_id=${website.id}`, { cookie })).json();
    return deployments[0]?.status !== 'queued' && deployments[0]?.status !== 'running' && deployments[0];
  });
  expect(deployment).toMatchObject({ status: 'failed', version: null });
  expect(deployment.error).toMatch(/^EXPECTATIONS_FAILED: 1 of 1 /);
});
