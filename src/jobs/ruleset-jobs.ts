/** The jobs of the ruleset thread: prepares rules in shared memory, and checks them before they are published. */
import { type Db, withClient } from '../db/connection/client.ts';
import { candidateFor, type PreparationInput, type PrepareRules } from '../deployments/live/candidate.ts';
import type { CheckGate } from '../deployments/gate/gate.ts';
import { findLoops } from '../deployments/publish/loops.ts';
import type { JobHandlers } from '../platform/jobs/serve.ts';
import { fromMessage, gateFromMessage, type Shared, type SharedGateInput, toMessage } from './messages.ts';

interface SharedInput extends Omit<PreparationInput, 'from'> {
  from: Shared<PreparationInput['from']>;
}

/** Prepares rules in this thread, from this database. */
export function prepareRulesFrom(db: Db): PrepareRules {
  return async ({ from, to, loopsIn, ...place }) => {
    const { startKeys, startPatterns, ...prepared } = await withClient(db, (client) =>
      candidateFor(client, place, from, to),
    );
    if (!loopsIn) return { ...prepared, loops: [], starts: undefined, isCutShort: false };
    return { ...prepared, ...(await findLoops({ ...prepared, startKeys, startPatterns }, loopsIn)) };
  };
}

export function rulesetJobs(prepare: PrepareRules, checkGate: CheckGate): JobHandlers {
  return {
    /** ends when the thread runs */
    async ready() {},
    prepareRules: async ({ from, ...input }: SharedInput) =>
      toMessage(await prepare({ ...input, from: fromMessage(from) })),
    checkGate: (input: SharedGateInput) => checkGate(gateFromMessage(input)),
  };
}
