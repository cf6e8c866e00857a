/** A start while the database is away: redirects from snapshots, everything else when the database is back. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../src/platform/postgres/server.ts';
import { VERSION } from '../../src/platform/version.ts';
import { startTestDetour, type TestAccount, type TestDetour, visitAt } from '../support/detour.ts';
import { openWorkshop, type ServiceProcess, type Workshop } from '../support/process.ts';
import { inSoak } from '../support/soak.ts';
import { openRelay, type Relay } from '../support/relay.ts';
import { addRedirect, createSite } from '../support/site.ts';
import { until } from '../support/wait.ts';

const HOST = 'away.example';
const BROWSER = { headers: { 'user-agent': 'Mozilla/5.0 Firefox/140.0' } };
/** On an idle machine it takes less than 1 s (bench/README.md). Tests share the cores with others. */
const SERVED_WITHIN_MS = 15_000;

let other: TestDetour;
let owner: TestAccount;
let relay: Relay;
let workshop: Workshop;
let redirect: number;
let address: string;

const settings = (): Record<string, string> => ({
  DATABASE_URL: relay.url,
  PORT: new URL(address).port,
  PUBLIC_URL: address,
  SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
});
const location = async (): Promise<string | undefined> =>
  (await visitAt(address, HOST, '/a', BROWSER).catch(() => undefined))?.location;

async function ask(path: string): Promise<{ status: number; retryAfter: string | null; body: unknown }> {
  const response = await fetch(address + path);
  return { status: response.status, retryAfter: response.headers.get('retry-after'), body: await response.json() };
}

beforeAll(async () => {
  other = await startTestDetour();
  owner = await other.account();
  relay = await openRelay(other.url);
  workshop = openWorkshop();
  address = `http://localhost:${await freePort('127.0.0.1')}`;
  const site = await createSite(owner, [HOST]);
  redirect = await addRedirect(owner, site, { old_path: '/a', new_path: '/1' });
  await until(async () => (await visitAt(other.address, HOST, '/a')).location === '/1');
  const first = workshop.start(settings());
  await first.ready;
  first.signal('SIGTERM');
  expect((await first.ended).code).toBe(0);
  await relay.close();
});

afterAll(async () => {
  await workshop.clear();
  await relay.close();
  await other.stop();
});

describe.each(inSoak(['1', '2'], ['1']))('with PROCESSES=%s', (processes) => {
  let service: ServiceProcess;
  let served: string;

  beforeAll(async () => {
    served = (await visitAt(other.address, HOST, '/a')).location ?? '';
    service = workshop.start({ ...settings(), PROCESSES: processes });
    await until(async () => (await location()) === served, 30_000);
  });

  test('redirects are answered, and the probes say from what', async () => {
    const report = { database: 'down', rulesets: 'snapshot', version: VERSION };
    expect(await ask('/ready')).toMatchObject({ status: 200, body: { status: 'ready', ...report } });
    expect(await ask('/ready?for=api')).toMatchObject({ status: 503, body: { status: 'not ready', ...report } });
    expect(await ask('/health')).toMatchObject({ status: 200, body: { status: 'ok', version: VERSION } });
    expect(service.stdout()).toBe('');
  });

  test('the API is 503 with Retry-After', async () => {
    expect(await ask('/api/websites')).toEqual({
      status: 503,
      retryAfter: '1',
      body: {
        error: 'The service is starting',
        details: expect.stringContaining('database'),
        code: 'DATABASE_UNAVAILABLE',
        timestamp: expect.any(String),
      },
    });
  });

  test('when the database is back, an edit made meanwhile is served at once, and hits are written', async () => {
    const countHits = async (): Promise<number> => {
      const { rows } = await other.db.$client.query(
        'select coalesce(sum(hits), 0)::int as hits from redirect_hits where redirect_id = $1',
        [redirect],
      );
      return rows[0].hits;
    };
    const edited = `/edited-${processes}`;
    expect((await owner.call('PUT', `/api/redirects/${redirect}`, { new_path: edited })).status).toBe(200);
    await until(async () => (await visitAt(other.address, HOST, '/a')).location === edited);
    const before = await countHits();
    for (let i = 0; i < 5; i++) expect(await location()).toBe(served);
    await relay.open();
    await until(async () => (await location()) === edited, SERVED_WITHIN_MS);
    await service.ready;
    expect(service.stdout()).toBe(`Detour is ready: ${address}\n`);
    await until(async () => (await ask('/ready?for=api')).status === 200);
    expect(await ask('/ready')).toMatchObject({ body: { database: 'up', rulesets: 'current' } });
    expect((await ask('/api/websites')).status).toBe(401);
    await until(async () => (await countHits()) >= before + 5, 20_000);
  });

  test('a database that goes away later changes the report only', async () => {
    await relay.close();
    await until(async () => (await ask('/ready?for=api')).status === 503);
    expect(await ask('/ready')).toMatchObject({ status: 200, body: { database: 'down', rulesets: 'current' } });
    expect(await location()).toBe(`/edited-${processes}`);
    service.signal('SIGTERM');
    expect((await service.ended).code).toBe(0);
  });
});

test('without snapshots the process exits with one line', async () => {
  const { code, stderr } = await workshop.start({ ...settings(), SNAPSHOTS: 'off' }).ended;
  expect(code).toBe(1);
  expect(stderr).toMatch(/^detour: connect ECONNREFUSED.*check DATABASE_URL.*\n$/);
});
