/** Load test: imports 20,000 redirects into one website while a client keeps requesting another website. */
import { readFileSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { send, visitAt } from '../support/detour.ts';
import { openWorkshop, type Workshop } from '../support/process.ts';
import { addRedirect, type Caller, createSite, ended, settled } from '../support/site.ts';

const HOST = 'steady.example';
const ROWS = 20_000;
const VISITORS = 8;

// A separate process, so that the client's own work does not count as latency.
let workshop: Workshop;
let address: string;
let owner: Caller;
const agent = new Agent({ keepAlive: true, maxSockets: VISITORS });

interface Seen {
  status: number;
  location: string | undefined;
  ms: number;
}

function visit(path: string): Promise<Seen> {
  const { hostname, port } = new URL(address);
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const request = httpRequest({ agent, hostname, port, path, headers: { host: HOST } }, (response) => {
      response.resume().on('end', () => {
        const { statusCode: status = 0, headers } = response;
        resolve({ status, location: headers.location, ms: performance.now() - began });
      });
    });
    request.on('error', reject).end();
  });
}

beforeAll(async () => {
  workshop = openWorkshop();
  address = (await workshop.start().ready).replace('localhost', '127.0.0.1');
  const { email, password } = JSON.parse(readFileSync(join(workshop.dataDir, 'credentials.json'), 'utf8'));
  const { headers } = await send(address, 'POST', '/api/auth/sign-in', { email, password }, {});
  const cookie = (headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  owner = { call: (method, path, body) => send(address, method, path, body, { cookie }) };
});

afterAll(async () => {
  agent.destroy();
  await workshop.clear();
});

/** Uploads rows whose targets contain the round number, and waits for the deployment. */
async function importRound(site: number, round: number): Promise<void> {
  const lines = Array.from({ length: ROWS }, (_, i) => `/old/section-${i % 97}/page-${i}.html,/new/${round}/page-${i}`);
  const form = new FormData();
  form.set('website_id', String(site));
  form.set('on_conflict', 'update');
  form.set('file', new Blob([['old_path,new_path', ...lines].join('\n')]), 'rules.csv');
  const { body } = await owner.call('POST', '/api/redirects/import', form);
  expect([body.imported + body.updated, body.error_count]).toEqual([ROWS, 0]);
  for (const id of body.deployments) expect((await ended(owner, id)).redirect_count).toBe(ROWS);
}

test('every response is correct, no request fails, and the slowest are logged', async () => {
  const steady = await createSite(owner, [HOST]);
  for (let i = 0; i < 20; i++) await addRedirect(owner, steady, { old_path: `/p${i}`, new_path: `/t${i}` });
  await addRedirect(owner, steady, { old_path: '/blog/([0-9]+)/.*', new_path: '/posts/$1', is_regex: true });
  await settled(owner, steady);
  const loaded = await createSite(owner, ['loaded.example']);
  const expected = [
    ...Array.from({ length: 20 }, (_, i) => [`/p${i}`, `/t${i}`] as const),
    ['/blog/42/x', '/posts/42'] as const,
  ];

  let working = true;
  const times: number[] = [];
  const wrong: unknown[] = [];
  const visitor = async (first: number): Promise<void> => {
    for (let i = first; working; i++) {
      const [path, target] = expected[i % expected.length] ?? ['/', ''];
      const seen = await visit(path);
      times.push(seen.ms);
      if (seen.status !== 301 || seen.location !== target) wrong.push([path, seen]);
    }
  };
  const rounds = (async () => {
    for (const round of [1, 2]) await importRound(loaded, round);
    working = false;
  })();
  await Promise.all([rounds, ...Array.from({ length: VISITORS }, (_, i) => visitor(i))]);

  expect(wrong).toEqual([]);
  times.sort((a, b) => a - b);
  const quantile = (share: number): string => (times[Math.floor(times.length * share)] ?? 0).toFixed(1);
  console.log(
    `${times.length} requests while 2 x ${ROWS} redirects were imported and deployed: ` +
      `p50 ${quantile(0.5)} ms, p99 ${quantile(0.99)} ms, p99.9 ${quantile(0.999)} ms`,
  );
  expect(times.length).toBeGreaterThan(500);
  // Only the median has a bound: other load on the machine decides the rest.
  expect(Number(quantile(0.5))).toBeLessThan(100);
  expect((await visitAt(address, 'loaded.example', '/old/section-1/page-1.html')).location).toBe('/new/2/page-1');
});
