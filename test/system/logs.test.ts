/** Access logs of real servers, with the configurations of docs/logs.md, counted by processes of `detour logs push`. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { PushedLog } from '../../src/cli/commands/push-logs.ts';
import { freePort } from '../../src/platform/postgres/server.ts';
import { startTestDetour, type TestAccount, type TestDetour, visitAt } from '../support/detour.ts';
import { configurationOf } from '../support/recipes.ts';
import { addRedirect, createSite, settled } from '../support/site.ts';
import { until } from '../support/wait.ts';
import { serverFolder, startServer } from '../support/web-servers.ts';

const CLI = join(import.meta.dirname, '../../src/cli.ts');
const PAGE = readFileSync(join(import.meta.dirname, '../../docs/logs.md'), 'utf8');
const HUMAN = 'Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0';
const BOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const ASSISTANT = 'Mozilla/5.0 (compatible; ChatGPT-User/1.0; +https://openai.com/bot)';
const DAY_MS = 86_400_000;

type Cli = ChildProcessByStdio<null, Readable, Readable>;

let detour: TestDetour;
let owner: TestAccount;
let origin: Server;
let folder: string;
const children: Cli[] = [];

beforeAll(async () => {
  detour = await startTestDetour();
  owner = await detour.account();
  const pages = new Set(['/page', '/new', '/unlisted']);
  origin = createServer((request, response) => {
    response.statusCode = pages.has((request.url ?? '').split('?')[0] ?? '') ? 200 : 404;
    response.end('origin');
  });
  await new Promise<void>((resolve) => origin.listen(0, '127.0.0.1', resolve));
  folder = serverFolder();
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  origin.closeAllConnections();
  origin.close();
  await detour.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The configuration of docs/logs.md that has `word`, which writes to `log`. */
function fromDocs(word: string, log: string): string {
  const block = PAGE.split('```').find((part, i) => i % 2 === 1 && part.includes(word));
  if (block === undefined) throw new Error(`docs/logs.md has no ${word}`);
  return block.replace(/\/var\/log\/\w+\/access\.log/, log);
}

