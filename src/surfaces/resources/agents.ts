import { z } from 'zod';
import { forgetAgent, listAgents } from '../../deployments/agents/list-agents.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { EnvironmentName, name, queryObject, Timestamp, component } from '../../http/wire/fields.ts';
import type { Api } from '../../http/wire/zod.ts';
import { AGENT_KINDS } from '../../vocabulary/kinds.ts';
import type { Dialect } from './dialect.ts';

const Agent = component('Agent', {
  name: z.string().describe('The name that the agent reports.'),
  kind: z
    .enum(AGENT_KINDS)
    .describe('What it is: the edge agent, a server that `detour sync` configures, or the edge library.'),
  environment: EnvironmentName.describe('The environment that it follows.'),
  version: z.int().nullable().describe('The version that it serves; null if it serves none yet.'),
  live_version: z.int().describe('The live version of the environment; 0 before the first deployment.'),
  behind_since: Timestamp.nullable().describe(
    'When the version after the one that it serves was published; null unless it is behind.',
  ),
  last_seen_at: Timestamp.describe('When it last reported, to within 10 s. A waiting agent reports each minute.'),
});

/** The body of GET /websites/{id}/agents. */
export const AgentList = z.object({ agents: z.array(Agent).describe('The agents, at most 1,000.') });

export function agentRoute(app: Api, { db }: SurfaceDeps, dialect: Dialect): void {
  const { path, read } = dialect.websiteId;
  app.get('/websites/:id/agents', {
    ...dialect.operation('listAgents', 'deployments'),
    summary: 'List agents',
    description:
      'Agents, servers and libraries that follow the live rules of the website, with the version that each serves. They report with every request of the feed. One that has not reported for 30 days is removed.',
    returns: 'The agents by environment and name.',
    errors: ['WEBSITE_NOT_FOUND'],
    example: { path: { id: dialect.writeId(1) } },
    params: z.object({ id: path }),
    response: { 200: AgentList },
    handler: async ({ actor, params }) => ({ agents: await listAgents(db, actor, read(params.id)) }),
  });

  app.delete('/websites/:id/agents', {
    ...dialect.operation('forgetAgent', 'deployments'),
    summary: 'Forget an agent',
    description:
      'Removes an agent that was shut down from the list, and from the reports of silent agents. One that still runs is listed again with its next report.',
    returns: 'Whether the agent was listed.',
    errors: ['WEBSITE_NOT_FOUND', 'VALIDATION_ERROR'],
    example: { path: { id: dialect.writeId(1) }, query: { environment: 'production', name: 'edge-1' } },
    params: z.object({ id: path }),
    querystring: queryObject({
      environment: EnvironmentName.describe('The environment that it follows.'),
      name: name.describe('The name of the agent.'),
    }),
    response: { 200: z.object({ forgotten: z.boolean().describe('False if no such agent was listed.') }) },
    handler: async ({ actor, params, query }) => ({ forgotten: await forgetAgent(db, actor, read(params.id), query) }),
  });
}
