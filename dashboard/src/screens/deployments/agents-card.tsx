import type { AgentKind } from '../../../../src/vocabulary/kinds.ts';
import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { listAgents } from '../../api/deployments.ts';
import type { Agent } from '../../api/client/wire.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { Problem } from '../../ui/page/states.tsx';
import { Time } from '../../ui/text/time.tsx';

const POLL_MS = 10_000;

/** The agents of an environment with the version that each serves. Hidden if the list is empty. */
export function AgentsCard({ websiteId, environment }: { websiteId: number; environment: Environment }) {
  const list = useResource(`agents:${websiteId}`, (signal) => listAgents(websiteId, signal), { everyMs: POLL_MS });
  const agents = list.data.value?.agents.filter((agent) => agent.environment === environment);
  if (!agents) return list.error.value ? <Problem error={list.error.value} onRetry={list.reload} /> : null;
  if (agents.length === 0) return null;
  return (
    <section class="card" aria-labelledby="agents-title">
      <header>
        <h2 id="agents-title">Agents</h2>
      </header>
      <ul class="agents">
        {agents.map((agent) => (
          <AgentRow key={agent.name} agent={agent} />
        ))}
      </ul>
    </section>
  );
}

function AgentRow({ agent }: { agent: Agent }) {
  const { name, kind, behind_since: behindSince, last_seen_at: lastSeenAt } = agent;
  return (
    <li>
      <span>
        <strong class="break">{name}</strong> <span class="badge">{KIND_LABEL[kind]}</span>
      </span>
      <span class={behindSince === null ? 'small' : 'small warned'}>
        {stateText(agent)}
        {behindSince !== null && (
          <>
            , behind since <Time at={behindSince} />
          </>
        )}
      </span>
      <span class="small muted">
        Last seen <Time at={lastSeenAt} />
      </span>
    </li>
  );
}

const KIND_LABEL: Readonly<Record<AgentKind, string>> = {
  edge: 'Edge agent',
  nginx: 'nginx',
  apache: 'Apache',
  caddy: 'Caddy',
  library: 'Edge library',
};

/** The version that an agent serves, and the live one if it is another. */
export function stateText({ version, live_version: live }: Pick<Agent, 'version' | 'live_version'>): string {
  if (version === null) return live === 0 ? 'Serves no version yet' : `Serves no version yet, live is ${live}`;
  if (version === live) return `Serves version ${version}, which is live`;
  return `Serves version ${version}, live is ${live}`;
}
