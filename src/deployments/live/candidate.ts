import type { PoolClient } from 'pg';
import { runInSlices } from '../../platform/scheduling/time-slice.ts';
import type { Host } from '../../resolver/own-hosts.ts';
import type { MatchOptions } from '../../resolver/rule.ts';
import type { Ruleset } from '../../resolver/ruleset.ts';
import { applyChanges, type Candidate, replaceRules } from './build-candidate.ts';
import { changesBetween, rulesAt } from './database/rules-at.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { type VersionId, versionState } from './database/history.ts';
import type { RulesPointer } from './database/rules-sql.ts';

/** The pointer and the identity of rules in memory. */
export type Base = RulesPointer & VersionId;

export interface Place {
  websiteId: number;
  environment: Environment;
}

/** The rules to prepare, and the live ones from which they are patched. */
export interface PreparationInput extends Place {
  from: Base & { ruleset: Ruleset };
  to: RulesPointer;
  /** where to search for loops; without it, `loops` is empty */
  loopsIn?: LoopSearch;
}

export interface LoopSearch {
  options: MatchOptions;
  /** of the website, in all environments */
  hosts: Host[];
  environment: Environment;
  /** the loops of the live rules under the same options and hosts; undefined if unknown: then all rules are searched */
  known?: string[] | undefined;
}

/** One loop of rules. */
export interface Loop {
  /** each rule once, by id and key, starting at the smallest key */
  rules: { id: number; key: string }[];
  /** no address repeats, because each is longer than the previous one */
  isGrowing: boolean;
  /** a rule has a window; the search takes each rule as existing */
  isScheduled: boolean;
}

/** Loops as the database stores them with a version, so that the next version searches only what changed. */
export interface StoredLoops {
  /** a digest of the options and hosts of the search */
  scope: string;
  /** an address in each loop, and the patterns of growing ones */
  starts: string[];
}

/** Every loop of some rules, at most 1,001, or those found within the time limit. */
export interface FoundLoops {
  loops: Loop[];
  /** undefined if there are more, or may be */
  starts: string[] | undefined;
  /** the search reached its time limit */
  isCutShort: boolean;
}

/** Rules that are ready to be served, how they differ from the live ones, and all their loops. */
export interface PreparedRules extends Omit<CheckedCandidate, 'startKeys' | 'startPatterns'>, FoundLoops {}

/** `isLost`: the database does not know the version in memory, so all rules were read. */
type CheckedCandidate = Candidate & { isLost: boolean };

/** Prepares rules. The work grows with the difference, or with all rules, so a worker thread does it (src/jobs). */
export type PrepareRules = (input: PreparationInput) => Promise<PreparedRules>;

/** Smaller rulesets are always patched: it is fast, and its counts follow a rule by id when its path moves. */
const MIN_REPLACED_RULES = 20_000;

/** Waste that is tolerated. Below this, or below half of a ruleset, compacting does not pay. */
const MAX_WASTE_BYTES = 1_000_000;

/**
 * Builds the ruleset at `to` from the one at `from` by their difference. Reads all rules only at the first load, if
 * another environment's rules take over, if at least half of the rules changed, or if the database cannot tell the
 * difference, because it does not know or no longer retains `from`. Leaves the live ruleset as it is. No step takes
 * longer than one COPY chunk (about 600 rules).
 */
export async function candidateFor(
  client: PoolClient,
  place: Place,
  from: Base & { ruleset: Ruleset },
  to: RulesPointer,
): Promise<CheckedCandidate> {
  const { websiteId } = place;
  const hasBase = from.rulesRev > 0 && from.history !== '';
  const state = hasBase ? await versionState(client, place, from) : 'expired';
  const isReplaced =
    state !== 'known' || from.rulesEnv !== to.rulesEnv || (await isMostlyReplaced(client, websiteId, from, to));
  const candidate = isReplaced
    ? await replaceRules(from.ruleset, rulesAt(client, websiteId, to))
    : await applyChanges(from.ruleset, changesBetween(client, websiteId, from, to));
  return { ...candidate, ruleset: await compacted(candidate.ruleset), isLost: state === 'lost' };
}

/**
 * True if at least half of many rules changed or were removed. Patching and compacting then costs twice as much as
 * reading everything (1,000,000 changed rules: 12 s against 7 s). Reads at most as many revisions.
 */
async function isMostlyReplaced(
  client: PoolClient,
  websiteId: number,
  from: RulesPointer & { ruleset: Ruleset },
  to: RulesPointer,
): Promise<boolean> {
  if (from.ruleset.size < MIN_REPLACED_RULES) return false;
  const half = Math.ceil(from.ruleset.size / 2);
  const [lower, upper] = [from.rulesRev, to.rulesRev].toSorted((a, b) => a - b);
  const { rows } = await client.query<{ count: number }>(
    `select count(*) as count from (select 1 from redirect_revisions
     where website_id = $1 and rev_to > $2 and rev_to <= $3 and rev_from < rev_to limit $4) r`,
    [websiteId, lower, upper, half],
  );
  return (rows[0]?.count ?? 0) >= half;
}

async function compacted(ruleset: Ruleset): Promise<Ruleset> {
  if (ruleset.wastedBytes < MAX_WASTE_BYTES || ruleset.wastedBytes < ruleset.bytes / 2) return ruleset;
  return runInSlices(ruleset.compact());
}
