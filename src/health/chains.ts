import { arriveAt, followHops, isOwnAddress } from '../resolver/follow.ts';
import { growingRound, sampleRequests } from '../resolver/growing-loop.ts';
import { parseLocation } from '../resolver/location.ts';
import type { MatchRequest, Rule } from '../resolver/rule.ts';
import { renderLocation, targetParts } from '../resolver/target.ts';
import { runInSlices, type TimeSlice } from '../platform/scheduling/time-slice.ts';
import { createWalks, type Loop, type Walks } from './walk.ts';
import { ownRequest, requestFor, type CurrentRules } from './current-rules.ts';

export interface ChainListener {
  /** a rule that redirects to another redirect and is not part of a loop */
  chain(rule: Rule): void;
  loop(loop: Loop): void;
}

/** Finds every chain and every loop: the resolver follows each rule from its own address. */
export async function findChains(rules: CurrentRules, slice: TimeSlice, on: ChainListener): Promise<void> {
  const loops = new Set<string>();
  const addLoop = (loop: Loop): void => {
    // A loop through queries or patterns is found from several addresses.
    const name = `${loop.count} ${loop.ruleIds.join(' ')}`;
    if (loops.has(name)) return;
    loops.add(name);
    on.loop(loop);
  };
  const walks = createWalks(rules, slice, addLoop);
  for (const rule of rules.ruleset.rules()) {
    if (slice.isOver()) await slice.yield();
    if (isOwnAddress(rule, rules.hosts.servesRules)) addLoop({ ruleIds: [rule.id], count: 1, isGrowing: false });
    for (const sample of sampleRequests(rule)) await findPatternLoop(rules, sample, { slice, walks, addLoop });
    const start = chainStart(rules, rule);
    if (!start) continue;
    const { from, isOfRule } = start;
    const known = isOfRule && !rule.isRegex ? walks.endOf(rule.id) : undefined;
    const end = known ?? (await walks.from(from));
    if (!isOfRule) continue;
    // A walk into a loop that was found before does not know whether it started in the loop.
    const isOfLoop = end !== 'ends' && end !== 'too-long' && walks.isOfLoop(rule.id);
    if (!isOfLoop) on.chain(rule);
  }
}

/** Follows a sample target of a pattern: most loops of patterns contain no literal rule. */
async function findPatternLoop(
  rules: CurrentRules,
  { path, query }: MatchRequest,
  { slice, walks, addLoop }: { slice: TimeSlice; walks: Walks; addLoop: (loop: Loop) => void },
): Promise<void> {
  const from = requestFor(rules, path, query);
  const journey = await runInSlices(followHops(rules.ruleset, from, rules.website, rules.hosts), slice);
  if (journey.outcome === 'loop') await walks.from(from);
  const round = growingRound(journey);
  if (!round) return;
  const ruleIds = [...new Set(round.flatMap(({ ruleId }) => ruleId ?? []))];
  const smallest = ruleIds.indexOf(Math.min(...ruleIds));
  const ordered = [...ruleIds.slice(smallest), ...ruleIds.slice(0, smallest)];
  addLoop({ ruleIds: ordered, count: ordered.length, isGrowing: true });
}

/**
 * The address from which to follow a rule: its own, or the target of a pattern without group references. `isOfRule` is
 * false if another rule matches the rule's own address. Undefined if fewer than two redirects follow.
 */
export function chainStart(rules: CurrentRules, rule: Rule) {
  const { ruleset, website, hosts } = rules;
  if (rule.newPath === null || !mayContinue(rules, rule, rule.newPath)) return undefined;
  const own = rule.isRegex ? requestFor(rules, '/', null) : ownRequest(rules, rule.key);
  const first = rule.isRegex ? undefined : ruleset.match(own, website);
  const location = rule.isRegex ? fixedLocation(rule.newPath) : (first?.location ?? null);
  const second = location === null ? undefined : arriveAt(own, location, hosts).next;
  if (!second || (ruleset.match(second, website)?.location ?? null) === null) return undefined;
  return rule.isRegex ? { from: second, isOfRule: true } : { from: own, isOfRule: first?.id === rule.id };
}

/**
 * One lookup excludes most rules: no rule matches their target. A query may be passed on, so rules with one are always
 * followed.
 */
function mayContinue({ ruleset, website, hosts }: CurrentRules, rule: Rule, newPath: string): boolean {
  if (rule.isRegex) return targetParts(newPath).every((part) => typeof part === 'string');
  if (rule.key.includes('?')) return true;
  const { host, path, query } = parseLocation(newPath);
  if (host !== undefined && hosts.redirectAt(host)) return true;
  if (host !== undefined && !hosts.servesRules(host)) return false;
  return ruleset.match({ path, query, ...(host !== undefined && { host }) }, website) !== undefined;
}

const fixedLocation = (newPath: string): string => renderLocation(newPath, { values: [], names: {} }, null, 'drop', []);
