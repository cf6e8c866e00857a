/**
 * `detour sync` with real servers and a real service: an edit reaches each server, a broken configuration reaches none,
 * and nothing changes while the service is away.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../src/platform/postgres/server.ts';
import { send, visitAt } from '../support/detour.ts';
import { openWorkshop, type ServiceProcess, type Workshop } from '../support/process.ts';
import { configurationOf } from '../support/recipes.ts';
import { until } from '../support/wait.ts';
import { serverFolder, type ServerName, startServer, type WebServer } from '../support/web-servers.ts';

const CLI = join(import.meta.dirname, '../../src/cli.ts');
const HOST = 'www.example.com';
const WITHIN_MS = 60_000;
const NAMES: ServerName[] = ['nginx', 'apache', 'caddy'];

interface Synced {
  name: ServerName;
  file: string;
  port: number;
  server: WebServer;
}

let workshop: Workshop;
let service: ServiceProcess;
let url: string;
let key: string;
/** of scope read, which is all that a server gets */
let readKey: string;
let websiteId: string;
let origin: Server;
let folder: string;
const synced: Synced[] = [];
const children: ChildProcess[] = [];

beforeAll(async () => {
  workshop = openWorkshop();
  const port = await freePort('127.0.0.1');
  url = `http://127.0.0.1:${port}`;
  service = workshop.start({ PORT: String(port) });
  await service.ready;
  key = JSON.parse(readFileSync(join(workshop.dataDir, 'credentials.json'), 'utf8')).api_key;
  const email = ['--email', 'owner@example.com'];
  const made = await workshop.admin(['key', 'create', ...email, '--name', 'web', '--scope', 'read', '--json']);
  readKey = JSON.parse(made.stdout).api_key.key;
  const hosts = [{ hostname: HOST, environment: 'production' }];
  websiteId = (await call('POST', '/websites', { name: 'Shop', hosts })).website.id;
  await redirect('/old', '/new');
  origin = createServer((request, response) => {
    const added = Object.keys(request.headers).filter((name) => name.startsWith('detour'));
    response.end(`origin ${request.url}${added.join()}`);
  });
  await new Promise<void>((resolve) => origin.listen(0, '127.0.0.1', resolve));
  folder = serverFolder();
}, 180_000);
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  for (const { server } of synced) await server.stop();
  origin?.close();
  await workshop?.clear();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- responses of several operations
async function call(method: string, path: string, body?: object): Promise<any> {
  const answer = await send(url, method, `/api/v1${path}`, body, { authorization: `Bearer ${key}` });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.body;
}

/** Creates a redirect and waits until it is live. */
async function redirect(oldPath: string, newPath: string): Promise<void> {
  await call('POST', '/redirects', { website_id: websiteId, old_path: oldPath, new_path: newPath });
  await until(async () => (await visitAt(url, HOST, oldPath)).status === 301, WITHIN_MS);
}

interface Run {
  child: ChildProcess;
  stderr: () => string;
  ended: Promise<number | null>;
}

function sync(name: ServerName, commands: { test: string; reload: string }, ...more: string[]): Run {
  const args = [
    'sync',
    name,
    '--out',
    join(folder, `${name}.conf`),
    '--website',
    HOST,
    '--agent',
    `${name}-1`,
    ...more,
  ];
  const child = spawn(process.execPath, [CLI, ...args, '--test', commands.test, '--reload', commands.reload], {
    env: { ...process.env, HOME: folder, DETOUR_URL: url, DETOUR_API_KEY: readKey },
  });
  children.push(child);
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  child.stdout.resume();
  return { child, stderr: () => text, ended: once(child, 'close').then(([code]) => code as number | null) };
}

/** `status location`, or the body of the origin. A new connection each time: a reload closes those in use. */
function visit({ port }: Synced, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { host: `${HOST}:${port}` };
    const request = httpRequest({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      response.on('end', () => {
        // Apache makes every target an absolute URL.
        const location = response.headers.location?.replace(`http://${HOST}:${port}`, '');
        resolve(response.statusCode === 200 ? body : `${response.statusCode} ${location}`);
      });
    });
    request.on('error', reject).end();
  });
}

/** Waits until the server answers so. A server that reloads may reset a connection. */
async function serves(each: Synced, path: string, answer: string): Promise<void> {
  await until(async () => (await visit(each, path).catch(String)) === answer, WITHIN_MS);
}

const eachServer = (work: (each: Synced) => Promise<void>): Promise<void[]> => Promise.all(synced.map(work));

test('a first run writes the configuration, and the server answers its redirects', async () => {
  for (const name of NAMES) {
    const file = join(folder, `${name}.conf`);
    expect(await sync(name, { test: 'true', reload: 'true' }).ended).toBe(0);
    const port = await freePort('127.0.0.1');
    const site = configurationOf(`${name}-sync`, { port, file, origin: (origin.address() as AddressInfo).port });
    const server = await startServer(name, { site, port, folder, admin: await freePort('127.0.0.1') });
    synced.push({ name, file, port, server });
  }
  await eachServer(async (each) => {
    expect(await visit(each, '/old')).toBe('301 /new');
    expect(await visit(each, '/other?x=1')).toBe('origin /other?x=1');
    expect(await visit(each, '/a%2Fb//c')).toBe('origin /a%2Fb//c');
  });
}, 120_000);

