/** The built edge library: its file without Node.js, its types, the examples of its page, and generated requests. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createContext, Script } from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EdgeRule } from '../../src/edge-library/types.ts';
import { type EdgeLibrary, pipeline, type SentRequest, startEdgeServers } from '../support/edge-servers.ts';
import { seeded } from '../support/random.ts';
import { inSoak } from '../support/soak.ts';
import { until } from '../support/wait.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const BUNDLE = join(ROOT, 'dist/edge/edge.js');

let folder: string;

beforeAll(() => {
  execFileSync(process.execPath, ['scripts/build-edge.ts'], { cwd: ROOT });
  folder = mkdtempSync(join(tmpdir(), 'detour-edge-library-'));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(ROOT, join(folder, 'node_modules/detour'));
  for (const name of ['express', 'fastify', '@types'])
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const example = (name: string): string => readFileSync(join(ROOT, `docs/examples/edge-library/${name}.js`), 'utf8');

/** Runs scripts with what a service worker has, and nothing of Node.js. */
function runWithoutNode(code: string): Record<string, unknown> {
  const web = { Request, Response, Headers, URL, URLSearchParams, TextEncoder, TextDecoder, AbortController, crypto };
  const more = { fetch, performance, setTimeout, clearTimeout, listeners: {} as Record<string, unknown> };
  const context = createContext({ ...web, ...more });
  new Script('delete globalThis.SharedArrayBuffer; globalThis.self = globalThis').runInContext(context);
  new Script('self.addEventListener = (type, listener) => { listeners[type] = listener }').runInContext(context);
  const bundle = readFileSync(BUNDLE, 'utf8').replace(/^export \{(.*)\};$/m, 'globalThis.detour = {$1};');
  new Script(bundle).runInContext(context);
  const imported = code.replace(/^import (\{.*\}) from 'detour\/edge';$/m, 'const $1 = detour;');
  new Script(`(() => {${imported}})()`).runInContext(context);
  return context;
}

test('the file needs nothing but what a service worker has', async () => {
  const text = readFileSync(BUNDLE, 'utf8');
  // `?.`: it may be absent, and then another way is used.
  expect(text.replaceAll(/globalThis\.(?:Buffer|process)\?\./g, '')).not.toMatch(
    /^import |\bBuffer\b|\bprocess\b|node:/m,
  );
  const { listeners } = runWithoutNode(example('service-worker'));
  const listener = (listeners as { fetch: (event: unknown) => void }).fetch;
  const responses: Response[] = [];
  for (const path of ['/old?x=1', '/new']) {
    const request = new Request(`https://shop.example${path}`);
    listener({ request, respondWith: (response: Response) => responses.push(response) });
  }
  expect(responses.map(({ status, headers }) => [status, headers.get('location')])).toEqual([[301, '/new?x=1']]);
  expect(await responses[0]?.text()).toBe('301 /new?x=1\n');
});

test('the types fit Express, Fastify and a web application', () => {
  writeFileSync(
    join(folder, 'consumer.ts'),
    `import express from 'express';
import fastify from 'fastify';
import { createEdge, type Edge, type EdgeRule, expressMiddleware, fastifyPlugin, fetchMiddleware } from 'detour/edge';
const rules: EdgeRule[] = [{ old_path: '/old', new_path: '/new' }];
const edge: Edge = createEdge({ rules, onlyOn404: true });
createEdge({ url: 'https://detour.example.com', key: 'k', website: 7, environment: 'staging' });
// @ts-expect-error: an unknown value
createEdge({ rules, trailing_slash: 'strict' });
express().use(expressMiddleware(edge));
await fastify().register(fastifyPlugin(edge));
const response: Response | null = edge.handle(new Request('https://shop.example/old'));
export default { response, fetch: fetchMiddleware(edge) };
`,
  );
  const flags = '--noEmit --strict --skipLibCheck --module nodenext --target es2023 --lib es2023,dom --types node';
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, ...flags.split(' '), 'consumer.ts'], { cwd: folder, stdio: 'pipe' });
  // Before Node.js could require ES modules: only a condition for `require` has types.
  writeFileSync(
    join(folder, 'consumer.cts'),
    "import edge = require('detour/edge');\nedge.createEdge({ rules: [] });\n",
  );
  const node16 = flags.replace('nodenext', 'node16');
  execFileSync(process.execPath, [tsc, ...node16.split(' '), 'consumer.cts'], { cwd: folder, stdio: 'pipe' });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

test.each([
  ['express', '/old?x=1', 301, '/new?x=1'],
  ['express-404', '/product/2', 301, '/shop'],
  ['express-404', '/product/1', 200, null],
  ['fastify', '/old', 308, '/new'],
])('the example %s responds to %s with %i', async (name, path, status, location) => {
  const port = await freePort();
  writeFileSync(join(folder, `${name}.js`), example(name));
  const child = spawn(process.execPath, [`${name}.js`], { cwd: folder, env: { ...process.env, PORT: String(port) } });
  try {
    const ask = (): Promise<Response | undefined> =>
      fetch(`http://localhost:${port}${path}`, { redirect: 'manual' }).catch(() => undefined);
    const response = await until(ask, 60_000);
    expect([response.status, response.headers.get('location')]).toEqual([status, location]);
  } finally {
    child.kill('SIGKILL');
  }
});

