import { followHops } from '../resolver/follow.ts';
import type { Rule } from '../resolver/rule.ts';
import type { Actor } from '../vocabulary/actor.ts';
import type { Environment } from '../vocabulary/environment.ts';
import { chainStart, findChains } from './chains.ts';
import { decodeHealthCursor, encodeHealthCursor, type HealthPosition, pointerAt } from './cursor.ts';
import { duplicatesOf, withoutPatterns } from './duplicates.ts';
import { countBrokenTargets } from './broken-targets.ts';
import { createPageCollector, type Entry, PAGE, type PageCollector, withHealthLock } from './bounds.ts';
import { createTimeSlice, runInSlices, type TimeSlice } from '../platform/scheduling/time-slice.ts';
import { ruleTexts, type HealthDeps, type CurrentRules, readCurrentRules } from './current-rules.ts';
import { findShadowed } from './shadowed.ts';

/** Rules of one loop or one set of duplicates in a report, beside their number. */
const MAX_SHOWN = 20;
/** Hops of a chain that a report follows. Browsers stop after about 20. */
const MAX_HOPS = 100;
/** Addresses between the ends of a chain that a report names: a page has 1,000 chains, and each may have 2 KB. */
const MAX_VIA = 10;
const MAX_VIA_LENGTH = 2_000;

export type HealthReport = Awaited<ReturnType<typeof pageOf>>;

/** The findings on one page. */
interface Findings {
  loops: PageCollector<RuleSet & { isGrowing: boolean }>;
  chains: PageCollector<Rule>;
  shadowed: PageCollector<number>;
  duplicates: PageCollector<RuleSet>;
}

interface RuleSet {
  ids: number[];
  count: number;
}

/**
 * Reports problems of the current rules of an environment: up to 1,000 entries of each list by id (the smallest id of a
 * loop or of duplicates), and their counts. Later pages are of the same moment as the first. Checks every rule, in time
 * slices. Throws BUSY after waiting `waitMs` (10 s) for another report in this process, INVALID_PARAMETER for a cursor
 * of another list.
 */
export async function reportHealth(
  deps: HealthDeps,
  actor: Actor,
  input: { websiteId: number; environment: Environment; cursor?: string | undefined },
  waitMs?: number,
): Promise<HealthReport> {
  const { cursor } = input;
  const report = async (): Promise<HealthReport> => {
    let at: HealthPosition | undefined;
    const rules = await readCurrentRules(deps, actor, {
      ...input,
      momentOf: (now) => {
        at = cursor === undefined ? undefined : decodeHealthCursor(cursor, now);
        return at ? pointerAt(at, now.at) : now.at;
      },
    });
    const start = at ?? { rev: rules.at.rulesRev, maxId: rules.at.rulesMaxId, after: [] };
    return pageOf(deps, rules, start, await findAll(rules, start.after, createTimeSlice()));
  };
  return withHealthLock(actor.accountId, report, waitMs);
}

