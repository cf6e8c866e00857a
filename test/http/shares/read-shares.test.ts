import { request as httpRequest } from 'node:http';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { setErrorHandlers } from '../../../src/http/errors/errors.ts';
import { createReadShares, releaseRead } from '../../../src/http/shares/read-shares.ts';
import { decorateRequests } from '../../../src/http/request.ts';
import { sendStream } from '../../../src/http/stream.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import type { Caller } from '../../../src/http/request.ts';

/** Reads of an account with a pool of 10. */
const SHARE = 2;
const WAIT_MS = 150;

let app: FastifyInstance;
let address: string;
/** the handlers that run, by account */
let running: string[];
let gate: PromiseWithResolvers<void>;

beforeEach(async () => {
  running = [];
  gate = Promise.withResolvers();
  app = Fastify({ forceCloseConnections: true });
  setErrorHandlers(app, systemClock);
  decorateRequests(app);
  const readShares = createReadShares(10, WAIT_MS);
  app.addHook('onRequest', async (request, reply) => {
    const accountId = Number(request.headers['x-account']);
    request.caller = { actor: { accountId }, session: null } as unknown as Caller;
    await readShares(request, reply);
  });
  app.addHook('onSend', async (request) => releaseRead(request));
  const slow = async (request: { headers: Record<string, unknown> }) => {
    running.push(String(request.headers['x-account']));
    await gate.promise;
    return {};
  };
  app.get('/search', slow);
  app.post('/write', slow);
  app.post('/check', { config: { reads: true } }, slow);
  app.get('/export', { config: { gives: {} } }, slow);
  app.get('/list', { config: { reads: true, gives: {} } }, (request, reply) => {
    running.push(String(request.headers['x-account']));
    return sendStream(
      reply,
      (work) => work(1_000),
      async function* () {
        await gate.promise;
        yield 'rows';
      },
    );
  });
  address = await app.listen({ host: '127.0.0.1', port: 0 });
});

afterEach(async () => {
  gate.resolve();
  await app.close();
});

function send(method: string, path: string, account: number): Promise<number> {
  return fetch(address + path, { method, headers: { 'x-account': String(account) } }).then(async (response) => {
    await response.text();
    return response.status;
  });
}

async function untilRunning(count: number): Promise<void> {
  await expect.poll(() => running.length).toBe(count);
}

test('an account has its share of reads at a time, the next one waits, and another account does not', async () => {
  const first = [send('GET', '/search', 1), send('POST', '/check', 1)];
  await untilRunning(SHARE);
  const next = send('GET', '/search', 1);
  const others = [send('GET', '/search', 2), send('POST', '/write', 1), send('GET', '/export', 1)];
  await untilRunning(SHARE + 3);
  expect(running.filter((account) => account === '1')).toHaveLength(SHARE + 2);
  gate.resolve();
  expect(await Promise.all([...first, next, ...others])).toEqual([200, 200, 200, 200, 200, 200]);
});

test('a read that waits too long gets 503 with Retry-After, and the account reads again when the others have ended', async () => {
  const first = [send('GET', '/search', 1), send('GET', '/search', 1)];
  await untilRunning(SHARE);
  const late = await fetch(`${address}/search`, { headers: { 'x-account': '1' } });
  expect([late.status, late.headers.get('retry-after')]).toEqual([503, '5']);
  expect(await late.json()).toMatchObject({ code: 'BUSY', details: expect.stringContaining('2 reads in progress') });
  gate.resolve();
  expect(await Promise.all(first)).toEqual([200, 200]);
  expect(await send('GET', '/search', 1)).toBe(200);
});

test('a streamed response has no share while it waits and sends', async () => {
  const lists = [1, 2, 3, 4].map(() => send('GET', '/list', 1));
  await untilRunning(4);
  gate.resolve();
  expect(await Promise.all(lists)).toEqual([200, 200, 200, 200]);
});

test('a client that leaves does not free its share before its query has ended', async () => {
  const left = Array.from({ length: SHARE }, () => {
    const request = httpRequest(`${address}/search`, { headers: { 'x-account': '1' } }).end();
    request.on('error', () => {});
    return request;
  });
  await untilRunning(SHARE);
  const closed = left.map((request) => new Promise((resolve) => request.once('close', resolve)));
  for (const request of left) request.destroy();
  await Promise.all(closed);
  expect(await send('GET', '/search', 1)).toBe(503);
  gate.resolve();
  expect(await send('GET', '/search', 1)).toBe(200);
});
