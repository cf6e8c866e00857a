/** An unavailable database: responses are 503 with Retry-After, and nothing is lost once it is available again. */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../src/db/connection/client.ts';
import { startTestApp, type TestApp, type TestOwner } from '../support/app.ts';
import { type FreshDatabase, freshDatabase } from '../support/database.ts';
import { until } from '../support/wait.ts';

/** Stands between the service and the database, so that it can be taken away. */
class Line {
  readonly #sockets = new Set<Socket>();
  readonly #to: number;
  #server: Server | undefined;
  port = 0;

  constructor(to: number) {
    this.#to = to;
  }

  async open(): Promise<void> {
    const server = createServer((near) => {
      const far = connect(this.#to, '127.0.0.1');
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(one);
        one.on('error', () => other.destroy()).pipe(other);
        one.on('close', () => this.#sockets.delete(one));
      }
    }).listen(this.port, '127.0.0.1');
    this.#server = server;
    await once(server, 'listening');
    const address = server.address();
    if (typeof address === 'object' && address !== null) this.port = address.port;
  }

  async cut(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(server, 'close');
  }
}

let database: FreshDatabase;
let line: Line;
let service: TestApp;
let owner: TestOwner;
let cookie: string;

beforeAll(async () => {
  database = await freshDatabase();
  const url = new URL(database.url);
  line = new Line(Number(url.port));
  await line.open();
  url.hostname = '127.0.0.1';
  url.port = String(line.port);
  const db = openDatabase(url.href);
  const close = async (): Promise<void> => {
    await db.$client.end();
    await database.close();
  };
  service = await startTestApp({ database: { db, url: url.href, close } });
  owner = await service.account('pro');
  cookie = await service.cookieOf(owner.email);
});
afterAll(async () => {
  await service?.close();
  await line?.cut();
});

test('every surface says that the database is away, and when to ask again', async () => {
  const { key } = await owner.key();
  const website = { name: 'site' };
  expect((await service.call('POST', '/api/websites', { cookie, body: website })).statusCode).toBe(201);
  await line.cut();
  const calls = [
    service.call('GET', '/api/websites', { cookie }),
    service.call('POST', '/api/websites', { cookie, body: { name: 'another' } }),
    service.call('GET', '/api/v1/redirects', { key }),
    service.call('POST', '/api/auth/sign-in', { body: { email: owner.email, password: 'whatever it is' } }),
  ];
  for (const answer of await Promise.all(calls)) {
    expect(answer.statusCode).toBe(503);
    expect(answer.headers['retry-after']).toBe('5');
    expect(answer.json()).toMatchObject({
      error: 'The database is unavailable',
      code: 'DATABASE_UNAVAILABLE',
      details: expect.stringContaining('before repeating a write'),
    });
    expect(answer.body).not.toMatch(/ECONN|127\.0\.0\.1|select/i);
  }
  // Valid sessions do not spend the budget of their address, which a sign-in needs afterwards.
  const more = await Promise.all(Array.from({ length: 120 }, () => service.call('GET', '/api/websites', { cookie })));
  expect(new Set(more.map(({ statusCode }) => statusCode))).toEqual(new Set([503]));
  // Two sign-ins are counted.
  expect(more.at(-1)?.headers).toMatchObject({ 'x-ratelimit-limit': '100', 'x-ratelimit-remaining': '98' });
  await line.open();
  const list = await service.call('GET', '/api/websites', { cookie });
  expect(list.statusCode).toBe(200);
  expect(list.json()).toMatchObject({ websites: [{ name: 'site' }] });
});

test('a change in progress gets the same response when its connection is lost', async () => {
  const { rows } = await database.db.$client.query<{ id: number }>('select id from websites limit 1');
  const holder = await database.db.$client.connect();
  await holder.query('begin');
  await holder.query('select from websites for update');
  const change = service.call('PUT', `/api/websites/${rows[0]?.id}`, { cookie, body: { name: 'renamed' } });
  await until(async () => {
    const waiting = await database.db.$client.query(
      "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
    );
    return waiting.rowCount === 1;
  });
  await line.cut();
  const answer = await change;
  expect([answer.statusCode, answer.json().code]).toEqual([503, 'DATABASE_UNAVAILABLE']);
  await holder.query('rollback');
  holder.release();
  await line.open();
});

test.each([
  ['53100', 'DATABASE_UNAVAILABLE'],
  ['53200', 'DATABASE_UNAVAILABLE'],
  ['53300', 'DATABASE_UNAVAILABLE'],
  ['25006', 'DATABASE_UNAVAILABLE'],
  ['57014', 'DATABASE_UNAVAILABLE'],
  ['55P03', 'BUSY'],
  ['40P01', 'BUSY'],
])('an error %s of PostgreSQL is a 503 %s with Retry-After', async (code, shown) => {
  await database.db.$client.query(`create function fail() returns trigger language plpgsql as $$ begin
    raise exception 'failed' using errcode = '${code}'; end $$`);
  await database.db.$client.query('create trigger fail before insert on websites execute function fail()');
  const answer = await service.call('POST', '/api/websites', { cookie, body: { name: 'third' } });
  await database.db.$client.query('drop function fail cascade');
  expect([answer.statusCode, answer.headers['retry-after'], answer.json().code]).toEqual([503, '5', shown]);
});