interface Parts {
  host: string;
  port: number;
  file: string;
  log: string;
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;
const recipeOf = (name: string, { host, port, file }: Parts): string =>
  configurationOf(name, { port, file, origin: portOf(origin) }).replaceAll('www.example.com', host);

/** Each serves the redirects of the file, and requests below /by-detour/ by Detour. */
const SITES = {
  nginx(parts: Parts): string {
    const [map = '', server = ''] = fromDocs('map $sent', parts.log).split('server {');
    const json = `access_log ${parts.log}.json detour if=$not_detour;`;
    const proxy = `location /by-detour/ { proxy_pass ${detour.address}; proxy_set_header Host $http_host; }`;
    const site = recipeOf('nginx-sync', parts);
    const own = `server {\n${server.replace(/\}\s*$/, '')}${json}\n${proxy}\n`;
    // After `map_hash_max_size`, as the page says.
    return site.replace('server {', () => `${fromDocs('log_format detour', parts.log)}${map}${own}`);
  },
  apache(parts: Parts): string {
    // Debian's apache2.conf defines the format.
    const formats = readFileSync('/etc/apache2/apache2.conf', 'utf8').match(/^LogFormat .* combined$/m);
    const proxy = `ProxyPass /by-detour/ ${detour.address}/by-detour/ nocanon`;
    const own = `${formats?.[0]}\n${fromDocs('CustomLog', parts.log)}${proxy}\nProxyPass / `;
    return recipeOf('apache-sync', parts).replace('ProxyPass / ', () => own);
  },
};

function cli(...args: string[]): Cli {
  const env = { ...process.env, HOME: folder, DETOUR_URL: detour.address, DETOUR_API_KEY: owner.key };
  const child = spawn(process.execPath, [CLI, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  return child;
}

async function output(child: Cli): Promise<string> {
  const [printed, notes, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  expect(code, notes).toBe(0);
  return printed;
}

async function push(log: string, host: string, ...more: string[]): Promise<PushedLog> {
  const printed = await output(cli('logs', 'push', log, '--website', host, '--json', ...more));
  return JSON.parse(printed).files[0];
}

const linesOf = (log: string): number => readFileSync(log, 'utf8').split('\n').length - 1;

/** Redirects by path, each with its hits. */
async function hitsOf(site: number): Promise<Record<string, number>> {
  const { body } = await owner.keyCall('GET', `/api/v1/redirects?website_id=${site}&sort=-hits`);
  return Object.fromEntries(
    body.redirects.map(({ old_path: path, hits }: { old_path: string; hits: number }) => [path, hits]),
  );
}

async function unusedOf(site: number): Promise<string[]> {
  const since = new Date(Date.now() - 90 * DAY_MS).toISOString();
  const { body } = await owner.keyCall('GET', `/api/v1/redirects?website_id=${site}&last_hit_before=${since}`);
  return body.redirects.map(({ old_path: path }: { old_path: string }) => path).sort();
}

const RULES = [
  { old_path: '/old', new_path: '/new' },
  { old_path: '/gone', status_code: 410 },
  { old_path: '/blog/([0-9]+)', new_path: '/posts/$1', is_regex: true },
  { old_path: '/quiet', new_path: '/new' },
];

const REQUESTS: [path: string, status: number, agent: string, times: number][] = [
  ['/old', 301, HUMAN, 2],
  ['/old?utm_source=mail', 301, HUMAN, 1],
  ['/old', 301, BOT, 2],
  ['/old', 301, ASSISTANT, 3],
  ['/gone', 410, HUMAN, 1],
  ['/blog/12', 301, HUMAN, 1],
  ['/missing', 404, HUMAN, 2],
  ['/missing', 404, ASSISTANT, 1],
  ['/page', 200, BOT, 1],
  ['/page', 200, ASSISTANT, 2],
  // A log above 64 KiB is known when it has grown.
  [`/page?${'x'.repeat(900)}`, 200, HUMAN, 80],
  ['/by-detour/old', 301, HUMAN, 4],
  ['/unlisted', 200, HUMAN, 1],
];
const ALL = REQUESTS.reduce((sum, [, , , times]) => sum + times, 0);
/** Those without /unlisted, which no list has, and without /by-detour/, which Detour answers. */
const COUNTED = ALL - 1 - 4;

test.each(['nginx', 'apache'] as const)(
  'the log of %s counts as if Detour had answered, without lines that it answered',
  async (name) => {
    const host = `${name}.example`;
    const site = await createSite(owner, [host]);
    for (const rule of RULES) await addRedirect(owner, site, rule);
    await settled(owner, site);
    const [file, log, port] = [join(folder, `${name}.conf`), join(folder, `${name}.log`), await freePort('127.0.0.1')];
    const commands = ['--out', file, '--test', 'true', '--reload', 'true'];
    await output(cli('sync', name, '--website', host, ...commands));
    await addRedirect(owner, site, { old_path: '/by-detour/old', new_path: '/new' });
    await settled(owner, site);
    await owner.keyCall('PUT', `/api/v1/websites/${site}/urls/living`, ['/page']);
    expect(await unusedOf(site)).toEqual(['/blog/([0-9]+)', '/by-detour/old', '/gone', '/old', '/quiet']);
    const server = await startServer(name, { site: SITES[name]({ host, port, file, log }), port, folder });
    onTestFinished(() => server.stop());

    const visit = async (path: string, agent: string) =>
      (await visitAt(`http://127.0.0.1:${port}`, host, path, { headers: { 'user-agent': agent } })).status;
    for (const [path, status, agent, times] of REQUESTS)
      for (let i = 0; i < times; i++) expect([path, await visit(path, agent)]).toEqual([path, status]);
    await until(async () => linesOf(log) >= ALL - 4);
    const first = await push(log, host);
    expect(first).toMatchObject({
      format: 'combined',
      logs: { lines: ALL - 4, counted: COUNTED, skipped: 0, not_ours: 0, invalid: 0, unused: 1 },
    });
    expect(first.examples).toEqual([{ line: ALL - 4, reason: 'unused', value: `GET /unlisted 200` }]);
    // Detour has counted those that it answered itself.
    await until(async () => (await hitsOf(site))['/by-detour/old'] === 4);
    await isCounted(site);

    expect(await visit('/old', HUMAN)).toBe(301);
    expect(await visit('/missing-too', HUMAN)).toBe(404);
    await until(async () => linesOf(log) >= ALL - 2);
    expect((await push(log, host)).logs).toMatchObject({ lines: ALL - 2, counted: 2, skipped: ALL - 4 });
    expect((await push(log, host)).logs).toMatchObject({ counted: 0, skipped: ALL - 2 });
    expect(await hitsOf(site)).toMatchObject({ '/old': 4, '/gone': 1 });
    if (name === 'nginx')
      expect(await push(`${log}.json`, host, '--stream', 'json')).toMatchObject({
        format: 'json',
        logs: { lines: ALL - 2, counted: COUNTED + 2, unused: 1 },
      });
  },
);

/** Checks reports, the unmatched list and the list of URLs. */
async function isCounted(site: number): Promise<void> {
  const expected = { '/old': 3, '/gone': 1, '/blog/([0-9]+)': 1, '/quiet': 0, '/by-detour/old': 4 };
  expect(await hitsOf(site)).toEqual(expected);
  expect(await unusedOf(site)).toEqual(['/quiet']);
  const { body: overview } = await owner.keyCall('GET', `/api/v1/analytics/overview?website_id=${site}`);
  expect(overview).toMatchObject({ total_hits: 9, bot_hits: 2, assistant_hits: 3, not_found: 2 });
  const { body: unmatched } = await owner.call('GET', `/api/websites/${site}/not-found`);
  expect(unmatched.paths).toMatchObject([{ path: '/missing', hits: 2, assistant_hits: 1 }]);
  const { body: listed } = await owner.keyCall('GET', `/api/v1/websites/${site}/urls?q=/page`);
  expect(listed.urls).toMatchObject([{ url: '/page', hits: 80, bot_hits: 1, assistant_hits: 2 }]);
}

test('--follow counts each line once, over a rotation and a killed follower', async () => {
  const host = 'follow.example';
  const site = await createSite(owner, [host]);
  await addRedirect(owner, site, { old_path: '/old', new_path: '/new' });
  await settled(owner, site);
  const log = join(folder, 'follow.log');
  let written = 0;
  const lines = (count: number): string =>
    Array.from({ length: count }, () => {
      const [, day, month, year, time] = new Date().toUTCString().split(' ');
      return `203.0.113.${++written} - - [${day}/${month}/${year}:${time} +0000] "GET /old HTTP/1.1" 301 0 "-" "${HUMAN}"\n`;
    }).join('');
  const counted = () => until(async () => (await hitsOf(site))['/old'] === written);
  function follow(...logs: string[]): Cli {
    const child = cli('logs', 'push', ...logs, '--website', host, '--stream', 'web-1', '--follow');
    child.stderr.resume();
    return child;
  }
  const kill = async (child: Cli): Promise<void> => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };

  writeFileSync(log, lines(3));
  const first = follow(log);
  await counted();
  appendFileSync(log, lines(2));
  await counted();
  renameSync(log, `${log}.1`);
  // The server writes to the renamed file until it opens the new one.
  appendFileSync(`${log}.1`, lines(1));
  writeFileSync(log, lines(2).slice(0, -1));
  await until(async () => (await hitsOf(site))['/old'] === written - 1);
  appendFileSync(log, `\n${lines(1)}`);
  await kill(first);
  appendFileSync(log, lines(1));
  const second = follow(log);
  await counted();
  await kill(second);
  appendFileSync(log, lines(1));
  renameSync(log, `${log}.1`);
  writeFileSync(log, lines(2));
  follow(`${log}.1`, log);
  await counted();
  appendFileSync(log, lines(1));
  await counted();
  // Two polls later, nothing has counted again.
  await sleep(5_000);
  expect(await hitsOf(site)).toEqual({ '/old': written });
});
