import type { AgentKind } from '../../../../src/vocabulary/agent.ts';
import type { Agent } from '../../api/wire.ts';

export const KIND_LABEL: Readonly<Record<AgentKind, string>> = {
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
