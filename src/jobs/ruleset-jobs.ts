/** The jobs of the ruleset thread: prepares rules in shared memory, and checks them before they are published. */
import { type Db, withClient } from '../db/connection/client.ts';
import {
  type Base,
  candidateFor,
  type PreparationInput,
  type PreparedRules,
  type PrepareRules,
} from '../deployments/live/candidate.ts';
import type { CheckGate, GateInput } from '../deployments/gate/gate.ts';
import { findLoops } from '../deployments/publish/loops.ts';
import type { JobHandler, JobHandlers } from '../platform/jobs/serve.ts';
import { openRuleset, type SharedRuleset } from '../resolver/ruleset.ts';

/** A PreparationInput as a message. */
export interface SharedInput extends Omit<PreparationInput, 'from'> {
  from: Base & { shared: SharedRuleset };
}

/** PreparedRules as a message. */
export interface SharedResult extends Omit<PreparedRules, 'ruleset'> {
  shared: SharedRuleset;
}

/** A GateInput as a message. */
export interface SharedGateInput extends Omit<GateInput, 'ruleset'> {
  shared: SharedRuleset;
}

export interface RulesetHandlers extends JobHandlers {
  prepareRules: JobHandler<SharedInput, SharedResult>;
  checkGate: JobHandler<SharedGateInput, string | undefined>;
  /** ends when the thread runs */
  ready: JobHandler<null, void>;
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

export function rulesetJobs(prepare: PrepareRules, checkGate: CheckGate): RulesetHandlers {
  return {
    async ready() {},
    async prepareRules({ from: { shared, ...pointer }, ...input }) {
      const { ruleset, ...result } = await prepare({ ...input, from: { ...pointer, ruleset: openRuleset(shared) } });
      return { ...result, shared: ruleset.share() };
    },
    checkGate: ({ shared, ...input }) => checkGate({ ...input, ruleset: openRuleset(shared) }),
  };
}
