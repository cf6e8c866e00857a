/** The job of the ruleset thread: prepares rules in shared memory. */
import type { RulesPointer } from '../deployments/live/rules-sql.ts';
import type { PreparationInput, PreparedRules, PrepareRules } from '../deployments/live/prepare.ts';
import type { JobHandler, JobHandlers } from '../platform/jobs/serve.ts';
import { openRuleset, type SharedRuleset } from '../resolver/ruleset.ts';

/** A PreparationInput as a message. */
export interface SharedInput extends Omit<PreparationInput, 'from'> {
  from: RulesPointer & { shared: SharedRuleset };
}

/** PreparedRules as a message. */
export interface SharedResult extends Omit<PreparedRules, 'ruleset'> {
  shared: SharedRuleset;
}

export interface RulesetHandlers extends JobHandlers {
  prepareRules: JobHandler<SharedInput, SharedResult>;
  /** ends when the thread runs */
  ready: JobHandler<null, void>;
}

export function rulesetJobs(prepare: PrepareRules): RulesetHandlers {
  return {
    async ready() {},
    async prepareRules({ from: { shared, ...pointer }, ...input }) {
      const { ruleset, ...result } = await prepare({ ...input, from: { ...pointer, ruleset: openRuleset(shared) } });
      return { ...result, shared: ruleset.share() };
    },
  };
}
