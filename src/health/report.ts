import { followHops, type Journey } from '../resolver/follow.ts';
import type { Rule } from '../resolver/rule.ts';
import type { Actor } from '../vocabulary/actor.ts';
import type { Environment } from '../vocabulary/environment.ts';
import { beginningOf, findChains } from './chains.ts';
import { cursorAt, type HealthPosition, momentAt, positionOf } from './cursor.ts';
import { duplicatesOf, withoutPatterns } from './duplicates.ts';
import { createFirstEntries, type Entry, type FirstEntries, PAGE } from './page-collector.ts';
import { withHealthLock } from './health-mutex.ts';
import { createTimeSlice, type TimeSlice } from '../platform/time-slice.ts';
import {
  type ReadRuleTexts,
  ruleTexts,
  type HealthDeps,
  type CurrentRules,
  workingRules,
} from './current-rules.ts';
import { findShadowed } from './shadowed.ts';

/** Rules of one loop or one set of duplicates that are shown; how many there are is told beside them. */
const MAX_SHOWN = 20;
/** Hops of a chain that are followed for the report; browsers give up at about 20. */
const MAX_HOPS = 100;

export interface Chain {
  redirectId: number;
  /** redirects that a visitor follows; 100 where there are more */
  hops: number;
  /** where the last one leads; null where it leads in a circle, or after 100 hops */
  finalPath: string | null;
  /** of the last answer that is a redirect's: 410 or 451 where that says gone */
  finalStatus: number | null;
}

export interface HealthReport {
  /** of everything that was found, on every page */
  counts: { loops: number; chains: number; shadowed: number; duplicates: number };
  loops: { redirectIds: number[]; hops: number }[];
  chains: Chain[];
  shadowed: { redirectId: number; byRedirectId: number }[];
  duplicates: { redirectIds: number[]; count: number }[];
  nextCursor: string | null;
  /** How its redirects were written. A page may name 40,000 of 4 KB, so they are read while it is sent. */
  readTexts: ReadRuleTexts;
}

/** What was found, as far as it is on the page; a further entry of each list where there are more. */
interface Findings {
  loops: FirstEntries<Several>;
  chains: FirstEntries<Rule>;
  shadowed: FirstEntries<number>;
  duplicates: FirstEntries<Several>;
}

interface Several {
  ids: number[];
  count: number;
}

/**
 * What is wrong with the redirects as they would be deployed to an environment now: up to 1,000 entries of each list in order of id
 * (of a loop or of duplicates the smallest), and how many there are. The pages behind a cursor are of the same moment as the first.
 * Looks at every rule, in steps; one report at a time in a process, BUSY for who waits over 10 s. INVALID_PARAMETER for a cursor of
 * another list.
 */
export async function reportHealth(
  deps: HealthDeps,
  actor: Actor,
  input: { websiteId: number; environment: Environment; cursor?: string | undefined },
): Promise<HealthReport> {
  const { cursor } = input;
  return withHealthLock(async () => {
    let at: HealthPosition | undefined;
    const rules = await workingRules(deps, actor, {
      ...input,
      momentOf: (now) => {
        at = cursor === undefined ? undefined : positionOf(cursor, now);
        return at ? momentAt(at, now.at) : now.at;
      },
    });
    const begin = at ?? { rev: rules.at.rulesRev, maxId: rules.at.rulesMaxId, after: [] };
    return pageOf(deps, rules, begin, await findAll(rules, begin.after, createTimeSlice()));
  });
}

