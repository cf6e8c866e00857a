import { nextRequest } from '../resolver/follow.ts';
import { parseLocation } from '../resolver/location.ts';
import type { MatchRequest, Rule } from '../resolver/rule.ts';
import { renderLocation, targetParts } from '../resolver/target.ts';
import type { TimeSlice } from '../platform/time-slice.ts';
import { createWalks, type Loop } from './walk.ts';
import { ownRequest, requestFor, type CurrentRules } from './current-rules.ts';

export interface OnChains {
  /** a rule whose Location another rule answers with a Location, and which is not one of a circle */
  chain(rule: Rule): void;
  loop(loop: Loop): void;
}

/** Finds every chain and every loop by following each rule from its own address with the resolver itself. */
export async function findChains(rules: CurrentRules, slice: TimeSlice, on: OnChains): Promise<void> {
  const loops = new Set<string>();
  const walks = createWalks(rules, slice, (loop) => {
    // One that goes through queries or patterns is come upon from several addresses.
    const name = `${loop.count} ${loop.ruleIds.join(' ')}`;
    if (loops.has(name)) return;
    loops.add(name);
    on.loop(loop);
  });
  for (const rule of rules.ruleset.rules()) {
    if (slice.isOver()) await slice.yield();
    const beginning = beginningOf(rules, rule);
    if (!beginning) continue;
    const { from, isOfRule } = beginning;
    const known = isOfRule && !rule.isRegex ? walks.endOf(rule.id) : undefined;
    const end = known ?? (await walks.from(from));
    if (!isOfRule) continue;
    // A walk that comes upon a circle which was found before only sees that it leads into one.
    const isOfLoop = end !== 'ends' && end !== 'too-long' && walks.isOfLoop(rule.id);
    if (!isOfLoop) on.chain(rule);
  }
}

/** Where a chain is followed from; `isOfRule` is false where at the rule's own address another rule answers. */
interface Beginning {
  from: MatchRequest;
  isOfRule: boolean;
}

/**
 * The own address of a rule from which more than one redirect is followed; undefined where there is but one hop or none. A pattern has
 * no address of its own: it is followed from where it leads, if its target refers to no group.
 */
export function beginningOf(rules: CurrentRules, rule: Rule): Beginning | undefined {
  const { ruleset, website, isOwnHost } = rules;
  if (rule.newPath === null || !mayLeadOn(rules, rule, rule.newPath)) return undefined;
  const own = rule.isRegex ? requestFor(rules, '/', null) : ownRequest(rules, rule.key);
  const first = rule.isRegex ? undefined : ruleset.match(own, website);
  const location = rule.isRegex ? fixedLocation(rule.newPath) : (first?.location ?? null);
  const second = location === null ? undefined : nextRequest(own, location, isOwnHost);
  if (!second || (ruleset.match(second, website)?.location ?? null) === null) return undefined;
  return rule.isRegex ? { from: second, isOfRule: true } : { from: own, isOfRule: first?.id === rule.id };
}

/** One look-up tells of most rules that they lead to no other. A query may be carried on, so that rules with one are looked at anyway. */
function mayLeadOn({ ruleset, website, isOwnHost }: CurrentRules, rule: Rule, newPath: string): boolean {
  if (rule.isRegex) return targetParts(newPath).every((part) => typeof part === 'string');
  if (rule.key.includes('?')) return true;
  const { host, path, query } = parseLocation(newPath);
  if (host !== undefined && !isOwnHost(host)) return false;
  return ruleset.match({ path, query, ...(host !== undefined && { host }) }, website) !== undefined;
}

const fixedLocation = (newPath: string): string =>
  renderLocation(newPath, { values: [], names: {} }, null, 'drop', []);
