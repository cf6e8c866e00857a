/** The caller's side of the ruleset thread. */
import type { CheckGate } from '../deployments/gate/gate.ts';
import type { PrepareRules } from '../deployments/live/candidate.ts';
import { createJobThread, type JobThread } from '../platform/jobs/thread.ts';
import { openRuleset } from '../resolver/ruleset.ts';
import type { SharedGateInput, SharedInput, SharedResult } from './ruleset-jobs.ts';

/** Rules are in shared memory, which does not count. */
const HEAP_MB = 512;

export interface RulesetWorkerData {
  databaseUrl: string;
  connections: number;
}

const ENTRY = new URL('./ruleset-worker.ts', import.meta.url);

/** Creates the thread, which starts at its first job. */
export function createRulesetThread(
  workerData: RulesetWorkerData,
  onError: (error: unknown) => void,
  entry = ENTRY,
): JobThread {
  return createJobThread({ name: 'rulesets', entry, workerData, heapMb: HEAP_MB, onError });
}

/** Prepares rules in the thread. This thread only takes over references to their memory. */
export function prepareInThread(thread: JobThread): PrepareRules {
  return async ({ from: { ruleset, ...pointer }, ...input }) => {
    const message: SharedInput = { ...input, from: { ...pointer, shared: ruleset.share() } };
    const { shared, ...result } = await thread.run<SharedResult>('prepareRules', message);
    return { ...result, ruleset: openRuleset(shared) };
  };
}

/** Checks rules in the thread. */
export function checkGateInThread(thread: JobThread): CheckGate {
  return ({ ruleset, ...input }) => {
    const message: SharedGateInput = { ...input, shared: ruleset.share() };
    return thread.run('checkGate', message);
  };
}
