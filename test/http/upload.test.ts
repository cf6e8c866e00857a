import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readAtMinRate } from '../../src/http/upload.ts';

const WINDOW_MS = 100;
const outcomes: string[] = [];
const server = createServer((request, response) => {
  void (async () => {
    let bytes = 0;
    try {
      for await (const piece of readAtMinRate(request, WINDOW_MS)) bytes += piece.length;
      outcomes.push(`${bytes} bytes`);
      response.end();
    } catch {
      outcomes.push('cut off');
    }
  })();
});
let port = 0;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});

afterAll(() => server.close());

test('a body that keeps coming is read to its end, one that stops or only drips is cut off', async () => {
  const whole = httpRequest({ port, method: 'POST' });
  whole.end('x'.repeat(100_000));
  await once(whole, 'response');
  expect(outcomes).toEqual(['100000 bytes']);

  const dripping = httpRequest({ port, method: 'POST' });
  const dropped = once(dripping, 'error');
  const drip = setInterval(() => dripping.write('x'), WINDOW_MS / 10);
  await dropped;
  clearInterval(drip);
  expect(outcomes[1]).toBe('cut off');
});
