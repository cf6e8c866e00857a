/** The service and its embedded server after signals and failed starts. Kills: test/soak/process-killed. */
import { createServer } from 'node:http';
import { once } from 'node:events';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { freshDatabase } from '../support/database.ts';
import { openWorkshop, type Workshop } from '../support/process.ts';

let workshop: Workshop;
beforeEach(() => {
  workshop = openWorkshop();
});
afterEach(() => workshop.clear());

const KEYS = { PUBLIC_URL: 'http://localhost:3000', SECRET_KEY: Buffer.alloc(32, 5).toString('base64') };

test('a port in use is one line that names PORT, exit 1, and leaves no server running', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const taken = other.address();
  const port = typeof taken === 'object' && taken ? String(taken.port) : '';
  const { code, stderr } = await workshop.start({ PORT: port }).ended;
  other.close();
  expect(code).toBe(1);
  expect(stderr).toMatch(new RegExp(`^detour: listen EADDRINUSE.*:${port}: .*PORT`, 'm'));
  expect(workshop.postgresPid()).toBeUndefined();
});

test('an invalid configuration is one line, exit 1, and creates nothing', async () => {
  const { code, stdout, stderr } = await workshop.start({ PORT: 'x', SIGN_UP: 'maybe' }).ended;
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^detour: wrong configuration: PORT .*; SIGN_UP .*\n$/);
});

test('an unavailable database is one line that names DATABASE_URL, exit 1', async () => {
  const { code, stderr } = await workshop.start({
    ...KEYS,
    DATABASE_URL: 'postgres://detour@127.0.0.1:1/detour',
  }).ended;
  expect(code).toBe(1);
  expect(stderr).toMatch(/^detour: connect ECONNREFUSED 127\.0\.0\.1:1: check DATABASE_URL.*\n$/);
});

test('SIGTERM during the start exits with 0 and leaves no server running', async () => {
  const service = workshop.start();
  while (workshop.postgresPid() === undefined) await new Promise((resolve) => setImmediate(resolve));
  service.signal('SIGTERM');
  expect((await service.ended).code).toBe(0);
  while (workshop.postgresPid() !== undefined) await new Promise((resolve) => setImmediate(resolve));
});

test('two processes on one database both serve, and one of two first starts creates the account', async () => {
  const database = await freshDatabase();
  const env = {
    ...KEYS,
    DATABASE_URL: database.url,
    OWNER_EMAIL: 'me@example.com',
    OWNER_PASSWORD: 'a-long-secret',
  };
  const [one, other] = [workshop.start(env), workshop.start(env)];
  await Promise.all([one.ready, other.ready]);
  const told = [one, other].filter((service) => service.stdout().includes('First start'));
  expect(told).toHaveLength(1);
  const client = new Client(database.url);
  await client.connect();
  const { rows } = await client.query('select count(*)::int as accounts from accounts');
  await client.end();
  expect(rows).toEqual([{ accounts: 1 }]);
  for (const service of [one, other]) service.signal('SIGTERM');
  expect((await Promise.all([one.ended, other.ended])).map(({ code }) => code)).toEqual([0, 0]);
  await database.close();
});

test('a database of the operator gets no account unless the owner is named', async () => {
  const database = await freshDatabase();
  const service = workshop.start({ ...KEYS, DATABASE_URL: database.url });
  await service.ready;
  expect(service.stdout()).toBe('Detour is ready: http://localhost:3000\n');
  service.signal('SIGTERM');
  await service.ended;
  await database.close();
});

test('an admin command on a database without tables names the command that creates them', async () => {
  const url = inject('pgUrl');
  const env = { ...KEYS, DATABASE_URL: url };
  const { code, stderr } = await workshop.admin(['key', 'revoke', '--id', 'key_x'], env);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^detour: relation "\w+" does not exist: .*npm run admin -- migrate\n$/);
});
