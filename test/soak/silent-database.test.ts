/** A database that goes silent: connections that pass nothing while new ones work, and a frozen server. */
import { readFileSync, rmSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, afterEach, expect, test } from 'vitest';
import { systemActorByEmail } from '../../src/accounts/system-actor.ts';
import { openDatabase } from '../../src/db/connection/client.ts';
import { type EmbeddedPostgres, startPostgres } from '../../src/platform/postgres/embedded.ts';
import { freePort } from '../../src/platform/postgres/server.ts';
import { type Answer, send, visitAt } from '../support/detour.ts';
import { addWebhook } from '../support/dispatching.ts';
import { openWorkshop, type ServiceProcess, type Workshop } from '../support/process.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { openRelay, type Relay } from '../support/relay.ts';
import { addRedirect, type Caller, createSite } from '../support/site.ts';
import { until } from '../support/wait.ts';

const OWNER = { email: 'owner@example.com', password: 'correct horse battery' };
const HOST = 'silent.example';
const BROWSER = { headers: { 'user-agent': 'Mozilla/5.0 Firefox/140.0' } };
/** Promised. The machine may be busy with other tests, so those of responses get half as much again. */
const WHOLE_WITHIN_MS = 30_000;
const ANSWER_WITHIN_MS = 15_000;
/** As long as a failover or a restart of a large server takes. */
const AWAY_MS = 60_000;

let folder: string;
let postgres: EmbeddedPostgres;
let relay: Relay;
let receiver: Receiver;
let workshop: Workshop;
let service: ServiceProcess;
let address: string;
let owner: Caller;
let site: number;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'detour-silent-'));
  postgres = await startPostgres({ dataDir: join(folder, 'data'), durable: false });
  receiver = await startReceiver();
  address = `http://localhost:${await freePort('127.0.0.1')}`;
}, 60_000);
afterAll(async () => {
  await receiver.stop();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
});

