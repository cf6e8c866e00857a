/** `detour-edge --website all`: one key for every website that it may read. A real agent and a real service. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AgentFolder, type AgentProcess, openAgentFolder } from '../../support/agent-process.ts';
import { startTestDetour, type TestAccount, type TestDetour, visitAt } from '../../support/detour.ts';
import { openRelay, type Relay } from '../../support/relay.ts';
import { addRedirect, createSite } from '../../support/site.ts';
import { until } from '../../support/wait.ts';

/** A new website is followed within this time. */
const FOLLOWED_MS = 5_000;

let detour: TestDetour;
let owner: TestAccount;
let folder: AgentFolder;
let agent: AgentProcess;
let service: Relay;
let one: number;
let two: number;

async function createWithRule(account: TestAccount, host: string): Promise<number> {
  const id = await createSite(account, [host]);
  await addRedirect(account, id, { old_path: '/a', new_path: `/of-${id}` });
  return id;
}

async function answer(host: string): Promise<string | number> {
  const { status, location } = await visitAt(agent.address, host, '/a');
  return location ?? status;
}

const start = () => folder.start(['--url', service.url, '--website', 'all'], { DETOUR_API_KEY: owner.key });

beforeAll(async () => {
  detour = await startTestDetour();
  owner = await detour.account();
  const other = await detour.account();
  [one, two] = [await createWithRule(owner, 'one.all.example'), await createWithRule(owner, 'two.all.example')];
  await createWithRule(other, 'other.all.example');
  service = await openRelay(detour.address);
  folder = openAgentFolder();
  agent = await start();
});
afterAll(async () => {
  await folder.clear();
  await service.close();
  await detour.stop();
});

test('it follows the websites of its key, and no others', async () => {
  await until(async () => (await answer('one.all.example')) === `/of-${one}`);
  await until(async () => (await answer('two.all.example')) === `/of-${two}`);
  expect(await answer('other.all.example')).toBe(421);
  expect((await fetch(`${agent.adminAddress}/ready`)).status).toBe(200);
});

test('a new website is followed within 5 s, and a deleted one stops with its copy', async () => {
  const created = await createWithRule(owner, 'new.all.example');
  await until(async () => (await answer('new.all.example')) === `/of-${created}`, FOLLOWED_MS);
  const copy = join(folder.dataDir, `${created}-production.rules`);
  await until(async () => existsSync(copy));
  expect((await owner.call('DELETE', `/api/websites/${created}?force=true`)).status).toBe(200);
  await until(async () => (await answer('new.all.example')) === 421, FOLLOWED_MS);
  await until(async () => !existsSync(copy));
  const { websites } = (await (await fetch(`${agent.adminAddress}/health`)).json()) as { websites: object[] };
  expect(websites).toHaveLength(2);
});

test('it serves all copies after kill -9 while the service is away', async () => {
  await until(async () => [one, two].every((id) => existsSync(join(folder.dataDir, `${id}-production.rules`))));
  await agent.end('SIGKILL');
  await service.close();
  agent = await start();
  expect([await answer('one.all.example'), await answer('two.all.example')]).toEqual([`/of-${one}`, `/of-${two}`]);
});
