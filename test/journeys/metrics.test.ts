/** GET /metrics: the documented names, and each value moves with what it measures. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { poolSizes } from '../../src/db/connection/pool-sizes.ts';
import { createClusterMetrics } from '../../src/main/cluster-metrics.ts';
import { VERSION } from '../../src/platform/version.ts';
import { startTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { parseMetrics, type Scrape, scrape } from '../support/metrics.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { addRedirect, createSite } from '../support/site.ts';
import { until } from '../support/wait.ts';

const HOST = 'measured.example';
const POOLS = poolSizes({ role: 'all', processes: 1, databaseConnections: null });

let detour: TestDetour;
let owner: TestAccount;
let receiver: Receiver;
let site: number;
let before: Scrape;

beforeAll(async () => {
  // Nothing listens there: rate limits are counted in the process.
  detour = await startTestDetour({ WEBHOOK_EGRESS: 'private', REDIS_URL: 'redis://127.0.0.1:1' });
  before = await scrape(detour.address);
  owner = await detour.account();
  receiver = await startReceiver();
  await owner.keyCall('POST', '/api/webhooks', { name: 'r', url: receiver.url, events: ['redirect.created'] });
  site = await createSite(owner, [HOST]);
  await createSite(owner, ['fallback.example'], { fallback_url: 'https://elsewhere.example' });
  await addRedirect(owner, site, { old_path: '/old', new_path: '/new' });
  await addRedirect(owner, site, { old_path: '/gone', new_path: null, status_code: 410 });
  await until(async () => (await detour.visit(HOST, '/gone')).status === 410);
});

afterAll(async () => {
  await detour.stop();
  await receiver.stop();
});

/** The values that a metric has gained since the start. */
async function gained(name: string, labels?: string): Promise<number> {
  return ((await scrape(detour.address)).value(name, labels) ?? 0) - (before.value(name, labels) ?? 0);
}

const becomes = (name: string, labels: string | undefined, expected: (value: number) => boolean) =>
  until(async () => expected((await scrape(detour.address)).value(name, labels) ?? Number.NaN));

test('docs/monitoring.md lists exactly the metrics', async () => {
  const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'monitoring.md'), 'utf8');
  const cells = [...page.matchAll(/^\| (`(?:detour|nodejs|process)_[^|]+) \|/gm)].map((match) => match[1] ?? '');
  const listed = cells.flatMap((cell) => [...cell.matchAll(/`([a-z_*]+)/g)].map((match) => match[1] ?? ''));
  const ofCluster = parseMetrics(await createClusterMetrics(() => []).read()).names;
  const names = [...before.names, ...ofCluster];
  const isListed = (name: string): boolean =>
    listed.some((one) => (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : one === name));
  expect(names.filter((name) => !isListed(name))).toEqual([]);
  const exists = (one: string): boolean =>
    one.endsWith('*') ? names.some((name) => name.startsWith(one.slice(0, -1))) : names.includes(one);
  expect(listed.filter((one) => !exists(one))).toEqual([]);
  expect(listed.length).toBeGreaterThan(40);
});

