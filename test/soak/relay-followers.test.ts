/**
 * 1,000 followers behind one relay, each on its own socket with one of 50 keys: every one sees an edit within a second,
 * at less than one core of the relay. A follower that reads nothing costs the others nothing.
 */
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AgentFolder, type AgentProcess, openAgentFolder } from '../support/agent-process.ts';
import { startTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { addRedirect, createSite, settled } from '../support/site.ts';
import { until } from '../support/wait.ts';

const FOLLOWERS = 1_000;
const KEYS = 50;
const EDITS = 10;
const EVERY_MS = 2_000;
const RULES = 5_000;
const SLOW = 50;
const WITHIN_MS = 1_000;
const TICKS_PER_SECOND = 100;

let detour: TestDetour;
let owner: TestAccount;
let folder: AgentFolder;
let relay: AgentProcess;
let site: number;
let redirect: number;
const keys: string[] = [];
const slow: Socket[] = [];
const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
let isDone = false;
/** by version: when each follower had it */
const seen = new Map<number, number[]>();

const path = (query = '') => `/api/v1/feeds/${site}/production${query}`;

function get(key: string, query: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` };
    const sent = request(relay.relayAddress + path(query), { agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text }));
      response.once('error', reject);
    });
    sent.once('error', reject).end();
  });
}

interface Head {
  version: number;
  history: string;
  options_checksum: string;
}
const headOf = (text: string): Head => JSON.parse(text.slice(0, text.indexOf('\n')));

/** Follows from a version, as an agent does, without applying the rules. */
async function follow(key: string, from: Head): Promise<void> {
  for (let head = from; !isDone;) {
    const state = `since=${head.version}&history=${head.history}&options=${head.options_checksum}`;
    const { status, text } = await get(key, `?${state}&wait=50`);
    if (status === 304 || isDone) continue;
    expect(status, text).toBe(200);
    head = headOf(text);
    const times = seen.get(head.version) ?? [];
    seen.set(head.version, times);
    times.push(performance.now());
  }
}

/** CPU of all threads, in seconds. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

const rssMegabytes = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;

beforeAll(async () => {
  detour = await startTestDetour();
  owner = await detour.account();
  site = await createSite(owner, ['relay.example']);
  redirect = await addRedirect(owner, site, { old_path: '/a', new_path: '/0' });
  const body = (at: number) => ({
    website_id: String(site),
    redirects: Array.from({ length: 1_000 }, (_, index) => ({
      old_path: `/${at + index}`,
      new_path: '/x'.repeat(900),
    })),
  });
  for (let at = 0; at < RULES; at += 1_000)
    expect((await owner.keyCall('POST', '/api/v1/redirects/bulk', body(at))).status).toBeLessThan(300);
  await settled(owner, site);
  for (let each = 0; each < KEYS; each++) {
    const created = await owner.call('POST', '/api/keys', { name: `follower ${each}`, scope: 'read' });
    keys.push(created.body.api_key.key);
  }
  folder = openAgentFolder();
  relay = await folder.start(['--url', detour.address, '--website', String(site), '--relay', '0'], {
    DETOUR_API_KEY: owner.key,
  });
  await until(async () => (await get(owner.key, '')).status === 200, 20_000);
}, 120_000);

afterAll(async () => {
  isDone = true;
  agent.destroy();
  for (const socket of slow) socket.destroy();
  await folder.clear();
  await detour.stop();
});

test('every follower sees an edit within a second, at less than one core', { timeout: 300_000 }, async () => {
  for (let each = 0; each < SLOW; each++) {
    const socket = connect(Number(new URL(relay.relayAddress).port), '127.0.0.1')
      .pause()
      .on('error', () => {});
    socket.write(`GET ${path()} HTTP/1.1\r\nHost: relay\r\nAuthorization: Bearer ${keys[0]}\r\n\r\n`);
    slow.push(socket);
  }
  const head = headOf((await get(keys[0] ?? '', '')).text);
  const idle = rssMegabytes(relay.pid);
  const following = Array.from({ length: FOLLOWERS }, (_, each) => follow(keys[each % KEYS] ?? '', head));
  const failed = Promise.all(following).then(() => {});
  failed.catch(() => {});
  await until(async () => (await followersOf(relay)) >= FOLLOWERS, 60_000);

  const [cpuBefore, startedAt] = [cpuSeconds(relay.pid), performance.now()];
  const delays: number[] = [];
  for (let edit = 1; edit <= EDITS; edit++) {
    const version = head.version + edit;
    const answered = await owner.call('PUT', `/api/redirects/${redirect}`, { new_path: `/${edit}` });
    const editedAt = performance.now();
    expect(answered.status).toBe(200);
    await Promise.race([failed, until(async () => (seen.get(version)?.length ?? 0) >= FOLLOWERS, 20_000)]);
    delays.push(Math.max(...(seen.get(version) ?? [])) - editedAt);
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
  const cores = (cpuSeconds(relay.pid) - cpuBefore) / ((performance.now() - startedAt) / 1_000);
  const [slowest, rss] = [Math.max(...delays), rssMegabytes(relay.pid)];
  console.log(
    `last of ${FOLLOWERS} followers after ${delays.map(Math.round).join(', ')} ms; ${cores.toFixed(2)} cores; ` +
      `${Math.round(idle)} MB before, ${Math.round(rss)} MB with them`,
  );
  expect(slowest).toBeLessThan(WITHIN_MS);
  expect(cores).toBeLessThan(1);
  expect(rss - idle).toBeLessThan(200);
  // Those that read nothing are closed.
  await until(async () => (await followersOf(relay)) <= FOLLOWERS, 60_000);
});

async function followersOf({ adminAddress }: AgentProcess): Promise<number> {
  const text = await (await fetch(`${adminAddress}/metrics`)).text();
  return Number(/^detour_agent_relay_followers (\d+)$/m.exec(text)?.[1]);
}
