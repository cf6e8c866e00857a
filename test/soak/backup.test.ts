/** Runs the commands of docs/backup.md: what they restore serves everything, and sends nothing while it is rehearsed. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { runningPostgres } from '../../src/platform/postgres/embedded.ts';
import { freePort } from '../../src/platform/postgres/server.ts';
import { send, visitAt } from '../support/detour.ts';
import { startOwnPostgres } from '../support/own-postgres.ts';
import { openWorkshop, type ServiceProcess, type Workshop } from '../support/process.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { until } from '../support/wait.ts';

const PAGE = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'backup.md'), 'utf8');
const OWNER = { email: 'owner@example.com', password: 'correct horse battery' };
const KEYS = {
  SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  OWNER_EMAIL: OWNER.email,
  OWNER_PASSWORD: OWNER.password,
  WEBHOOK_EGRESS: 'private',
};
const Credentials = z.object({ api_key: z.string(), website_id: z.number() });

let workshop: Workshop;
let backup: string;
let receiver: Receiver;
beforeEach(async () => {
  workshop = openWorkshop();
  backup = mkdtempSync(join(tmpdir(), 'detour-backup-'));
  // Without a response, so that deliveries are pending at the time of the backup.
  receiver = await startReceiver({ reply: 503 });
});
afterEach(async () => {
  await workshop.clear();
  await receiver.stop();
  rmSync(backup, { recursive: true, force: true });
});

/** The commands below a heading of the page, without those that start a process or need a host of the reader. */
function commandsOf(heading: string): string {
  const section = PAGE.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  const commands = [...section.matchAll(/```bash\n(.*?)```/gs)].map(([, block = '']) => block);
  if (commands.length === 0) throw new Error(`docs/backup.md has no commands below "${heading}"`);
  return commands.join('');
}

/** The variables of a line `A=... B=... npm start` of the page, with the values that a shell gives them. */
function settingsOf(line: RegExp, values: Record<string, string>): Record<string, string> {
  const found = commandsOf('Rehearse a restore')
    .split('\n')
    .find((command) => line.test(command));
  const pairs = [...(found ?? '').matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name = '', value = '']) => [
    name,
    value.replace(/\$([A-Z_]+)/g, (_, variable: string) => values[variable] ?? ''),
  ]);
  return Object.fromEntries(pairs);
}

const run = promisify(execFile);

async function shell(commands: string, env: Record<string, string>): Promise<void> {
  await run('bash', ['-euo', 'pipefail', '-c', commands], { env: { PATH: process.env['PATH'], ...env } });
}

