import { AGENT_SILENT_SECONDS } from '../../../../src/vocabulary/kinds.ts';
import type { Agent } from '../../api/client/wire.ts';

export interface AgentState {
  label: string;
  tone: '' | 'ok' | 'warn' | 'danger';
  /** the label ends with this time */
  since?: string;
  /** why it is so, and what to do */
  reason?: string;
}

type Reported = Pick<Agent, 'version' | 'live_version' | 'behind_since' | 'last_seen_at'>;

/** True if the service also reports the agent as lagging, because it has not reported for too long. */
export const isSilent = ({ last_seen_at: seen }: Pick<Agent, 'last_seen_at'>, now: number): boolean =>
  now - Date.parse(seen) >= AGENT_SILENT_SECONDS * 1_000;

/** The state of an agent at a glance: the first of these that is true. */
export function agentState(agent: Reported, now: number): AgentState {
  const { version, live_version: live, behind_since: behindSince, last_seen_at: seen } = agent;
  if (isSilent(agent, now)) return { label: 'Silent, last seen', tone: 'danger', since: seen };
  if (version === null) return { label: 'No version yet', tone: '' };
  if (version === live) return { label: 'Live', tone: 'ok' };
  if (version > live) return { label: 'Ahead of live', tone: 'warn', reason: AHEAD };
  return behindSince === null
    ? { label: 'Behind', tone: 'warn' }
    : { label: 'Fell behind', tone: 'warn', since: behindSince };
}

/** Rollbacks publish a higher version, so only a lost version has a higher number than the live one. */
const AHEAD =
  'The service lost this version, as after the restore of a backup. The agent loads the live one at its next request. If it stays ahead, restart it.';

/** The version that an agent serves, and the live one if it is another. */
export function versionText({ version, live_version: live }: Pick<Agent, 'version' | 'live_version'>): string {
  if (version === null) return live === 0 ? 'Nothing is live' : `Version ${live} is live`;
  return version === live ? `Serves version ${version}` : `Serves version ${version}, version ${live} is live`;
}
