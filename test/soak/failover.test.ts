/**
 * A failover to a streaming replica that lacks the last commits, with both hosts in DATABASE_URL: what the replica does
 * not have is served no longer, by the service and by agents, and everything goes on.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Detour } from '../../src/start.ts';
import { openDatabase } from '../../src/db/connection/client.ts';
import { createDatabaseProbe, migrate, READ_ONLY } from '../../src/db/migrate.ts';
import { type AgentFolder, type AgentProcess, openAgentFolder } from '../support/agent-process.ts';
import { startTestDetour, type TestAccount, type TestDetour, visitAt } from '../support/detour.ts';
import { type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts';
import { addRedirect, createSite, settled } from '../support/site.ts';
import { until } from '../support/wait.ts';

const HOST = 'shop.example';
const log: string[] = [];
let primary: OwnPostgres;
let replica: OwnPostgres;
let detour: TestDetour;
/** another process */
let other: Detour;
let owner: TestAccount;
let site: number;
const folders = [openAgentFolder(), openAgentFolder()] as const;

beforeAll(async () => {
  primary = await startOwnPostgres();
  const first = openDatabase(primary.urlOf('postgres'));
  await migrate(first);
  await first.$client.end();
  replica = await primary.replica();
  const url = `postgres://detour@127.0.0.1:${primary.port},127.0.0.1:${replica.port}/postgres?target_session_attrs=read-write`;
  const db = openDatabase(url);
  const database = { db, url, close: () => db.$client.end() };
  detour = await startTestDetour({}, { database, onLog: (line) => void log.push(line) });
  other = await detour.another();
  owner = await detour.account();
  site = await createSite(owner, [HOST]);
});
afterAll(async () => {
  for (const folder of folders) await folder.clear();
  await detour.stop();
  await replica.stop();
});

/** An agent of the website, with a folder for its copy. */
function startAgent(folder: AgentFolder): Promise<AgentProcess> {
  const env = { DETOUR_URL: detour.address, DETOUR_API_KEY: owner.key };
  return folder.start(['--website', HOST, '--name', 'replica'], env);
}

const agentStatus = async ({ address }: AgentProcess, path: string): Promise<number> =>
  (await visitAt(address, HOST, path)).status;
/** The status that both processes respond with; 0 if they differ. */
async function statusOf(path: string): Promise<number> {
  const [one, two] = await Promise.all([detour.visit(HOST, path), visitAt(other.address, HOST, path)]);
  return one.status === two.status ? one.status : 0;
}

test('a standby is not ready for writes, and a promoted one is used with what it has', async () => {
  await addRedirect(owner, site, { old_path: '/keep', new_path: '/x' });
  await settled(owner, site);
  const count = "select count(*)::int as live from versions where environment = 'production'";
  await until(async () => Number((await replica.query(count))[0]?.['live']) > 0, 60_000);
  const standby = openDatabase(replica.urlOf('postgres'));
  expect(await createDatabaseProbe(standby)()).toBe(READ_ONLY);
  await standby.$client.end();

  // Without a connection to the primary it receives no further commit.
  await replica.query("alter system set primary_conninfo = ''");
  await replica.query('select pg_reload_conf()');
  await until(async () => (await replica.query('select from pg_stat_wal_receiver')).length === 0);
  await addRedirect(owner, site, { old_path: '/lost', new_path: '/x' });
  await until(async () => (await statusOf('/lost')) === 301);
  expect(await statusOf('/keep')).toBe(301);
  const [followed, copied] = [await startAgent(folders[0]), await startAgent(folders[1])];
  for (const each of [followed, copied]) await until(async () => (await agentStatus(each, '/lost')) === 301, 30_000);
  await copied.end('SIGKILL');

  await primary.kill();
  const before = log.length;
  expect([await statusOf('/keep'), await statusOf('/lost')]).toEqual([301, 301]);
  const ready = () => fetch(`${detour.address}/ready?for=api`);
  await until(async () => (await ready()).status === 503, 30_000);
  expect(await (await ready()).json()).toMatchObject({ status: 'not ready', database: 'down', rulesets: 'current' });
  await replica.query('select pg_promote()');
  const promotedAt = performance.now();
  await until(async () => (await statusOf('/lost')) === 404, 30_000);
  expect(performance.now() - promotedAt).toBeLessThan(10_000);
  await until(async () => (await agentStatus(followed, '/lost')) === 404, 30_000);
  // It starts from the copy of a version that the database has lost.
  const late = await startAgent(folders[1]);
  await until(async () => (await agentStatus(late, '/lost')) === 404, 30_000);
  await until(async () => (await owner.call('GET', '/api/websites')).status === 200, 30_000);
  await addRedirect(owner, site, { old_path: '/new', new_path: '/x' });
  await until(async () => (await statusOf('/new')) === 301);
  expect([await statusOf('/keep'), await statusOf('/lost')]).toEqual([301, 404]);
  for (const each of [followed, late]) {
    await until(async () => (await agentStatus(each, '/new')) === 301, 30_000);
    expect([await agentStatus(each, '/keep'), await agentStatus(each, '/lost')]).toEqual([301, 404]);
  }
  const lines = log.slice(before).filter((line) => line.includes('went back in time'));
  // One of each process.
  expect(lines).toHaveLength(2);
});