async function findAll(rules: CurrentRules, after: number[], slice: TimeSlice): Promise<Findings> {
  const [afterLoop = 0, afterChain = 0, afterShadowed = 0, afterDuplicates = 0] = after;
  const findings: Findings = {
    loops: createPageCollector(afterLoop),
    chains: createPageCollector(afterChain),
    shadowed: createPageCollector(afterShadowed),
    duplicates: createPageCollector(afterDuplicates),
  };
  await findChains(rules, slice, {
    chain: (rule) => findings.chains.add(rule.id, rule),
    loop: ({ ruleIds, count, isGrowing }) =>
      findings.loops.add(ruleIds[0] ?? 0, { ids: ruleIds.slice(0, MAX_SHOWN), count, isGrowing }),
  });
  const patterns = await patternsOf(rules, slice);
  for (const { ruleId, byRuleId } of await findShadowed(rules, patterns, slice)) {
    findings.shadowed.add(ruleId, byRuleId);
  }
  const literals = await withoutPatterns(rules.ruleset, patterns, slice);
  for (const rule of literals.rules()) {
    if (slice.isOver()) await slice.yield();
    const ids = duplicatesOf(rules, literals, rule);
    // Each set is added once, at its first rule.
    if (ids.length > 1 && ids[0] === rule.id)
      findings.duplicates.add(rule.id, { ids: ids.slice(0, MAX_SHOWN), count: ids.length });
  }
  return findings;
}

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
  start: HealthPosition,
  { loops, chains, shadowed, duplicates }: Findings,
) {
  const lists = [loops, chains, shadowed, duplicates];
  const counts = lists.map((list) => list.count);
  const entries: Entry<unknown>[][] = lists.map((list) => list.entries());
  const after = entries.map((list, index) => list.slice(0, PAGE).at(-1)?.id ?? start.after[index] ?? 0);
  const hasMore = entries.some((list) => list.length > PAGE);
  const slice = createTimeSlice();
  const followed: Awaited<ReturnType<typeof chainOf>>[] = [];
  for (const { value } of onPage(chains)) {
    if (slice.isOver()) await slice.yield();
    followed.push(await chainOf(rules, value, slice));
  }
  const [loopCount = 0, chainCount = 0, shadowedCount = 0, duplicateCount = 0] = counts;
  return {
    /** all findings, on every page */
    counts: {
      loops: loopCount,
      chains: chainCount,
      shadowed: shadowedCount,
      duplicates: duplicateCount,
      brokenTargets: await countBrokenTargets(deps.db, { websiteId: rules.website.id, environment: rules.environment }),
    },
    loops: onPage(loops).map(({ value }) => ({
      redirectIds: value.ids,
      hops: value.count,
      isGrowing: value.isGrowing,
    })),
    chains: followed,
    shadowed: onPage(shadowed).map(({ id, value }) => ({ redirectId: id, byRedirectId: value })),
    duplicates: onPage(duplicates).map(({ value }) => ({ redirectIds: value.ids, count: value.count })),
    nextCursor: hasMore ? encodeHealthCursor({ ...start, after }, rules) : null,
    /** Reads the texts of its redirects. A page may name 40,000 redirects of 4 KB, so read them while sending. */
    readTexts: ruleTexts(deps.db, rules),
  };
}

const onPage = <T>(list: PageCollector<T>): Entry<T>[] => list.entries().slice(0, PAGE);

async function chainOf(rules: CurrentRules, rule: Rule, slice: TimeSlice) {
  const start = chainStart(rules, rule);
  if (!start) throw new Error(`rule ${rule.id} does not start a chain`);
  const steps = followHops(rules.ruleset, start.from, rules.website, rules.hosts, MAX_HOPS);
  const journey = await runInSlices(steps, slice);
  const last = journey.hops.at(-1);
  const isGone = journey.outcome === 'gone';
  const hops = journey.hops.length - (isGone ? 1 : 0) + (rule.isRegex ? 1 : 0);
  const hasEnd = journey.outcome !== 'loop' && journey.outcome !== 'too-many';
  return {
    redirectId: rule.id,
    /** redirects that a visitor follows, at most 100 */
    hops: Math.min(hops, MAX_HOPS),
    via: viaOf(journey.hops.slice(rule.isRegex ? 0 : 1, isGone ? -1 : undefined)),
    /** the target of the last one; null for a loop, or after 100 hops */
    finalPath: hasEnd ? journey.finalUrl : null,
    /** the status of the last redirect: 410 or 451 if the target is gone */
    finalStatus: hasEnd ? (last?.statusCode ?? rule.statusCode) : null,
    /** a redirect of the chain has a window; a report takes each as existing */
    isScheduled: [rule, ...journey.hops].some(({ key }) => rules.ruleset.get(key)?.window !== undefined),
  };
}

/** The addresses of the further redirects of a chain, the first ones. */
function viaOf(hops: readonly { url: string }[]): string[] {
  let length = 0;
  const first = hops.slice(0, MAX_VIA).map(({ url }) => url);
  return first.filter((url) => (length += url.length) <= MAX_VIA_LENGTH);
}