test('the examples of Next.js, of a worker and of Deno redirect', async () => {
  const load = async (name: string): Promise<Record<string, unknown>> => {
    writeFileSync(join(folder, `${name}.js`), example(name));
    return import(join(folder, `${name}.js`));
  };
  const request = new Request('https://www.example.com/old');
  const next = (await load('next')) as { middleware: (request: Request) => Promise<Response> };
  expect((await next.middleware(request)).headers.get('location')).toBe('https://www.example.com/new');
  const served: ((request: Request) => Response)[] = [];
  Object.assign(globalThis, { Deno: { serve: (handler: (request: Request) => Response) => served.push(handler) } });
  await load('deno');
  expect(served[0]?.(request).headers.get('location')).toBe('/new');
  const real = globalThis.fetch;
  try {
    globalThis.fetch = async () => new Response('no page', { status: 404 });
    const worker = (await load('worker')) as { default: { fetch: (request: Request) => Promise<Response> } };
    expect((await worker.default.fetch(request)).headers.get('location')).toBe('/new');
  } finally {
    globalThis.fetch = real;
  }
});

const REQUESTS = inSoak(100_000, 10_000);
const BATCH_SIZE = 2_500;
const HOST = 'shop.example';

function generatedRules(random: () => number): EdgeRule[] {
  const statuses = [301, 301, 302, 307, 308, 410];
  const rules: EdgeRule[] = Array.from({ length: 500 }, (_, i) => {
    const status = statuses[Math.floor(random() * statuses.length)] ?? 301;
    const letter = random() < 0.2 ? 'É' : random() < 0.3 ? 'Page' : 'page';
    const query = random() < 0.2 ? `?id=${i}` : '';
    const elsewhere = random() < 0.2 ? `https://other.example/ü/${i}?x=1#top` : `/new/${i}`;
    return { old_path: `/${letter}-${i}${query}`, new_path: status === 410 ? null : elsewhere, status_code: status };
  });
  const patterns = ['/blog/(\\d+)/(.*)', '/page-(\\d)x', '/shop/(?P<name>[a-z]+)/?'];
  const targets = ['/news/$2?n=$1', '/digit/$1', '/s/${name}'];
  patterns.forEach((text, i) => rules.push({ old_path: text, new_path: targets[i] ?? '', is_regex: true }));
  return rules;
}

function generatedRequest(random: () => number): SentRequest {
  const i = Math.floor(random() * 600);
  const paths = [
    `/page-${i}`,
    `/Page-${i}`,
    `/%C3%89-${i}`,
    `/p%61ge-${i}`,
    `/blog/${i}/a%20b`,
    `/shop/ab`,
    `/page-${i % 9}x`,
  ];
  const path = paths[Math.floor(random() * paths.length)] ?? '';
  const queries = ['', '', `?id=${i}`, `?x=2&id=${i}`, '?utm=%7e', '?'];
  const suffix = ['', '', '', '/', '/..', '%'][Math.floor(random() * 6)] ?? '';
  const target = path + suffix + (queries[Math.floor(random() * queries.length)] ?? '');
  return { method: random() < 0.1 ? 'HEAD' : random() < 0.1 ? 'POST' : 'GET', target, headers: [`Host: ${HOST}`] };
}

test('Express, Fastify and handle respond to generated requests as the service does', async () => {
  const library: EdgeLibrary = await import(BUNDLE);
  const servers = await startEdgeServers(library);
  const random = seeded(15);
  let redirects = 0;
  const wrong: string[] = [];
  try {
    for (let sent = 0; sent < REQUESTS; sent += BATCH_SIZE) {
      const options = { case_sensitive: random() < 0.5, trailing_slash: random() < 0.5 ? 'exact' : 'ignore' } as const;
      const edge = servers.use(HOST, generatedRules(random), {
        ...options,
        query: random() < 0.3 ? 'drop' : 'pass',
        fallback_url: random() < 0.2 ? 'https://old.example/base' : null,
      });
      const requests = Array.from({ length: BATCH_SIZE }, () => generatedRequest(random));
      const { service, express, fastify } = servers.ports;
      const [wanted, ...found] = await Promise.all([service, express, fastify].map((port) => pipeline(port, requests)));
      expect(wanted).toHaveLength(BATCH_SIZE);
      for (const each of found) expect(each).toEqual(wanted);
      for (const [index, { method, target }] of requests.entries()) {
        const response = edge.handle(new Request(`https://${HOST}${target}`, { method }));
        const line = response ? `${response.status}\nlocation: ${response.headers.get('location') ?? undefined}\n` : '';
        // A URL has no dot segments.
        if (!target.includes('/..') && wanted?.[index]?.startsWith(line || 'no redirect') !== true) wrong.push(target);
        if (response) redirects++;
      }
    }
  } finally {
    await servers.close();
  }
  expect(wrong).toEqual([]);
  expect(redirects).toBeGreaterThan(REQUESTS / 5);
});