async function sessionOf(address: string): Promise<Record<string, string>> {
  const answer = await send(address, 'POST', '/api/auth/sign-in', OWNER, {});
  expect(answer.status).toBe(200);
  return { cookie: (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '' };
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

/** Adds a webhook and a redirect, whose event stays pending because the receiver responds with 503. */
async function fill(address: string, key: string, websiteId: number): Promise<void> {
  const session = await sessionOf(address);
  const webhook = { name: 'backup', url: receiver.url, events: ['redirect.created'] };
  expect((await send(address, 'POST', '/api/webhooks', webhook, bearer(key))).status).toBe(201);
  const redirect = { website_id: websiteId, old_path: '/restored', new_path: '/to' };
  expect((await send(address, 'POST', '/api/redirects', redirect, session)).status).toBe(201);
  await receiver.got(1, 30_000);
  await until(async () => (await visitAt(address, 'demo.localhost', '/restored')).status === 301);
}

async function assertRestored(address: string, key: string): Promise<void> {
  await until(async () => (await fetch(`${address}/ready?for=api`)).status === 200);
  expect(await visitAt(address, 'demo.localhost', '/restored')).toMatchObject({ status: 301, location: '/to' });
  const session = await sessionOf(address);
  expect((await send(address, 'GET', '/api/v1/deployments', undefined, bearer(key))).status).toBe(200);
  const { body } = await send<{ redirects: unknown[] }>(address, 'GET', '/api/redirects', undefined, session);
  expect(body.redirects.length).toBeGreaterThan(1);
  const webhooks = await send<{ webhooks: unknown[] }>(address, 'GET', '/api/webhooks', undefined, bearer(key));
  expect(webhooks.body.webhooks).toMatchObject([{ name: 'backup', is_active: true }]);
}

/** Starts the service and resolves when it is ready at a free port. */
async function begin(env: Record<string, string>): Promise<{ service: ServiceProcess; address: string }> {
  const address = `http://127.0.0.1:${await freePort('127.0.0.1')}`;
  const service = workshop.start({ ...KEYS, ...env, PORT: new URL(address).port, PUBLIC_URL: address });
  await service.ready;
  return { service, address };
}

async function stop(service: ServiceProcess): Promise<void> {
  service.signal('SIGTERM');
  expect((await service.ended).code).toBe(0);
}

interface Restored {
  /** the variables of the rehearsal, as the page gives them */
  settings: Record<string, string>;
  key: string;
  database: () => string;
}

/** Rehearses, then starts without WEBHOOK_SENDING: the delivery that the rehearsal did not send was due. */
async function assertRehearsed({ settings, key, database }: Restored): Promise<void> {
  expect(settings).toMatchObject({ WEBHOOK_SENDING: 'off' });
  const before = receiver.requests.length;
  const rehearsal = await begin(settings);
  await assertRestored(rehearsal.address, key);
  await until(() => hasDueDelivery(database()), 60_000);
  await stop(rehearsal.service);
  expect(receiver.requests).toHaveLength(before);
  receiver.reply(200);
  const { service } = await begin({ ...settings, WEBHOOK_SENDING: '' });
  const sent = (await receiver.got(before + 1, 120_000)).at(-1);
  expect(sent?.headers['x-service-signature']).toMatch(/^sha256=/);
  await stop(service);
}

async function hasDueDelivery(url: string): Promise<boolean> {
  const client = new Client(url);
  await client.connect();
  const due = `select 1 from deliveries where state = 'pending' and due_at <= now()`;
  const { rowCount } = await client.query(due).finally(() => client.end());
  return rowCount === 1;
}

const credentials = () =>
  Credentials.parse(JSON.parse(readFileSync(join(workshop.dataDir, 'credentials.json'), 'utf8')));

test('a dump of the running service, restored into an empty database, serves everything and sends nothing', async () => {
  const postgres = await startOwnPostgres();
  const [url, restored] = [postgres.urlOf('detour'), postgres.urlOf('detour_restored')];
  const env = { DATABASE_URL: url, RESTORED_URL: restored, BACKUP: backup };
  const PATH = `${postgres.programs}:${process.env['PATH']}`;
  try {
    await shell(`createdb --maintenance-db='${postgres.urlOf('postgres')}' detour`, { PATH });
    const { service, address } = await begin({ DATABASE_URL: url });
    const { api_key: key, website_id } = credentials();
    await fill(address, key, website_id);
    await shell(commandsOf('Your own PostgreSQL'), { ...env, PATH });
    await stop(service);
    const settings = settingsOf(/^DATABASE_URL=/, env);
    await assertRehearsed({ settings, key, database: () => restored });
  } finally {
    await workshop.clear();
    await postgres.stop();
  }
});

test('a copy of the stopped data folder serves everything and sends nothing', async () => {
  const { service, address } = await begin({});
  const { api_key: key, website_id } = credentials();
  await fill(address, key, website_id);
  await stop(service);
  await shell(commandsOf('Embedded PostgreSQL'), { DATA_DIR: workshop.dataDir, BACKUP: backup });
  const settings = settingsOf(/^DATA_DIR=/, { BACKUP: backup });
  await assertRehearsed({ settings, key, database: () => runningPostgres(settings['DATA_DIR'] ?? '') ?? '' });
});
