/** The caller's side of the ruleset thread. */
import type { CheckGate } from '../deployments/gate/gate.ts';
import type { PreparedRules, PrepareRules } from '../deployments/live/candidate.ts';
import { createJobThread, type JobThread } from '../platform/jobs/thread.ts';
import { fromMessage, gateToMessage, type Shared, toMessage } from './messages.ts';
import type { DatabaseUrl } from '../vocabulary/database-url.ts';

/** Rules are in shared memory, which does not count. */
const HEAP_MB = 512;

export interface RulesetWorkerData {
  databaseUrl: DatabaseUrl;
  connections: number;
}

const ENTRY = new URL('./ruleset-worker.ts', import.meta.url);

export function createRulesetThread(
  workerData: RulesetWorkerData,
  onError: (error: unknown) => void,
  entry = ENTRY,
): JobThread {
  return createJobThread({ name: 'rulesets', entry, workerData, heapMb: HEAP_MB, onError });
}

/** Prepares rules in the thread. This thread only takes over references to their memory. */
export function prepareInThread(thread: JobThread): PrepareRules {
  return async ({ from, ...input }) =>
    fromMessage(await thread.run<Shared<PreparedRules>>('prepareRules', { ...input, from: toMessage(from) }));
}

export function checkGateInThread(thread: JobThread): CheckGate {
  return (input) => thread.run('checkGate', gateToMessage(input));
}
