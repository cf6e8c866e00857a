/** The bodies that followers share, read from a service on a real socket. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFeedBodies, type FeedBodies } from '../../../src/edge-agent/relay/feed-bodies.ts';
import { until } from '../../support/wait.ts';

const END = '{"end":true}\n';
const LARGE = `${'x'.repeat(2_000_000)}\n`;

let dir: string;
let service: Server;
let requests: number;
let answer: { status: number; text: string };
let bodies: FeedBodies;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'detour-bodies-'));
  requests = 0;
  answer = { status: 200, text: `{"version":1}\n${END}` };
  service = createServer((_request, response) => {
    requests++;
    response.writeHead(answer.status, { etag: 'W/"1-a"' }).end(answer.text);
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  bodies = createFeedBodies({ dir, url, apiKey: 'k' });
});
afterEach(() => {
  service.close();
  rmSync(dir, { recursive: true });
});

test('followers of the same state share one read, in memory if it is small', async () => {
  const [one, other] = await Promise.all([bodies.get('/f?since=1', 'a'), bodies.get('/f?since=1', 'a')]);
  expect([requests, other.memory?.toString()]).toEqual([1, answer.text]);
  expect(one).toMatchObject({ etag: '"1-a"', bytes: answer.text.length });
});

test('a large body is a file, and the next state replaces it', async () => {
  answer.text = LARGE + END;
  const { file = '' } = await bodies.get('/f', 'a');
  expect(readFileSync(file, 'utf8')).toBe(LARGE + END);
  await bodies.get('/f', 'b');
  await until(async () => readdirSync(dir).length === 1);
  expect(requests).toBe(2);
});

test.each([`{"version":1}\n`, LARGE])('a body without an end is 503, stored nowhere and read again', async (text) => {
  answer.text = text;
  await expect(bodies.get('/f', 'a')).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
  expect(readdirSync(dir)).toEqual([]);
  answer.text = END;
  expect((await bodies.get('/f', 'a')).memory?.toString()).toBe(END);
});

test('410 is passed on; an error about the key of the relay is not', async () => {
  answer = { status: 410, text: '{"code":"VERSION_EXPIRED"}' };
  await expect(bodies.get('/f?since=1', 'a')).rejects.toMatchObject({ status: 410, body: answer.text });
  answer = { status: 401, text: '{}' };
  await expect(bodies.get('/f?since=1', 'a')).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
});
