/**
 * Agents that follow the live rules: their reports, their list, and how long they stay in it. Holds the rules of
 * src/deployments/agents/list-agents.ts.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AgentReport, createAgentReports, purgeAgents } from '../../src/deployments/agents/report-agent.ts';
import { DAY_MS } from '../../src/platform/clock.ts';
import { purgeDeletedWebsites } from '../../src/websites/delete.ts';
import { startTestApp, type TestApp, type TestOwner } from '../support/app.ts';

let app: TestApp;
let owner: TestOwner;
let cookie: string;
beforeAll(async () => {
  app = await startTestApp();
  owner = await app.account();
  cookie = await app.cookieOf(owner.email);
});
afterAll(() => app.close());

const query = async <Row>(text: string): Promise<Row[]> => (await app.database.db.$client.query(text)).rows as Row[];

async function website(): Promise<number> {
  const created = await app.call('POST', '/api/websites', { cookie, body: { name: 'shop' } });
  return created.json<{ website: { id: number } }>().website.id;
}

async function agentsOf(websiteId: number): Promise<Record<string, unknown>[]> {
  const answer = await app.call('GET', `/api/websites/${websiteId}/agents`, { cookie });
  expect(answer.statusCode).toBe(200);
  return answer.json<{ agents: Record<string, unknown>[] }>().agents;
}

const NOW = new Date('2030-06-01T12:00:00Z');
const after = (ms: number): Date => new Date(NOW.getTime() + ms);
const edge = (websiteId: number, fields: Partial<AgentReport> = {}): AgentReport => ({
  websiteId,
  environment: 'production',
  name: 'edge-1',
  kind: 'edge',
  version: 1,
  ...fields,
});

test('an agent is listed with its version, the live one, and since when it lags', async () => {
  const id = await website();
  const report = createAgentReports(app.database.db);
  for (const [version, at] of [
    [1, '10:00'],
    [2, '11:00'],
    [3, '11:30'],
  ])
    await query(`insert into versions (website_id, environment, version, rules_env, rules_rev, rules_max_id, behind, redirect_count, deployed_at)
      values (${id}, 'production', ${version}, 'production', 0, 0, false, 0, '2030-06-01T${at}:00Z')`);
  await query(
    `update website_environments set live_version = 3 where website_id = ${id} and environment = 'production'`,
  );
  await report(edge(id, { name: 'lagging' }), NOW);
  await report(edge(id, { name: 'current', kind: 'nginx', version: 3 }), NOW);
  await report(edge(id, { name: 'starting', environment: 'staging', kind: 'library', version: null }), NOW);
  const common = { environment: 'production', live_version: 3, last_seen_at: '2030-06-01T12:00:00Z' };
  const agents = [
    { ...common, name: 'current', kind: 'nginx', version: 3, behind_since: null },
    { ...common, name: 'lagging', kind: 'edge', version: 1, behind_since: '2030-06-01T11:00:00Z' },
    {
      ...common,
      name: 'starting',
      kind: 'library',
      environment: 'staging',
      version: null,
      live_version: 0,
      behind_since: null,
    },
  ];
  expect(await agentsOf(id)).toEqual(agents);
  const { key } = await owner.key({ scope: 'read' });
  expect((await app.call('GET', `/api/v1/websites/${id}/agents`, { key })).json()).toEqual({ agents });
  const stranger = await app.account();
  const theirs = await app.cookieOf(stranger.email);
  expect((await app.call('GET', `/api/websites/${id}/agents`, { cookie: theirs })).statusCode).toBe(404);
});

test('a report is written at once if the version or kind is new, else each 10 s, also by several processes', async () => {
  const id = await website();
  const [one, other] = [createAgentReports(app.database.db), createAgentReports(app.database.db)];
  const seen = async () => (await agentsOf(id)).map(({ version, last_seen_at: at }) => [version, at]);
  await one(edge(id), NOW);
  await one(edge(id), after(9_000));
  await other(edge(id), after(9_000));
  expect(await seen()).toEqual([[1, '2030-06-01T12:00:00Z']]);
  await other(edge(id, { version: 2 }), after(9_000));
  expect(await seen()).toEqual([[2, '2030-06-01T12:00:09Z']]);
  await other(edge(id, { version: 2 }), after(19_000));
  expect(await seen()).toEqual([[2, '2030-06-01T12:00:19Z']]);
});

test('a website has at most 1,000 agents, and the one that was not seen for the longest time goes first', async () => {
  const id = await website();
  await query(`insert into feed_agents (website_id, environment, name, kind, version, last_seen_at)
    select ${id}, 'production', 'agent-' || n, 'edge', 1, timestamptz '2030-06-01T10:00:00Z' + n * interval '1 s'
    from generate_series(1, 1000) n`);
  await createAgentReports(app.database.db)(edge(id), NOW);
  const names = (await agentsOf(id)).map(({ name }) => name);
  expect(names).toHaveLength(1_000);
  expect(names).toContain('edge-1');
  expect(names).not.toContain('agent-1');
});

test('an agent is removed 30 days after its last report, and with its website', async () => {
  const { db } = app.database;
  const [id, deleted] = [await website(), await website()];
  const report = createAgentReports(db);
  await report(edge(id), NOW);
  await report(edge(id, { name: 'edge-2' }), after(DAY_MS));
  await report(edge(deleted), after(DAY_MS));
  await purgeAgents(db, after(30 * DAY_MS + 1));
  expect((await agentsOf(id)).map(({ name }) => name)).toEqual(['edge-2']);
  await app.call('DELETE', `/api/websites/${deleted}`, { cookie });
  while (await purgeDeletedWebsites(db));
  expect(await query(`select from feed_agents where website_id = ${deleted}`)).toEqual([]);
});

test('an agent is forgotten by editors, and listed again with its next report', async () => {
  const id = await website();
  const report = createAgentReports(app.database.db);
  await report(edge(id, { name: 'web/old' }), NOW);
  await report(edge(id, { name: 'web/old', environment: 'staging' }), NOW);
  const url = `/api/websites/${id}/agents?environment=production&name=${encodeURIComponent('web/old')}`;
  const forget = async () => (await app.call('DELETE', url, { cookie })).json<{ forgotten: boolean }>();
  expect(await forget()).toEqual({ forgotten: true });
  expect(await agentsOf(id)).toMatchObject([{ name: 'web/old', environment: 'staging' }]);
  expect(await forget()).toEqual({ forgotten: false });
  await report(edge(id, { name: 'web/old' }), after(10_000));
  expect(await agentsOf(id)).toHaveLength(2);
  const other = await app.cookieOf((await app.account()).email);
  expect((await app.call('DELETE', url, { cookie: other })).statusCode).toBe(404);
  expect(await agentsOf(id)).toHaveLength(2);
});
