/** Runs the configurations of docs/examples/delivery between visitors, the service and an origin. */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import {
  createServer,
  type IncomingMessage,
  request as httpRequest,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../src/platform/postgres/server.ts';
import { startTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { configurationOf, recipe, recipeNames } from '../support/recipes.ts';
import { addRedirect, createSite, settled } from '../support/site.ts';
import { serverFolder, type ServerName, startServer, type WebServer } from '../support/web-servers.ts';

const HOST = 'www.example.com';
const CLI = join(import.meta.dirname, '../../src/cli.ts');
const PAGE = readFileSync(join(import.meta.dirname, '../../docs/delivery.md'), 'utf8');

let detour: TestDetour;
let owner: TestAccount;
let websiteId: number;
let origin: Server;
let originPort: number;
let folder: string;
/** what the origin was asked */
let asked: string[] = [];

beforeAll(async () => {
  detour = await startTestDetour({ TRUST_PROXY: '1' });
  owner = await detour.account();
  websiteId = await createSite(owner, [HOST]);
  for (const rule of RULES) await addRedirect(owner, websiteId, rule);
  await settled(owner, websiteId);
  origin = createServer((request, response) => void answer(request).then((send) => send(response)));
  await new Promise<void>((resolve) => origin.listen(0, '127.0.0.1', resolve));
  originPort = (origin.address() as AddressInfo).port;
  folder = serverFolder();
});
afterAll(async () => {
  origin.closeAllConnections();
  origin.close();
  await detour.stop();
  rmSync(folder, { recursive: true, force: true });
});

const RULES = [
  { old_path: '/old', new_path: '/new' },
  { old_path: '/gone', status_code: 410 },
  { old_path: '/legal', status_code: 451 },
  { old_path: '/form', new_path: '/contact', status_code: 308 },
  { old_path: '/%C3%BCber', new_path: '/about#team', status_code: 302 },
  { old_path: '/blog/([0-9]+)', new_path: '/posts/$1', is_regex: true },
  { old_path: '/page', new_path: '/elsewhere' },
  { old_path: '/only-here', new_path: '/found' },
];

interface Sent {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

const REDIRECTS: Sent[] = [
  { path: '/old' },
  { path: '/old/?a=1&b=%zz' },
  { path: '/gone' },
  { path: '/legal' },
  { path: '/form', method: 'POST', body: 'a=b' },
  { path: '/%C3%BCber?q' },
  { path: '/blog/12' },
  { path: '/old', method: 'HEAD' },
];

/** Requests that only the origin answers; `/page` is a page of the origin and a redirect as well. */
const ORIGINALS: Sent[] = [
  { path: '/' },
  { path: '/a%2Fb//c%20d/../e?x=%zz&y=%C3%BC' },
  { path: '/blog/x' },
  { path: '/missing' },
  { path: '/missing', method: 'HEAD' },
  { path: '/broken' },
  { path: '/cookies' },
  { path: '/packed', headers: { 'accept-encoding': 'gzip' } },
  { path: '/moved' },
  { path: '/', method: 'HEAD' },
  { path: '/', headers: { 'if-none-match': '"v1"' } },
  { path: '/upload', method: 'POST', body: 'x'.repeat(300_000) },
  { path: '/missing', method: 'POST', body: 'y'.repeat(20_000) },
  { path: '/item', method: 'PUT', body: '{"a":1}' },
  { path: '/item', method: 'DELETE' },
  { path: '/any', method: 'OPTIONS' },
];

/** The website: its response says how the request arrived. */
async function answer(request: IncomingMessage) {
  const hash = createHash('sha256');
  for await (const chunk of request) hash.update(chunk as Buffer);
  const { method, url = '' } = request;
  asked.push(`${method} ${url}`);
  const line = `${method} ${url} ${request.headers.host?.replace(/:\d+$/, '')} ${hash.digest('hex')}\n`;
  const path = url.split('?')[0] ?? '';
  return (response: ServerResponse): void => {
    response.setHeader('X-Origin', 'yes');
    // Caddy adds one to a response without it, and removes it from a 304.
    const is304 = request.headers['if-none-match'] !== undefined;
    if (!is304) response.setHeader('Content-Type', 'text/plain');
    if (path === '/missing' || path === '/only-here')
      response.writeHead(404, { 'content-type': 'text/html' }).end(`<h1>Not here</h1>${line}`);
    else if (path === '/broken') response.writeHead(500).end(`broken ${line}`);
    else if (path === '/cookies') response.writeHead(200, { 'set-cookie': ['a=1; Path=/', 'b=2'] }).end(line);
    else if (path === '/packed') response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(line));
    else if (path === '/moved') response.writeHead(302, { location: '/login?next=/moved' }).end();
    else if (is304) response.writeHead(304, { etag: '"v1"' }).end();
    else
      response.writeHead(200, { etag: '"v1"', 'cache-control': 'max-age=60', 'content-length': line.length }).end(line);
  };
}

interface Answer {
  status: number;
  headers: string[];
  body: string;
}

/** Headers that each server sets for its own connection. */
const OF_THE_CONNECTION = /^(connection|keep-alive|transfer-encoding|date|server|x-request-id|content-length):/;

function ask(port: number, { method = 'GET', path, headers = {}, body }: Sent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const host = `${HOST}:${port}`;
    const length = body === undefined ? {} : { 'content-length': String(body.length) };
    const request = httpRequest({ port, path, method, headers: { host, ...length, ...headers } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const { rawHeaders } = response;
        const names = rawHeaders.filter((_, at) => at % 2 === 0);
        const lines = names.map((name, at) => `${name.toLowerCase()}: ${rawHeaders[2 * at + 1]}`);
        resolve({
          status: response.statusCode ?? 0,
          headers: lines.filter((line) => !OF_THE_CONNECTION.test(line)).toSorted(),
          body: Buffer.concat(chunks).toString('latin1'),
        });
      });
    });
    request.on('error', reject).end(body);
  });
}

