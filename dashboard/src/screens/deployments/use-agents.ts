import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { listAgents } from '../../api/deployments.ts';
import type { Agent } from '../../api/client/wire.ts';
import { counted } from '../../format.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { isSilent } from './agent-state.ts';

/** The agents that follow an environment now; empty until they are loaded. `everyMs`: how often they are read. */
export function useAgents(websiteId: number, environment: Environment, everyMs?: number): Agent[] {
  const list = useResource(`agents:${websiteId}`, (signal) => listAgents(websiteId, signal), { everyMs });
  const now = Date.now();
  return (list.data.value?.agents ?? []).filter((agent) => agent.environment === environment && !isSilent(agent, now));
}

/** Before a release: who follows, and who lags. */
export function followText(total: number, behind: number): string {
  const all = `${counted(total, 'agent')} ${total === 1 ? 'follows' : 'follow'}`;
  if (behind === 0) return `${all}, up to date.`;
  return `${all}; ${counted(behind, 'agent')} ${behind === 1 ? 'lags' : 'lag'} behind already.`;
}

/** After a release: `Live, 1.2 s`, `Live here, 1.2 s; 2 of 3 agents follow`, or `Live everywhere, 1.4 s`. */
export function liveText(agents: readonly Pick<Agent, 'version'>[], version: number | null, time: string): string {
  const done = agents.filter((agent) => agent.version === version).length;
  if (agents.length === 0) return `Live${time}`;
  if (done === agents.length) return `Live everywhere${time}`;
  return `Live here${time}; ${done} of ${counted(agents.length, 'agent')} ${done === 1 ? 'has' : 'have'} it`;
}
