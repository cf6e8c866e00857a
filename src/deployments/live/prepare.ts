import type { MatchOptions } from '../../resolver/rule.ts';
import type { Ruleset } from '../../resolver/ruleset.ts';
import type { Candidate } from './build-candidate.ts';
import type { RulesPointer } from './rules-sql.ts';

/** The rules to prepare, and the live ones from which they are patched. */
export interface PreparationInput {
  websiteId: number;
  from: RulesPointer & { ruleset: Ruleset };
  to: RulesPointer;
  /** where to search for loops through what changed; without it, `loops` is empty */
  loopsIn?: { options: MatchOptions; ownHosts: string[] };
}

/** The rules of one loop, each by id and key, starting at the smallest key. */
export type Loop = { id: number; key: string }[];

/** Rules that are ready to be served, how they differ from the live ones, and their new loops. */
export interface PreparedRules extends Omit<Candidate, 'startKeys'> {
  loops: Loop[];
}

/** Prepares rules. The work grows with the difference, or with all rules, so a worker thread does it (src/jobs). */
export type PrepareRules = (input: PreparationInput) => Promise<PreparedRules>;