/** Names the request in a failure. */
function expectEqual({ method = 'GET', path }: Sent, actual: object, expected: object): void {
  expect({ asked: `${method} ${path}`, ...actual }).toEqual({ asked: `${method} ${path}`, ...expected });
}

const detourPort = () => Number(new URL(detour.address).port);

async function withRecipe(
  name: string,
  addresses: { detour?: number; file?: string },
  work: (port: number, server: WebServer) => Promise<void>,
): Promise<void> {
  const port = await freePort('127.0.0.1');
  const site = configurationOf(name, { detour: detourPort(), origin: originPort, ...addresses, port });
  const kind = name.split('-')[0] as ServerName;
  const server = await startServer(kind, { site, port, folder, admin: await freePort('127.0.0.1') });
  try {
    await work(port, server);
  } finally {
    await server.stop();
  }
}

/** Everything that a visitor sees of an answer of the service, in the order of the names. */
async function assertRedirects(port: number, isSame: (one: Answer) => object = (one) => one): Promise<void> {
  for (const sent of REDIRECTS) {
    const expected = await ask(detourPort(), sent);
    expect([301, 302, 308, 410, 451]).toContain(expected.status);
    expectEqual(sent, isSame(await ask(port, sent)), isSame(expected));
  }
}

async function assertOrigin(port: number): Promise<void> {
  for (const sent of ORIGINALS) {
    const expected = await ask(originPort, sent);
    expectEqual(sent, await ask(port, sent), expected);
  }
}

describe.each(['nginx-behind', 'apache-behind', 'caddy-behind'])('%s', (name) => {
  test('passes every response of Detour unchanged', async () => {
    await withRecipe(name, {}, async (port) => {
      await assertRedirects(port);
      for (const sent of ORIGINALS) {
        expectEqual(sent, await ask(port, sent), await ask(detourPort(), sent));
      }
    });
  });
});

describe.each(['nginx-front', 'caddy-front'])('%s', (name) => {
  test('answers redirects as Detour does, and all else as the origin does', async () => {
    await withRecipe(name, {}, async (port) => {
      await assertRedirects(port);
      await assertOrigin(port);
      expect((await ask(port, { path: '/page' })).status).toBe(301);
      asked = [];
      await ask(port, { path: '/old' });
      await ask(port, { path: '/upload', method: 'POST', body: 'once' });
      expect(asked).toEqual(['POST /upload']);
    });
  });

  test('answers as the origin does while Detour is away', async () => {
    await withRecipe(name, { detour: await freePort('127.0.0.1') }, async (port) => {
      await assertOrigin(port);
      expect((await ask(port, { path: '/old' })).body).toContain('GET /old');
    });
  });
});

describe.each(['nginx-on-404', 'caddy-on-404'])('%s', (name) => {
  test('answers as the origin does, and redirects what it does not have', async () => {
    await withRecipe(name, {}, async (port) => {
      await assertOrigin(port);
      expect((await ask(port, { path: '/page' })).body).toContain('GET /page');
      for (const path of ['/only-here', '/only-here?a=1']) {
        expect(await ask(port, { path })).toEqual(await ask(detourPort(), { path }));
      }
      expect((await ask(port, { path: '/only-here', method: 'POST', body: 'a' })).status).toBe(404);
    });
  });
});

test('the script for a CDN uploads a new version, once', async () => {
  const cwd = serverFolder();
  mkdirSync(join(cwd, 'public'));
  const script = recipe('cdn').replaceAll('npx detour', `${process.execPath} ${CLI}`);
  const run = (): Promise<string> => {
    const env = { ...process.env, HOME: cwd, DETOUR_URL: detour.address, DETOUR_API_KEY: owner.key };
    const child = spawn('bash', ['-euc', script], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
    return text(child.stdout);
  };
  expect(await run()).toBe('upload public/ to the CDN\n');
  expect(readFileSync(join(cwd, 'public/_redirects'), 'utf8')).toContain('/old /new 301!\n');
  expect(await run()).toBe('');
  rmSync(cwd, { recursive: true });
});

test('every recipe is tested, and docs/delivery.md links to each', () => {
  const here = ['behind', 'front', 'on-404'];
  const others = ['nginx-sync', 'apache-sync', 'caddy-sync', 'systemd-watch', 'systemd-once', 'systemd-timer', 'cdn'];
  const rest = recipeNames().filter((name) => !here.some((end) => name.endsWith(end)));
  expect(rest.toSorted()).toEqual(others.toSorted());
  expect(recipeNames().filter((name) => !PAGE.includes(`](examples/delivery/${name}.`))).toEqual([]);
});

test('the units of systemd are valid', () => {
  const names = {
    'detour-sync.service': 'watch',
    'detour-sync-once.service': 'once',
    'detour-sync-once.timer': 'timer',
  };
  const files = Object.entries(names).map(([file, name]) => {
    const path = join(folder, file);
    writeFileSync(path, recipe(`systemd-${name}`).replace('/usr/local/bin/detour', '/bin/true'));
    return path;
  });
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...files], { encoding: 'utf8' });
  const own = stderr.split('\n').filter((line) => line.includes('detour-sync'));
  expect({ status, own }).toEqual({ status: 0, own: [] });
});