beforeEach(async () => {
  relay = await openRelay(postgres.url);
  workshop = openWorkshop();
  service = workshop.start({
    DATABASE_URL: relay.url,
    PORT: new URL(address).port,
    PUBLIC_URL: address,
    SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    OWNER_EMAIL: OWNER.email,
    OWNER_PASSWORD: OWNER.password,
    WEBHOOK_EGRESS: 'private',
  });
  await service.ready;
  const { headers } = await send(address, 'POST', '/api/auth/sign-in', OWNER, {});
  const cookie = (headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  owner = { call: (method, path, body) => send(address, method, path, body, { cookie }) };
  if (site === undefined) {
    site = await createSite(owner, [HOST]);
    await addRedirect(owner, site, { old_path: '/0', new_path: '/there' });
    const db = openDatabase(postgres.url, { max: 1 });
    const database = { db, url: postgres.url, close: () => db.$client.end() };
    await addWebhook(database, await systemActorByEmail(db, OWNER.email), receiver.url);
    await database.close();
  }
  await until(async () => (await visit('/0')) === '/there', 30_000);
  await until(async () => (await hits()) > 0, 30_000);
}, 120_000);
afterEach(async () => {
  freeze('SIGCONT');
  await workshop.clear();
  await relay.close();
});

const visit = async (path: string): Promise<string | undefined> =>
  (await visitAt(address, HOST, path, BROWSER)).location;

/** Written hits. */
async function hits(): Promise<number> {
  const rows = await readRows<{ hits: number }>('select coalesce(sum(hits), 0)::int as hits from website_hits');
  return rows[0]?.hits ?? 0;
}

/** Reads without the relay. */
async function readRows<Row extends object>(query: string): Promise<Row[]> {
  const client = new Client(postgres.url);
  await client.connect();
  try {
    return (await client.query<Row>(query)).rows;
  } finally {
    await client.end();
  }
}

/** Stops or continues the server with all its processes. */
function freeze(signal: 'SIGSTOP' | 'SIGCONT'): void {
  const { pid } = postgres;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
  for (const each of [pid, ...children]) {
    try {
      process.kill(each, signal);
    } catch {
      // A backend that has just ended.
    }
  }
}

/** Repeats an edit until it is accepted. Its redirect, its webhook and the visitors' hits follow. */
async function expectWhole(path: string, hitsBefore: number, visits: number): Promise<void> {
  const began = performance.now();
  const left = (): number => began + WHOLE_WITHIN_MS - performance.now();
  await until(async () => {
    const body = { website_id: site, old_path: path, new_path: '/there' };
    const { status } = await owner.call('POST', '/api/redirects', body);
    // 422: the edit was applied, and its response was lost.
    return status === 201 || status === 422 || status === 409;
  }, left());
  await until(async () => (await visit(path)) === '/there', left());
  await until(
    () => Promise.resolve(receiver.requests.some(({ body }) => body.includes(`"old_path":"${path}"`))),
    left(),
  );
  await until(async () => (await hits()) >= hitsBefore + visits, left());
}

const isUnavailable = ({ status, headers, text }: Answer<unknown>): boolean =>
  status === 503 && headers.get('retry-after') !== null && text.includes('DATABASE_UNAVAILABLE');

test('while connections pass nothing, visitors get redirects, the API responds, and hits are written', async () => {
  const before = await hits();
  relay.silence();
  for (let i = 0; i < 10; i++) expect(await visit('/0')).toBe('/there');
  const began = performance.now();
  const answer = await owner.call('GET', '/api/websites');
  expect(answer.status === 200 || isUnavailable(answer)).toBe(true);
  expect(performance.now() - began).toBeLessThan(ANSWER_WITHIN_MS);
  await expectWhole('/silent', before, 10);
});

/** Expects visitors served and 503 from the API during the outage, and an edit live soon after the return. */
async function expectOutage(path: string, leave: () => unknown, comeBack: () => unknown): Promise<void> {
  const before = await hits();
  await leave();
  const left = performance.now();
  let visits = 0;
  while (performance.now() - left < AWAY_MS) {
    const began = performance.now();
    const body = { website_id: site, old_path: `/lost${path}-${visits}`, new_path: '/there' };
    const answers = await Promise.all([
      owner.call('GET', '/api/websites'),
      owner.call('POST', '/api/redirects', body),
      visit('/0'),
      pause(200),
    ]);
    expect(answers[2]).toBe('/there');
    visits++;
    expect(answers.slice(0, 2).map((answer) => isUnavailable(answer as Answer<unknown>))).toEqual([true, true]);
    expect(performance.now() - began).toBeLessThan(ANSWER_WITHIN_MS);
    expect((await fetch(`${address}/ready`)).status).toBe(200);
    expect((await fetch(`${address}/ready?for=api`)).status).toBe(503);
  }
  await comeBack();
  await expectWhole(path, before, visits);
  await expectNothingTwice();
}

/** Every redirect has one event of its creation, also if the response to it was lost. Its receiver gets no other. */
async function expectNothingTwice(): Promise<void> {
  const rows = await readRows<{ events: number; ids: number; redirects: number }>(
    `select count(*)::int as events, count(distinct redirect_id)::int as ids,
       (select count(*)::int from redirects) as redirects from events where event = 'redirect.created'`,
  );
  expect(rows[0]?.events).toBe(rows[0]?.redirects);
  expect(rows[0]?.ids).toBe(rows[0]?.redirects);
}

test('while the server is frozen, visitors get redirects and the API 503; all is whole within 30 s of its return', () =>
  expectOutage(
    '/frozen',
    () => freeze('SIGSTOP'),
    () => freeze('SIGCONT'),
  ));

test('while the server is stopped, visitors get redirects and the API 503; all is whole within 30 s of its return', () =>
  expectOutage('/stopped', relay.close, relay.open));

test('SIGTERM while the server is frozen: exit 0 within 10 s, with a line on the lost hits', async () => {
  freeze('SIGSTOP');
  for (let i = 0; i < 7; i++) await visit('/0');
  const call = owner.call('GET', '/api/websites').catch(() => undefined);
  await fetch(`${address}/health`);
  const began = performance.now();
  service.signal('SIGTERM');
  const { code, stderr } = await service.ended;
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringMatching(/\d+ hits were lost/) as string });
  expect(performance.now() - began).toBeLessThan(10_000);
  await call;
});

test('SIGTERM while the server is gone: exit 0 within 10 s, with a line on the lost hits', async () => {
  await relay.close();
  for (let i = 0; i < 7; i++) await visit('/0');
  const began = performance.now();
  service.signal('SIGTERM');
  const { code, stderr } = await service.ended;
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringMatching(/\d+ hits were lost/) as string });
  expect(performance.now() - began).toBeLessThan(10_000);
  // One error a second at most.
  expect(stderr.split('\n').filter((line) => line.includes('"level":"error"')).length).toBeLessThan(15);
});
