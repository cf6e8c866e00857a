/**
 * An agent in this process, with a feed on a real socket. test/system/edge-agent runs the process with the service.
 * Holds the rules of src/edge-agent/copy-writer.ts, followed-website.ts, listeners.ts, rules-copy.ts and
 * agent-metrics.ts.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Agent, startAgent } from '../../src/edge-agent/agent.ts';
import { readOptions } from '../../src/edge-agent/options.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { visitAt } from '../support/detour.ts';
import { feedRule, type FeedServer, startFeedServer } from '../support/feed-server.ts';
import { until } from '../support/wait.ts';

let feed: FeedServer;
let dataDir: string;
const running: Agent[] = [];

beforeEach(async () => {
  feed = await startFeedServer();
  dataDir = mkdtempSync(join(tmpdir(), 'detour-agent-'));
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((agent) => agent.stop()));
  await feed.close();
  rmSync(dataDir, { recursive: true, force: true });
});

async function start(listen = '0'): Promise<Agent> {
  const ports = ['--listen', listen, '--admin-listen', '0', '--data', dataDir];
  const invocation = readOptions(['--url', feed.url, '--website', '7', ...ports], { DETOUR_API_KEY: 'k' });
  if (invocation.kind !== 'run') throw new Error(invocation.kind);
  const agent = await startAgent(invocation.options, { clock: systemClock, log: pino({ level: 'silent' }) });
  running.push(agent);
  return agent;
}

async function stop(agent: Agent): Promise<void> {
  running.splice(running.indexOf(agent), 1);
  await agent.stop();
}

const location = async (agent: Agent, path: string): Promise<string | undefined> =>
  (await visitAt(agent.address, 'shop.example', path)).location;

const admin = async (agent: Agent, path: string): Promise<{ status: number; text: string }> => {
  const response = await fetch(agent.adminAddress + path);
  return { status: response.status, text: await response.text() };
};

test('it answers from its feed, then from its copy while the service is away, and catches up', async () => {
  feed.publish([feedRule(1, '/a'), feedRule(2, '/b/(.*)', '/c/$1')]);
  const first = await start();
  await until(async () => (await location(first, '/a')) === '/to-1');
  await stop(first);
  expect(readdirSync(dataDir)).toContain('7-production.rules');

  const { port } = new URL(feed.url);
  await feed.close();
  // A killed process leaves its draft.
  writeFileSync(join(dataDir, '7-production.rules.draft'), 'half a file');
  const second = await start();
  expect(await location(second, '/a')).toBe('/to-1');
  expect(await location(second, '/b/x')).toBe('/c/x');
  expect(JSON.parse((await admin(second, '/health')).text)).toMatchObject({
    websites: [{ website: '7', website_id: '7', version: 1, rules: 2, source: 'copy', seconds_behind: null }],
  });
  expect((await admin(second, '/ready')).status).toBe(200);

  feed = await startFeedServer(Number(port));
  feed.publish([feedRule(1, '/a'), feedRule(2, '/b/(.*)', '/c/$1')]);
  feed.publish([feedRule(1, '/a', '/edited')]);
  await until(async () => (await location(second, '/a')) === '/edited', 20_000);
  expect(feed.requests[0]?.query).toMatchObject({ since: '1', kind: 'edge', serving: '1' });
  await until(async () => !existsSync(join(dataDir, '7-production.rules.draft')));
  await stop(second);
});

test('before it has rules, hosts get 503; afterwards, an unknown host gets 421', async () => {
  feed.faults.push({ status: 503 });
  feed.publish([feedRule(1, '/a')]);
  const agent = await start();
  const early = await visitAt(agent.address, 'shop.example', '/a');
  expect(early).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  expect(await admin(agent, '/ready')).toMatchObject({ status: 503, text: expect.stringContaining('the rules of 7') });
  await until(async () => (await location(agent, '/a')) === '/to-1');
  for (const host of ['other.example', 'localhost', '127.0.0.1']) {
    const { status, headers, body } = await visitAt(agent.address, host, '/a');
    expect({ status, id: headers['x-request-id'], body: JSON.parse(body) }).toMatchObject({
      status: 421,
      id: expect.stringMatching(/./),
      body: { code: 'MISDIRECTED_REQUEST', details: expect.stringContaining(host) },
    });
  }
});

test('the paths of the probes belong to websites on the visitors port, and to the agent elsewhere', async () => {
  feed.publish([feedRule(1, '/health', '/moved'), feedRule(2, '/metrics', '/moved')]);
  const agent = await start();
  await until(async () => (await location(agent, '/health')) === '/moved');
  expect(await location(agent, '/metrics')).toBe('/moved');
  expect((await visitAt(agent.address, '127.0.0.1', '/health')).status).toBe(200);
  expect((await visitAt(agent.address, '127.0.0.1', '/metrics')).status).toBe(421);
  const metrics = await admin(agent, '/metrics');
  expect(metrics.status).toBe(200);
  expect(metrics.text).toContain('detour_agent_version{website="7",environment="production"} 1');
  expect(metrics.text).toMatch(/detour_redirects_total{environment="production",outcome="redirected"} [2-9]/);
  expect((await admin(agent, '/a')).status).toBe(404);
});

test('a second agent cannot use the same folder', async () => {
  feed.publish([feedRule(1, '/a')]);
  await start();
  await expect(start()).rejects.toThrow(/in use by process \d+.*--data/);
});

test('a port in use is an error that names the option, and leaves the folder free', async () => {
  feed.publish([feedRule(1, '/a')]);
  await expect(start(new URL(feed.url).port)).rejects.toThrow(/EADDRINUSE.*--listen/);
  const agent = await start();
  await until(async () => (await location(agent, '/a')) === '/to-1');
});

test('a copy of another service is not served', async () => {
  feed.publish([feedRule(1, '/a')]);
  const agent = await start();
  await until(async () => (await location(agent, '/a')) === '/to-1');
  await stop(agent);
  await feed.close();
  feed = await startFeedServer();
  feed.faults.push({ status: 503 });
  const other = await start();
  expect((await visitAt(other.address, 'shop.example', '/a')).status).toBe(503);
});