async function findAll(rules: CurrentRules, after: number[], slice: TimeSlice): Promise<Findings> {
  const [afterLoop = 0, afterChain = 0, afterShadowed = 0, afterDuplicates = 0] = after;
  const findings: Findings = {
    loops: createFirstEntries(afterLoop),
    chains: createFirstEntries(afterChain),
    shadowed: createFirstEntries(afterShadowed),
    duplicates: createFirstEntries(afterDuplicates),
  };
  await findChains(rules, slice, {
    chain: (rule) => findings.chains.note(rule.id, rule),
    loop: ({ ruleIds, count }) =>
      findings.loops.note(ruleIds[0] ?? 0, { ids: ruleIds.slice(0, MAX_SHOWN), count }),
  });
  const patterns = await patternsOf(rules, slice);
  for (const { ruleId, byRuleId } of await findShadowed(rules, patterns, slice)) {
    findings.shadowed.note(ruleId, byRuleId);
  }
  const literals = await withoutPatterns(rules.ruleset, patterns, slice);
  for (const rule of literals.rules()) {
    if (slice.isOver()) await slice.yield();
    const ids = duplicatesOf(rules, literals, rule);
    // Each set is noted once, by the first of it.
    if (ids.length > 1 && ids[0] === rule.id) findings.duplicates.note(rule.id, severalOf(ids));
  }
  return findings;
}

const severalOf = (ids: number[]): Several => ({ ids: ids.slice(0, MAX_SHOWN), count: ids.length });

async function patternsOf({ ruleset }: CurrentRules, slice: TimeSlice): Promise<Rule[]> {
  const patterns: Rule[] = [];
  for (const rule of ruleset.rules()) {
    if (slice.isOver()) await slice.yield();
    if (rule.isRegex) patterns.push(rule);
  }
  return patterns;
}

async function pageOf(
  deps: HealthDeps,
  rules: CurrentRules,
  begin: HealthPosition,
  { loops, chains, shadowed, duplicates }: Findings,
): Promise<HealthReport> {
  const lists = [loops, chains, shadowed, duplicates];
  const counts = lists.map((list) => list.count);
  const kept: Entry<unknown>[][] = lists.map((list) => list.kept());
  const after = kept.map((list, index) => list.slice(0, PAGE).at(-1)?.id ?? begin.after[index] ?? 0);
  const hasMore = kept.some((list) => list.length > PAGE);
  const slice = createTimeSlice();
  const followed: Chain[] = [];
  for (const { value } of onPage(chains)) {
    if (slice.isOver()) await slice.yield();
    followed.push(chainOf(rules, value));
  }
  const [loopCount = 0, chainCount = 0, shadowedCount = 0, duplicateCount = 0] = counts;
  return {
    counts: { loops: loopCount, chains: chainCount, shadowed: shadowedCount, duplicates: duplicateCount },
    loops: onPage(loops).map(({ value }) => ({ redirectIds: value.ids, hops: value.count })),
    chains: followed,
    shadowed: onPage(shadowed).map(({ id, value }) => ({ redirectId: id, byRedirectId: value })),
    duplicates: onPage(duplicates).map(({ value }) => ({ redirectIds: value.ids, count: value.count })),
    nextCursor: hasMore ? cursorAt({ ...begin, after }, rules) : null,
    readTexts: ruleTexts(deps.db, rules),
  };
}

const onPage = <T>(list: FirstEntries<T>): Entry<T>[] => list.kept().slice(0, PAGE);

function chainOf(rules: CurrentRules, rule: Rule): Chain {
  const journey = journeyOf(rules, rule);
  const last = journey.hops.at(-1);
  const isGone = journey.outcome === 'gone';
  const hops = journey.hops.length - (isGone ? 1 : 0) + (rule.isRegex ? 1 : 0);
  const hasEnd = journey.outcome !== 'loop' && journey.outcome !== 'too-many';
  return {
    redirectId: rule.id,
    hops: Math.min(hops, MAX_HOPS),
    finalPath: hasEnd ? journey.finalUrl : null,
    finalStatus: hasEnd ? (last?.statusCode ?? rule.statusCode) : null,
  };
}

/** The hops from a rule's own address; of a pattern, which has none, those behind its own. */
function journeyOf(rules: CurrentRules, rule: Rule): Journey {
  const beginning = beginningOf(rules, rule);
  if (!beginning) throw new Error(`rule ${rule.id} leads nowhere on`);
  return followHops(rules.ruleset, beginning.from, rules.website, rules.isOwnHost, MAX_HOPS);
}
