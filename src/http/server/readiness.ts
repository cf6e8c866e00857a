import { overdueLoops } from '../../platform/scheduling/loop.ts';
import type { ProcessRole } from '../../platform/config/config.ts';
import { VERSION } from '../../platform/version.ts';

/** State of this process for its probes. start/redirect-server.ts owns it. */
export interface ProcessState {
  role: ProcessRole;
  /** `current` once the rulesets have caught up with the database */
  rulesets: 'snapshot' | 'current';
  isStopping: boolean;
  /** Returns true until the demo website of the first start is live. */
  isFirstStart?: () => boolean;
  /** Returns why the database cannot be used, or undefined. Resolves within 2 s and never throws. */
  databaseProblem: () => Promise<string | undefined>;
}

export interface Readiness {
  status: 'ready' | 'not ready';
  database: 'up' | 'down';
  rulesets: 'snapshot' | 'current';
  version: string;
  /** reasons, if the status is not `ready` */
  waiting_for?: string[];
}

/** A process that answers redirects needs no database for them. The API does. */
export async function readiness(state: ProcessState, needs: 'redirects' | 'api'): Promise<Readiness> {
  const problem = await state.databaseProblem();
  const waitingFor: string[] = [];
  if (state.isStopping) waitingFor.push('the process stops');
  if (state.isFirstStart?.()) waitingFor.push('the demo website of the first start is not live yet');
  if (needs === 'api' && state.role === 'edge') waitingFor.push('this process has no API');
  const isApiMeant = needs === 'api' || state.role === 'api';
  if (isApiMeant && problem !== undefined) waitingFor.push(problem);
  if (isApiMeant) waitingFor.push(...overdueLoops().map((name) => `${name} (its last run did not end in time)`));
  return {
    status: waitingFor.length === 0 ? 'ready' : 'not ready',
    database: problem === undefined ? 'up' : 'down',
    rulesets: state.rulesets,
    version: VERSION,
    ...(waitingFor.length > 0 && { waiting_for: waitingFor }),
  };
}
