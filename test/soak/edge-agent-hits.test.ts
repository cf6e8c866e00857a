/** Hits of a real agent: exact totals although the agent is killed and the service goes away and comes back. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pino from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { loadConfig } from '../../src/platform/config/config.ts';
import { freePort } from '../../src/platform/postgres/server.ts';
import { type Detour, startDetour } from '../../src/start.ts';
import { type AgentFolder, type AgentProcess, openAgentFolder } from '../support/agent-process.ts';
import { startTestDetour, type TestAccount, type TestDetour, visitAt } from '../support/detour.ts';
import { BROWSER } from '../support/hits.ts';
import { addRedirect, createSite, settled } from '../support/site.ts';
import { until } from '../support/wait.ts';

const HOST = 'hits.example';
const WITHIN_MS = 60_000;

/** Has the database. No visitor and no agent uses it. */
let other: TestDetour;
let owner: TestAccount;
let service: Detour | undefined;
let port: number;
let folder: AgentFolder;
let agent: AgentProcess;
let site: number;
let visited = 0;

async function startService(): Promise<void> {
  const config = loadConfig({
    PORT: String(port),
    DATABASE_URL: other.url,
    PUBLIC_URL: 'http://localhost:3000',
    SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    SNAPSHOTS: 'off',
  });
  service = await startDetour({ config, databaseUrl: other.url, clock: systemClock, log: pino({ level: 'silent' }) });
}

async function stopService(): Promise<void> {
  await service?.stop();
  service = undefined;
}

async function startAgent(): Promise<void> {
  const env = { DETOUR_URL: `http://127.0.0.1:${port}`, DETOUR_API_KEY: owner.key };
  agent = await folder.start(['--website', HOST, '--name', 'edge-1'], env);
  await until(async () => (await visitAt(agent.address, HOST, '/old', { method: 'HEAD' })).status === 301, WITHIN_MS);
}

/** Half of the requests match a redirect. */
async function visit(times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    const path = i % 2 === 0 ? '/old' : '/missing';
    await visitAt(agent.address, HOST, path, { headers: { 'user-agent': BROWSER } });
  }
  visited += times;
}

async function totals(): Promise<{ hits: number; unmatched: number }> {
  const { rows } = await other.db.$client.query<{ hits: number; unmatched: number }>(
    `select coalesce(sum(hits), 0)::int as hits, coalesce(sum(unmatched), 0)::int as unmatched
     from website_hits where website_id = $1`,
    [site],
  );
  return rows[0] ?? { hits: 0, unmatched: 0 };
}

/** Waits until every request is counted, and expects that none is counted twice. */
async function expectExact(): Promise<void> {
  await until(async () => {
    const { hits, unmatched } = await totals();
    return hits + unmatched >= visited;
  }, WITHIN_MS);
  expect(await totals()).toEqual({ hits: visited / 2, unmatched: visited / 2 });
}

/** Hits that the agent has stored. */
function stored(): number {
  const dir = join(folder.dataDir, 'hits', `${site}-production`);
  const files = readdirSync(dir).filter((name) => /\.(?:draft|hits)$/.test(name));
  return files.reduce((sum, name) => sum + readFileSync(join(dir, name), 'utf8').split('\n').length - 1, 0);
}

beforeAll(async () => {
  other = await startTestDetour();
  owner = await other.account();
  port = await freePort('127.0.0.1');
  folder = openAgentFolder();
  site = await createSite(owner, [HOST]);
  await addRedirect(owner, site, { old_path: '/old', new_path: '/new' });
  await settled(owner, site);
  await startService();
  await startAgent();
}, 120_000);

afterAll(async () => {
  await folder?.clear();
  await stopService();
  await other?.stop();
});

test('the totals are exact after a restart of the service, kill -9 of the agent, and a stop of it', async () => {
  await visit(20);
  await expectExact();

  await stopService();
  await visit(20);
  await until(async () => stored() === 20, WITHIN_MS);
  await agent.end('SIGKILL');
  await startAgent();
  await visit(20);
  await startService();
  await expectExact();

  await visit(20);
  expect(await agent.end('SIGTERM')).toBe(0);
  await expectExact();
});
