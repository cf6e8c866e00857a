/**
 * Accounts request streams of every kind and read nothing of them, or a byte now and then. Another account gets its own
 * meanwhile.
 */
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, signIn } from '../../bench/client.ts';
import { openWorkshop, type Workshop } from '../support/process.ts';

const ACCOUNTS = 8;
/** With long targets: more than the buffers of a connection take. */
const RULES = 8_000;
const TARGET = `/${'x'.repeat(2_000)}`;
const PASSWORD = 'one of the long ones';
const SOON_MS = 6_000;

interface Tenant {
  client: Client;
  key: string;
  websiteId: number;
}

let workshop: Workshop;
let address: string;
let victim: Tenant;
const idle: Tenant[] = [];
const sockets: Socket[] = [];

beforeAll(async () => {
  workshop = openWorkshop();
  address = (await workshop.start({ TRUST_PROXY: '1' }).ready).replace('localhost', '127.0.0.1');
  const credentials = JSON.parse(readFileSync(join(workshop.dataDir, 'credentials.json'), 'utf8'));
  const client = await signIn(address, credentials);
  victim = { client, key: credentials.api_key, websiteId: 1 };
  for (let each = 0; each < ACCOUNTS; each++) idle.push(await openTenant(`idle-${each}`));
}, 600_000);

afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await workshop.clear();
});

async function openTenant(name: string): Promise<Tenant> {
  const email = `${name}@example.com`;
  const created = await workshop.admin([
    'account',
    'create',
    '--email',
    email,
    '--plan',
    'enterprise',
    '--password',
    PASSWORD,
  ]);
  expect(created.code, created.stderr).toBe(0);
  const session = await signIn(address, { email, password: PASSWORD, api_key: '' });
  const { api_key } = await session.call<{ api_key: { key: string } }>(
    'POST',
    '/api/keys',
    '{"name":"x","scope":"write"}',
  );
  const client = await signIn(address, { email, password: PASSWORD, api_key: api_key.key });
  const { website } = await client.call<{ website: { id: number } }>('POST', '/api/websites', JSON.stringify({ name }));
  const redirects = Array.from({ length: RULES }, (_, n) => ({ old_path: `/${n}`, new_path: TARGET }));
  await client.keyCall('POST', '/api/v1/redirects/bulk', JSON.stringify({ website_id: String(website.id), redirects }));
  return { client, key: api_key.key, websiteId: website.id };
}

const kinds: Record<string, (websiteId: number) => string> = {
  list: () => '/api/redirects',
  export: (id) => `/api/v1/redirects/bulk/export?website_id=${id}`,
  feed: (id) => `/api/v1/feeds/${id}/production`,
  diff: (id) => `/api/v1/deployments/diff?website_id=${id}&environment=staging`,
  health: (id) => `/api/v1/websites/${id}/health`,
};

function unread({ client, key }: Tenant, path: string, everyMs?: number): void {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname).on('error', () => {});
  socket.pause();
  const credential = path.startsWith('/api/v1/') ? `Authorization: Bearer ${key}` : `Cookie: ${client.cookie}`;
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n${credential}\r\n\r\n`);
  sockets.push(socket);
  if (everyMs === undefined) return;
  const reading = setInterval(() => socket.read(1), everyMs);
  socket.once('close', () => clearInterval(reading));
}

async function msOf(kind: string): Promise<number> {
  const path = kinds[kind]?.(victim.websiteId) ?? '';
  const startedAt = performance.now();
  await victim.client.download(path);
  return Math.round(performance.now() - startedAt);
}

for (const attack of ['list', 'export', 'feed', 'diff', 'all'])
  for (const everyMs of [undefined, 4_000])
    test(`${ACCOUNTS} accounts x 3 of ${attack}, ${everyMs ? 'a byte now and then' : 'nothing read'}: others wait less than 6 s`, async () => {
      for (const tenant of idle)
        for (let each = 0; each < 3; each++) {
          const kind = attack === 'all' ? (Object.keys(kinds)[(each + tenant.websiteId) % 5] ?? '') : attack;
          unread(tenant, kinds[kind]?.(tenant.websiteId) ?? '', everyMs);
        }
      const taken = await Promise.all(Object.keys(kinds).map(async (kind) => [kind, await msOf(kind)] as const));
      console.log(attack, everyMs ?? 'unread', JSON.stringify(Object.fromEntries(taken)));
      expect(Math.max(...taken.map(([, ms]) => ms))).toBeLessThan(SOON_MS);
      for (const socket of sockets.splice(0)) socket.destroy();
    });
