/** docs/domains.md as an operator follows it: 200 domains behind Caddy, each with a certificate and its redirect. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Caddy, startCaddy } from '../support/caddy.ts';
import { startTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { type NameServer, startNameServer } from '../support/name-server.ts';
import { createSite } from '../support/site.ts';
import { until } from '../support/wait.ts';

const DOMAINS = Array.from({ length: 200 }, (_, index) => `old-${index}.example`);
const AT_A_TIME = 4;
/** The commands of the page that need a running service, in order. */
const COMMANDS = [
  ...readFileSync(join(import.meta.dirname, '../../docs/domains.md'), 'utf8').matchAll(/```bash\n(.*?)```/gs),
].flatMap(([, text = '']) => (text.includes('$BASE') ? [text] : []));

const run = promisify(execFile);
let folder: string;
let names: NameServer;
let detour: TestDetour;
let owner: TestAccount;
let caddy: Caddy;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'detour-domains-'));
  names = await startNameServer({ 'detour.example': ['203.0.113.7'], 'old.example.com': ['203.0.113.7'] });
  const env = { PUBLIC_URL: 'https://detour.example', TRUST_PROXY: '1', DNS_SERVERS: names.address };
  detour = await startTestDetour(env);
  owner = await detour.account();
  caddy = await startCaddy(env.PUBLIC_URL, new URL(detour.address).host);
});
afterAll(async () => {
  await caddy.stop();
  await detour.stop();
  await names.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Retries a failed handshake, as browsers do: Caddy before 2.9 rejects some that arrive at the same moment. */
const visited = (host: string, path: string) =>
  until(() => caddy.visit('https', host, path).catch(() => undefined), 30_000);

/** Runs a command of the page that contains `part`. */
async function command(part: string, website = 0): Promise<string> {
  const found = COMMANDS.filter((text) => text.includes(part));
  expect(found.length).toBe(1);
  const env = { ...process.env, BASE: detour.address, KEY: owner.key, WEBSITE: String(website) };
  return (await run('bash', ['-euo', 'pipefail', '-c', found[0] ?? ''], { cwd: folder, env })).stdout;
}

test('the commands for one domain add it, show its state and say whether it gets a certificate', async () => {
  expect(COMMANDS.length).toBe(5);
  const id = await createSite(owner, []);
  const { website } = JSON.parse(await command('-X PUT', id));
  expect(website.hosts[0]).toMatchObject({ hostname: 'old.example.com', verified: true });
  const { hosts } = JSON.parse(await command('/hosts?', id));
  expect(hosts[0]).toMatchObject({ hostname: 'old.example.com', dns: { state: 'here', addresses: ['203.0.113.7'] } });
  expect(JSON.parse(await command('another.example', id))).toMatchObject({ added: 1, host_count: 2 });
  expect(await command('/api/tls/ask')).toBe('200\n');
  expect((await owner.call('PUT', `/api/websites/${id}`, { hosts: [] })).status).toBe(200);
  expect(await command('/api/tls/ask')).toBe('404\n');
});

test('200 parked domains each get a certificate at the first visit, and respond with their redirect', async () => {
  writeFileSync(
    join(folder, 'domains.txt'),
    DOMAINS.map((host, index) => `${host} -> https://new.example/of-${index}\n`).join(''),
  );
  const { website } = JSON.parse(await command('domains.txt'));
  expect(website.hosts.length).toBe(DOMAINS.length);
  expect(caddy.certificates()).toEqual(['detour.example']);

  const left = DOMAINS.map((host, index) => ({ host, location: `https://new.example/of-${index}/a%20b?c=d` }));
  const wrong: unknown[] = [];
  const visitors = Array.from({ length: AT_A_TIME }, async () => {
    for (let next = left.pop(); next; next = left.pop()) {
      const { status, location } = await visited(next.host, '/a%20b?c=d');
      if (status !== 301 || location !== next.location) wrong.push([next, status, location]);
    }
  });
  await Promise.all(visitors);
  expect(wrong).toEqual([]);
  expect(caddy.certificates()).toEqual([...DOMAINS, 'detour.example'].toSorted());
});

test('over http a domain is redirected at once, and the host of PUBLIC_URL goes to https', async () => {
  const parked = await caddy.visit('http', 'old-7.example', '/x');
  expect([parked.status, parked.location]).toEqual([301, 'https://new.example/of-7/x']);
  const own = await caddy.visit('http', 'detour.example', '/docs');
  expect([own.status, own.location]).toEqual([308, 'https://detour.example/docs']);
});

test('a name that no website has gets no certificate', async () => {
  const before = caddy.certificates();
  for (const name of ['stranger.example', 'www.old-7.example', 'localhost'])
    await expect(caddy.visit('https', name, '/')).rejects.toThrow(/alert|SSL|EPROTO|closed|reset/i);
  expect(caddy.certificates()).toEqual(before);
  expect((await caddy.visit('http', 'stranger.example', '/')).status).toBe(421);
});

test('names below a wildcard get certificates too', async () => {
  await createSite(owner, ['*.wild.example'], { fallback_url: 'https://new.example' });
  const { status, location } = await visited('a.b.wild.example', '/x');
  expect([status, location]).toEqual([302, 'https://new.example/x']);
  expect(caddy.certificates()).toContain('a.b.wild.example');
});