test('--watch brings each edit to the servers, also after the service was away', async () => {
  const watchers = synced.map(({ name, server, port }) =>
    sync(name, server, '--watch', '--probe', `http://127.0.0.1:${port}`),
  );
  await redirect('/second', '/2');
  await eachServer((each) => serves(each, '/second', '301 /2'));
  await redirect('/third', '/3');
  await eachServer((each) => serves(each, '/third', '301 /3'));
  const pattern = { website_id: websiteId, old_path: '/find/(.*)', new_path: '/search?q=$1', is_regex: true };
  await call('POST', '/redirects', pattern);
  await redirect('/page[1]|', '/page?no=1');
  await eachServer((each) => serves(each, '/page[1]|?a=b&no=2', '301 /page?no=1&a=b'));
  await eachServer((each) => serves(each, '/find/[x]?q=1&a=b', '301 /search?q=%5Bx%5D&a=b'));
  // Each installation was compared with the service.
  expect(watchers.map(({ stderr }) => stderr())).toEqual(['', '', '']);

  service.signal('SIGTERM');
  await service.ended;
  await until(
    () => Promise.resolve(watchers.every(({ stderr }) => stderr().includes('the connection was'))),
    WITHIN_MS,
  );
  await eachServer(async (each) => expect(await visit(each, '/third')).toBe('301 /3'));
  expect(watchers.map(({ child }) => child.exitCode)).toEqual([null, null, null]);
  service = workshop.start({ PORT: new URL(url).port });
  await service.ready;
  await redirect('/fourth', '/4');
  await eachServer((each) => serves(each, '/fourth', '301 /4'));

  const agents = await until(async () => {
    const { agents: listed } = await call('GET', `/websites/${websiteId}/agents`);
    const found = listed.map((each: Record<string, unknown>) => [each['name'], each['kind'], each['behind_since']]);
    return found.every(([, , behindSince]: unknown[]) => behindSince === null) && found;
  }, WITHIN_MS);
  expect(agents.toSorted()).toEqual(NAMES.toSorted().map((name) => [`${name}-1`, name, null]));
  for (const { child } of watchers) child.kill('SIGTERM');
  expect(await Promise.all(watchers.map(({ ended }) => ended))).toEqual([0, 0, 0]);
}, 300_000);

test('a configuration that the server refuses is never loaded', async () => {
  await redirect('/fifth', '/5');
  for (const each of synced) {
    const { name, file, server } = each;
    const main = readFileSync(server.main, 'utf8');
    const before = readFileSync(file, 'utf8');
    appendFileSync(server.main, '\nnot_a_directive_of_this_server {{{\n');
    const refused = sync(name, server);
    expect(await refused.ended, refused.stderr()).toBe(3);
    expect(readFileSync(file, 'utf8')).toBe(before);
    writeFileSync(server.main, main);
    const failed = sync(name, { test: server.test, reload: `${server.reload}; ! grep -q '/5' $DETOUR_FILE` });
    expect(await failed.ended, failed.stderr()).toBe(1);
    expect(readFileSync(file, 'utf8')).toBe(before);
    await serves(each, '/fifth', 'origin /fifth');
    await serves(each, '/fourth', '301 /4');
  }
}, 120_000);

test('a server that does not answer as Detour gets its former file back', async () => {
  const [each] = synced;
  if (!each) throw new Error('no server');
  await redirect('/sixth', '/6?x=1');
  const before = readFileSync(each.file, 'utf8');
  // Without a reload, the server has the former redirects.
  const run = sync(each.name, { test: 'true', reload: 'true' }, '--probe', `http://127.0.0.1:${each.port}`);
  expect(await run.ended, run.stderr()).toBe(1);
  expect(run.stderr()).toMatch(/at http:\S+ is 200, and in Detour 301 \S+; the former file is loaded again/);
  expect(readFileSync(each.file, 'utf8')).toBe(before);
}, 120_000);

test('after a kill between the swap and the test, the next run loads the new configuration', async () => {
  for (const each of synced) {
    const { name, file, server } = each;
    await sync(name, { test: 'kill -9 $PPID', reload: server.reload }).ended;
    expect(readFileSync(file, 'utf8')).toContain('/fifth');
    expect(await visit(each, '/fifth')).toBe('origin /fifth');
    const next = sync(name, server);
    expect(await next.ended, next.stderr()).toBe(0);
    await serves(each, '/fifth', '301 /5');
    expect(existsSync(join(folder, `.${name}.conf.detour-former`))).toBe(false);
  }
}, 120_000);
