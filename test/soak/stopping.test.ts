/** SIGTERM to a real process under load: no request that was sent is lost, and imports are whole or not applied. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { freePort } from '../../src/platform/postgres/server.ts';
import { freshDatabase, type FreshDatabase } from '../support/database.ts';
import { send, visitAt } from '../support/detour.ts';
import { openWorkshop, type ServiceProcess, type Workshop } from '../support/process.ts';
import { addRedirect, type Caller, createSite } from '../support/site.ts';
import { until } from '../support/wait.ts';

const OWNER = { email: 'owner@example.com', password: 'correct horse battery' };
const HOST = 'stopping.example';
const CLIENTS = 200;
/** Sent and not read yet at the signal. */
const UNREAD = 100;
const ROWS = 100_000;
/** Documented: 10 s. The machine may be busy with other tests. */
const STOPS_WITHIN_MS = 12_000;
/** A connection that is idle for longer may be closed: the service waits 200 ms for the next request. */
const MAX_IDLE_MS = 100;
const REQUEST = `GET /0 HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`;

let database: FreshDatabase;
let workshop: Workshop;
let port: number;
let service: ServiceProcess;
let owner: Caller;
let site: number;

beforeAll(async () => {
  database = await freshDatabase();
  workshop = openWorkshop();
  port = await freePort('127.0.0.1');
});
afterAll(async () => {
  await workshop.clear();
  await database.close();
});
beforeEach(start);
afterEach(async () => {
  service.signal('SIGKILL');
  await service.ended;
});

const address = (): string => `http://127.0.0.1:${port}`;

async function start(): Promise<void> {
  service = workshop.start({
    PORT: String(port),
    PUBLIC_URL: address(),
    DATABASE_URL: database.url,
    SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    OWNER_EMAIL: OWNER.email,
    OWNER_PASSWORD: OWNER.password,
  });
  await service.ready;
  const { headers } = await send(address(), 'POST', '/api/auth/sign-in', OWNER, {});
  const cookie = (headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  owner = { call: (method, path, body) => send(address(), method, path, body, { cookie }) };
  if (site === undefined) {
    site = await createSite(owner, [HOST]);
    await addRedirect(owner, site, { old_path: '/0', new_path: '/there' });
  }
  await until(async () => (await visitAt(address(), HOST, '/0')).location === '/there', 30_000);
}

async function open(): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').setNoDelay().setEncoding('utf8');
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** Sends one request. Resolves with the whole response, or with what arrived before the connection ended. */
async function ask(socket: Socket): Promise<string> {
  let text = '';
  const isWhole = (): boolean => {
    const [head = '', body] = text.split('\r\n\r\n', 2);
    return body !== undefined && body.length >= Number(/^content-length: (\d+)/im.exec(head)?.[1]);
  };
  const { promise, resolve } = Promise.withResolvers<void>();
  const onData = (chunk: string): void => {
    text += chunk;
    if (isWhole()) resolve();
  };
  socket.on('data', onData);
  socket.once('close', () => resolve());
  socket.write(REQUEST);
  await promise;
  socket.off('data', onData);
  return text;
}

const isRedirect = (text: string): boolean => text.startsWith('HTTP/1.1 301 ');
const isLast = (text: string): boolean => /^connection: close\r?$/im.test(text);

test('200 keep-alive clients under load: each request that was sent is answered, the last one with Connection: close', async () => {
  const lost: string[] = [];
  let answered = 0;
  let closed = 0;
  async function client(): Promise<void> {
    const socket = await open();
    let idleSince = performance.now();
    for (;;) {
      await pause(Math.random() * 20);
      const idleMs = performance.now() - idleSince;
      // The service closed it while it was idle.
      if (!socket.writable || socket.readableEnded) return;
      const text = await ask(socket);
      if (isRedirect(text)) answered++;
      else if (text !== '' || idleMs < MAX_IDLE_MS) lost.push(`${text.slice(0, 100)} after ${idleMs} ms`);
      if (isRedirect(text) && isLast(text)) closed++;
      if (!isRedirect(text) || isLast(text)) return void socket.destroy();
      idleSince = performance.now();
    }
  }
  const clients = Array.from({ length: CLIENTS }, client);
  await until(() => Promise.resolve(answered > CLIENTS * 5), 60_000);
  const sent = performance.now();
  service.signal('SIGTERM');
  await Promise.all(clients);
  expect((await service.ended).code).toBe(0);
  expect(performance.now() - sent).toBeLessThan(STOPS_WITHIN_MS);
  expect(lost).toEqual([]);
  expect(closed).toBeGreaterThan(CLIENTS / 2);
});

test('requests that were sent and not read at the signal are answered, also those of new connections', async () => {
  const sockets = await Promise.all(Array.from({ length: UNREAD }, open));
  // The process does not read while it is stopped. The system accepts the connections for it.
  service.signal('SIGSTOP');
  const fresh = await Promise.all(Array.from({ length: UNREAD }, open));
  const answers = [...sockets, ...fresh].map(ask);
  service.signal('SIGTERM');
  service.signal('SIGCONT');
  const texts = await Promise.all(answers);
  expect(texts.filter((text) => !isRedirect(text))).toEqual([]);
  expect((await service.ended).code).toBe(0);
  for (const socket of [...sockets, ...fresh]) socket.destroy();
});

test('during an import the process ends in time, and the import is whole or not applied, as its response says', async () => {
  const form = new FormData();
  form.set('website_id', String(site));
  const lines = Array.from({ length: ROWS }, (_, i) => `/import-${i},/there`);
  form.set('file', new Blob([['old_path,new_path', ...lines].join('\n')]), 'rules.csv');
  const importing = owner.call('POST', '/api/redirects/import', form).catch(() => undefined);
  const running = async () =>
    (await database.db.$client.query("select 1 from imports where status = 'running'")).rowCount;
  await until(async () => (await running()) === 1, 60_000);
  const sent = performance.now();
  service.signal('SIGTERM');
  const { code } = await service.ended;
  expect(code).toBe(0);
  expect(performance.now() - sent).toBeLessThan(STOPS_WITHIN_MS);
  const answer = await importing;
  await start();
  await until(async () => (await running()) === 0, 60_000);
  const { body } = await owner.call('GET', `/api/redirects/count?website_id=${site}`);
  expect(body.count).toBeOneOf([1, 1 + ROWS]);
  if (answer?.status === 200) expect([answer.body.imported, body.count]).toEqual([ROWS, 1 + ROWS]);
  const { rows } = await database.db.$client.query('select status from imports');
  expect(rows).toEqual([{ status: body.count === 1 ? 'failed' : 'completed' }]);
});
