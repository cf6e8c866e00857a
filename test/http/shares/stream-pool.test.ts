import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { setErrorHandlers } from '../../../src/http/errors/errors.ts';
import { createStreamPool, debtAllowed } from '../../../src/http/shares/stream-pool.ts';
import { createStreamShares } from '../../../src/http/shares/stream-shares.ts';
import { sendStream } from '../../../src/http/stream.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import type { Actor } from '../../../src/vocabulary/actor.ts';

const MIB = 1024 * 1024;
/** instead of 3 s */
const PATIENCE_MS = 1_000;
/** An unread stream would keep its connection for 30 s, and the other streams come before. The machine may be busy. */
const SOON_MS = 15_000;
const POOLS = { lists: 6, jobs: 4 };

let app: FastifyInstance;
let sockets: Socket[];

beforeEach(async () => {
  app = await listen(PATIENCE_MS);
  sockets = [];
});

async function listen(patienceMs?: number): Promise<FastifyInstance> {
  const app = Fastify({ forceCloseConnections: true });
  setErrorHandlers(app, systemClock);
  const shares = createStreamShares(POOLS, 60_000, patienceMs);
  app.get<{ Params: { pool: 'lists' | 'jobs'; account: string; mib: string } }>(
    '/:pool/:account/:mib',
    ({ params }, reply) => {
      const share = shares[params.pool]({ accountId: Number(params.account) } as Actor);
      return sendStream(reply, share, async function* () {
        for (let sent = 0; sent < Number(params.mib); sent++) yield 'x'.repeat(MIB);
      });
    },
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
  return app;
}

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await app.close();
});

const port = (): number => (app.server.address() as AddressInfo).port;

/** Requests a stream and reads nothing of it. */
async function unread(path: string, at = port()): Promise<Socket> {
  const socket = connect(at, '127.0.0.1').on('error', () => {});
  sockets.push(socket);
  await once(socket, 'connect');
  socket.pause();
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  return socket;
}

/** Returns the time of a whole response in milliseconds. */
async function timeOf(path: string): Promise<number> {
  const startedAt = performance.now();
  const response = await fetch(`http://127.0.0.1:${port()}${path}`);
  await response.text();
  expect(response.status).toBe(200);
  return performance.now() - startedAt;
}

for (const pool of ['lists', 'jobs'] as const)
  test(`8 accounts that read nothing of 3 ${pool} each leave another its turn, also when they come again`, async () => {
    const attack = async (): Promise<void> => {
      for (let account = 1; account <= 8; account++)
        for (let each = 0; each < 3; each++) await unread(`/${pool}/${account}/100`);
    };
    await attack();
    expect(await timeOf(`/${pool}/99/1`)).toBeLessThan(SOON_MS);
    await attack();
    expect(await timeOf(`/${pool}/99/1`)).toBeLessThan(SOON_MS);
  });

test('clients that take little now and then lose their connection to others, too', async () => {
  for (let account = 1; account <= 4; account++) {
    const socket = await unread(`/jobs/${account}/100`);
    const reading = setInterval(() => socket.read(4_096), 50);
    socket.once('close', () => clearInterval(reading));
  }
  expect(await timeOf('/jobs/99/1')).toBeLessThan(SOON_MS);
});

test('a client that reads keeps its connection while others wait', async () => {
  await app.close();
  // Reader and service share a thread here, which a busy machine stops for some 100 ms: the patience of the product.
  app = await listen();
  const reading = fetch(`http://127.0.0.1:${port()}/jobs/99/50`);
  for (let account = 1; account <= 6; account++) await unread(`/jobs/${account}/100`);
  const others = Array.from({ length: 6 }, (_, each) => timeOf(`/jobs/${200 + each}/1`));
  expect((await (await reading).text()).length).toBe(50 * MIB);
  await Promise.all(others);
});

test('an unread stream is not cut while no other waits', async () => {
  const sent = Array.from({ length: 3 }, (_, account) => unread(`/jobs/${account}/30`));
  const first = await Promise.all(sent);
  await timeOf('/jobs/99/1');
  await pause(2 * PATIENCE_MS);
  await timeOf('/jobs/99/1');
  let read = 0;
  for await (const chunk of first[0] ?? []) if ((read += (chunk as Buffer).length) > 30 * MIB) break;
  expect(read).toBeGreaterThan(30 * MIB);
});

test('the first of an account comes before the further ones of others', async () => {
  const shares = createStreamShares({ lists: 1, jobs: 2 });
  const gate = Promise.withResolvers<void>();
  const order: number[] = [];
  const all = [1, 2, 1, 1, 3].map((accountId) =>
    shares.jobs({ accountId } as Actor)(async () => {
      order.push(accountId);
      await gate.promise;
    }),
  );
  gate.resolve();
  await Promise.all(all);
  expect(order.slice(0, 3)).toEqual([1, 2, 3]);
});

test('an account whose client was cut comes after those that wait later', async () => {
  const pool = createStreamPool(1, 200);
  const order: number[] = [];
  const timeout = { timeoutMs: 20_000, error: () => new Error('no turn') };
  const cut = Promise.withResolvers<string>();
  const unreadStream = pool(
    1,
    async (reader) => {
      reader.waits(cut.resolve);
      await cut.promise;
    },
    timeout,
  );
  const later = [1, 2].map((accountId) => pool(accountId, async () => void order.push(accountId), timeout));
  await Promise.all([unreadStream, ...later]);
  expect(order).toEqual([2, 1]);
});

test('the last part of a stream that its client does not take holds no connection', async () => {
  const share = createStreamShares({ lists: 1, jobs: 1 }).jobs({ accountId: 1 } as Actor);
  const ended = Promise.withResolvers<void>();
  const last = Fastify({ forceCloseConnections: true });
  last.get('/', (_request, reply) =>
    sendStream(reply, share, async function* () {
      const stuck = () => Promise.race([once(reply.raw, 'drain').then(() => false), pause(300, true)]);
      do yield 'x'.repeat(MIB / 4);
      while (!reply.raw.writableNeedDrain || !(await stuck()));
      ended.resolve();
    }),
  );
  await last.listen({ host: '127.0.0.1', port: 0 });
  await unread('/', (last.server.address() as AddressInfo).port);
  await ended.promise;
  expect(await share(async () => 'free')).toBe('free');
  sockets[0]?.destroy();
  await last.close();
});

test('each connection passes on often enough for all who wait', () => {
  expect(debtAllowed([], 4, 4_000)).toBe(4_000);
  expect(debtAllowed([100], 4, 4_000)).toBe(4_000);
  expect(debtAllowed([4_000], 4, 4_000)).toBe(250);
  // The fifth has its turn after one, the ninth after two.
  expect(debtAllowed([3_000, 0, 0, 0, 1_000], 4, 4_000)).toBe(3_000);
  expect(debtAllowed([3_000, 0, 0, 0, 1_000, 0, 0, 0, 1_000], 4, 4_000)).toBe(1_500);
});