describe('visitors', () => {
  test('responses count by environment and outcome, whatever the method', async () => {
    const statuses = [];
    for (const [host, path, method] of [
      [HOST, '/old', 'GET'],
      [HOST, '/old', 'HEAD'],
      [HOST, '/gone', 'POST'],
      [HOST, '/nothing', 'GET'],
      ['fallback.example', '/nothing', 'GET'],
    ] as const)
      statuses.push((await detour.visit(host, path, { method })).status);
    expect(statuses).toEqual([301, 301, 410, 404, 302]);
    expect(await gained('detour_redirects_total', 'outcome="redirected"')).toBe(2);
    expect(await gained('detour_redirects_total', 'outcome="gone"')).toBeGreaterThanOrEqual(2);
    expect(await gained('detour_redirects_total', 'outcome="unmatched"')).toBeGreaterThanOrEqual(1);
    expect(await gained('detour_redirects_total', 'environment="production",outcome="fallback"')).toBe(1);
    expect(await gained('detour_redirects_total', 'environment="staging"')).toBe(0);
    expect((await detour.visit('unknown.example', '/old')).status).toBe(421);
    expect(await gained('detour_redirects_total', 'outcome="misdirected"')).toBe(1);
  });

  test('one response in 64 is measured', async () => {
    for (let i = 0; i < 128; i++) await detour.visit(HOST, '/old');
    expect(await gained('detour_redirect_seconds_count')).toBeGreaterThanOrEqual(2);
    expect(await gained('detour_redirect_seconds_count')).toBeLessThan(10);
    expect(await gained('detour_redirect_seconds_sum')).toBeGreaterThan(0);
  });

  test('the live rules follow each deployment', async () => {
    const { value } = await scrape(detour.address);
    expect([value('detour_live_websites'), value('detour_live_rules')]).toEqual([2, 2]);
    expect(value('detour_live_versions')).toBeGreaterThanOrEqual(1);
    expect(value('detour_rulesets_current')).toBe(1);
    const id = await addRedirect(owner, site, { old_path: '/third', new_path: '/new' });
    await becomes('detour_live_rules', undefined, (rules) => rules === 3);
    const after = await scrape(detour.address);
    expect(after.value('detour_live_versions')).toBe((value('detour_live_versions') ?? 0) + 1);
    expect(after.value('detour_live_bytes')).toBeGreaterThan(0);
    expect(after.value('detour_last_version_age_seconds')).toBeLessThan(60);
    await owner.call('DELETE', `/api/redirects/${id}`);
    await becomes('detour_live_rules', undefined, (rules) => rules === 2);
  });

  test('the age of the rules starts over with each poll', async () => {
    await becomes('detour_rulesets_age_seconds', undefined, (age) => age > 0.1);
    await becomes('detour_rulesets_age_seconds', undefined, (age) => age < 0.1);
  });

  test('hits are recorded and written', async () => {
    const recorded = await gained('detour_hits_recorded_total');
    await detour.visit(HOST, '/old');
    expect(await gained('detour_hits_recorded_total')).toBe(recorded + 1);
    await becomes('detour_hits_unwritten', undefined, (hits) => hits > 0);
    await becomes('detour_hits_unwritten', undefined, (hits) => hits === 0);
    expect(await gained('detour_hits_lost_total')).toBe(0);
  });
});

describe('API', () => {
  test('responses count by surface, method, pattern of the route and status', async () => {
    const labels = (surface: string, method: string, route: string) =>
      `surface="${surface}",method="${method}",route="${route}"`;
    const session = labels('session-api', 'GET', '/api/redirects/:id');
    await owner.call('GET', '/api/redirects/999999');
    await owner.call('GET', '/api/redirects/999998');
    await owner.keyCall('GET', '/api/v1/websites');
    await owner.call('GET', '/api/no-such-route/4711');
    await fetch(`${detour.address}/no-such-page`);
    await until(async () => (await gained('detour_http_requests_total', `${session},status="404"`)) === 2);
    await until(async () => (await gained('detour_http_request_seconds_count', session)) === 2);
    const key = labels('key-api', 'GET', '/api/v1/websites');
    await until(async () => (await gained('detour_http_requests_total', `${key},status="200"`)) === 1);
    const none = labels('session-api', 'GET', 'none');
    await until(async () => (await gained('detour_http_requests_total', `${none},status="404"`)) === 1);
    await until(async () => (await gained('detour_http_requests_total', labels('none', 'GET', 'none'))) === 1);
    const text = await (await fetch(`${detour.address}/metrics`)).text();
    expect(text).not.toMatch(/route="[^"]*(\d{4}|no-such)/);
  });

  test('requests above the rate limit count by budget', async () => {
    let limited = 0;
    for (let i = 0; i < 220; i++) if ((await fetch(`${detour.address}/api/websites`)).status === 429) limited++;
    expect(limited).toBeGreaterThan(0);
    expect(await gained('detour_rate_limited_requests_total', 'budget="address"')).toBe(limited);
    expect(await gained('detour_rate_limited_requests_total', 'budget="account"')).toBe(0);
  });

  test('Redis that is away is 0', async () => {
    expect(before.value('detour_redis_up')).toBe(0);
  });
});

