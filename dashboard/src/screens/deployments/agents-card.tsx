import { useSignal } from '@preact/signals';
import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { forgetAgent, listAgents } from '../../api/deployments.ts';
import type { Agent, Website } from '../../api/client/wire.ts';
import { mayEdit } from '../../state/session.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { AGENT_KINDS } from '../../../../src/vocabulary/kinds.ts';
import { AGENT_LABEL } from '../../ui/agent-commands.ts';
import { AgentLines } from '../../ui/agent-lines.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Problem } from '../../ui/page/states.tsx';
import { Time } from '../../ui/text/time.tsx';
import { agentState, isSilent, versionText } from './agent-state.ts';

const POLL_MS = 10_000;

/** The agents of an environment with the state of each, and the lines that install one. */
export function AgentsCard({ website, environment }: { website: Website; environment: Environment }) {
  const { id } = website;
  const list = useResource(`agents:${id}`, (signal) => listAgents(id, signal), { everyMs: POLL_MS });
  const forgotten = useSignal<Agent | undefined>(undefined);
  const agents = list.data.value?.agents.filter((agent) => agent.environment === environment);
  if (!agents) return list.error.value ? <Problem error={list.error.value} onRetry={list.reload} /> : null;
  return (
    <section class="card" aria-labelledby="agents-title">
      <header>
        <h2 id="agents-title">Agents</h2>
        {agents.length === 0 && <span class="muted small">No agent follows {environment}.</span>}
      </header>
      {agents.length > 0 && (
        <ul class="agents">
          {agents.map((agent) => (
            <AgentRow key={agent.name} agent={agent} onForget={() => (forgotten.value = agent)} />
          ))}
        </ul>
      )}
      {forgotten.value && (
        <ForgetAgent
          websiteId={id}
          agent={forgotten.value}
          onForgotten={list.reload}
          onClose={() => (forgotten.value = undefined)}
        />
      )}
      {mayEdit.value && <AddAgent website={website} environment={environment} names={agents.map(({ name }) => name)} />}
    </section>
  );
}

function ForgetAgent(props: { websiteId: number; agent: Agent; onForgotten: () => void; onClose: () => void }) {
  const { websiteId, agent, onForgotten, onClose } = props;
  async function forget(): Promise<void> {
    await forgetAgent(websiteId, agent);
    onForgotten();
  }
  return (
    <Confirm title={`Forget ${agent.name}?`} verb="Forget" onConfirm={forget} onClose={onClose}>
      <p>It leaves this list and Home. If it still runs, it is listed again with its next report.</p>
    </Confirm>
  );
}

function AgentRow({ agent, onForget }: { agent: Agent; onForget: () => void }) {
  const { name, kind, last_seen_at: lastSeenAt } = agent;
  const { label, tone, since, reason } = agentState(agent, Date.now());
  return (
    <li>
      <span>
        <strong class="break">{name}</strong> <span class="muted small">{AGENT_LABEL[kind]}</span>
      </span>
      <span>
        <span class={`badge ${tone}`}>
          {label} {since !== undefined && <Time at={since} />}
        </span>
      </span>
      <span class="small">{versionText(agent)}</span>
      <span class="small muted">
        {since !== lastSeenAt && (
          <>
            Last seen <Time at={lastSeenAt} />
          </>
        )}
        {mayEdit.value && isSilent(agent, Date.now()) && (
          <Button size="small" onClick={onForget} aria-label={`Forget ${name}`}>
            Forget
          </Button>
        )}
      </span>
      {reason !== undefined && <p class="small warned whole">{reason}</p>}
    </li>
  );
}

/** Closed at first: most visits are for the list. */
function AddAgent({ website, environment, names }: { website: Website; environment: Environment; names: string[] }) {
  /** the agents before the key was created */
  const before = useSignal<readonly string[] | undefined>(undefined);
  const joined = before.value && names.find((name) => !before.value?.includes(name));
  return (
    <details class="body add-agent">
      <summary>Add an agent</summary>
      <div class="stack gap-3">
        <p class="muted small">
          An agent answers visitors of {environment} elsewhere, and takes over each version within seconds.
        </p>
        <AgentLines
          website={website}
          environment={environment}
          kinds={AGENT_KINDS}
          onKey={() => (before.value = names)}
        />
        {before.value && (
          <p role="status" class={joined === undefined ? 'muted small' : 'small'}>
            {joined === undefined ? 'Waiting for the first request of the agent.' : `${joined} is connected.`}
          </p>
        )}
      </div>
    </details>
  );
}