describe('changes', () => {
  test('deployments count by result', async () => {
    const waiting = (value: number) => value === 0;
    expect(await gained('detour_deployments_total', 'result="completed"')).toBeGreaterThanOrEqual(1);
    expect(await gained('detour_deployment_seconds_count')).toBeGreaterThanOrEqual(1);
    expect((await owner.call('PUT', `/api/websites/${site}`, { on_loop: 'fail' })).status).toBe(200);
    const form = new FormData();
    form.set('website_id', String(site));
    form.set('file', new Blob(['old_path,new_path\n/l1,/l2\n/l2,/l1\nbad,/x\n']), 'loop.csv');
    const imported = await owner.call('POST', '/api/redirects/import', form);
    expect(imported.status).toBe(200);
    await until(async () => (await gained('detour_deployments_total', 'result="failed"')) >= 1);
    await becomes('detour_deployments_waiting', undefined, waiting);
    expect(await gained('detour_deployments_total', 'result="retried"')).toBe(0);
  });

  test('imports count by result, rows by verdict', async () => {
    expect(await gained('detour_imports_total', 'result="completed"')).toBe(1);
    expect(await gained('detour_import_rows_total', 'verdict="created"')).toBe(2);
    expect(await gained('detour_import_rows_total', 'verdict="invalid"')).toBe(1);
    const form = new FormData();
    form.set('website_id', '999999');
    form.set('file', new Blob(['old_path,new_path\n/x,/y\n']), 'x.csv');
    expect((await owner.call('POST', '/api/redirects/import', form)).status).toBe(404);
    expect(await gained('detour_imports_total', 'result="failed"')).toBe(1);
  });

  test('targets of checks count by outcome, as they are asked', async () => {
    const started = await owner.keyCall('POST', `/api/v1/websites/${site}/checks`, { kind: 'targets' });
    expect(started.status).toBe(202);
    // Own targets, whose host does not exist.
    const { total } = started.body.check.progress;
    await until(async () => (await gained('detour_check_targets_total', 'outcome="error"')) === total, 20_000);
    expect(await gained('detour_check_target_seconds_count')).toBe(total);
    await becomes('detour_checks_running', undefined, (running) => running === 0);
    await becomes('detour_check_oldest_due_seconds', undefined, (seconds) => seconds === 0);
  });

  test('webhooks count by state, attempts by outcome', async () => {
    await receiver.got(2);
    await until(async () => (await gained('detour_webhook_attempts_total', 'outcome="delivered"')) >= 2);
    expect(await gained('detour_webhook_first_attempt_seconds_count')).toBeGreaterThanOrEqual(2);
    await becomes('detour_webhooks', 'state="active"', (webhooks) => webhooks === 1);
    expect(await gained('detour_webhooks', 'state="disabled"')).toBe(0);
    await becomes('detour_webhook_pending', undefined, (pending) => pending === 0);
  });
});

describe('the process', () => {
  test('the database, its pools and the threads', async () => {
    const { value } = await scrape(detour.address);
    expect(value('detour_database_up')).toBe(1);
    expect(value('detour_database_connections', 'pool="main"')).toBeGreaterThanOrEqual(1);
    expect(value('detour_database_connections_max', 'pool="main"')).toBe(POOLS.main);
    expect(value('detour_database_waiting', 'pool="main"')).toBeGreaterThanOrEqual(0);
    expect(value('detour_threads', 'thread="rulesets"')).toBe(1);
    // An import has started it.
    expect(value('detour_threads', 'thread="bulk"')).toBe(1);
    expect(value('detour_thread_jobs', 'thread="bulk"')).toBe(0);
    expect(value('detour_thread_crashes_total', 'thread="bulk"')).toBe(0);
  });

  test('memory, event loop, descriptors and versions', async () => {
    const { value } = await scrape(detour.address);
    expect(value('process_resident_memory_bytes')).toBeGreaterThan(20_000_000);
    expect(value('process_open_fds')).toBeGreaterThan(10);
    expect(value('process_cpu_seconds_total')).toBeGreaterThan(before.value('process_cpu_seconds_total') ?? 0);
    expect(value('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
    expect(value('nodejs_heap_size_used_bytes')).toBeGreaterThan(1_000_000);
    expect(value('detour_build_info', `version="${VERSION}",node="${process.versions.node}"`)).toBe(1);
  });
});
