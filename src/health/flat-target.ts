import { requestKey, walkHops } from '../resolver/follow.ts';
import { parseLocation } from '../resolver/location.ts';
import type { Match, MatchRequest, Rule } from '../resolver/rule.ts';
import { renderLocation } from '../resolver/target.ts';
import { joinTargets, skipProblem } from '../vocabulary/skipped-hops.ts';
import { ownRequest, type CurrentRules } from './current-rules.ts';

/** Reasons for leaving a chain unchanged, with the text for its editor. */
export const LEFT = {
  PATTERN: 'a pattern may redirect to more than one address; change it by hand',
  LOOP: 'it ends in a loop; delete a redirect of the loop',
  TOO_LONG: 'it has more than 100 redirects; shorten it by hand',
  TEMPORARY: 'a later redirect of the chain is temporary, so its target may change',
  METHOD: 'it preserves the request method, and a later redirect of the chain does not',
  QUERY: 'a redirect of the chain depends on the query or the host of the request',
  ENVIRONMENTS: 'in another of its environments the chain has another target, or is not safe to shorten',
  DOMAIN: 'it leads through a host that redirects as a whole; change it by hand',
  SCHEDULED: 'a later redirect of the chain has a window, so the chain changes with time',
  NEW_PATH: 'the final target is not allowed as new_path of this redirect',
} as const;

export type LeftReason = keyof typeof LEFT;

/** The flat new_path of a rule, or the reason for leaving it unchanged. */
export type Flat = { newPath: string } | { reason: LeftReason };

/** The rules of an environment, for flattening. */
export interface FlatRules {
  rules: CurrentRules;
  /** undefined if the website does not pass queries on */
  requiresQuery: ((path: string) => boolean) | undefined;
}

const MAX_HOPS = 100;

interface Step {
  request: MatchRequest;
  match: Match & { location: string };
}

/**
 * Returns the target that replaces the chain of a literal rule for every visitor: with any query, on every host of the
 * environment, with the same fragment and scheme. If a later redirect may not be skipped, the target is the address of
 * that redirect. A rule without a chain keeps its target.
 */
export function flatTarget(flat: FlatRules, rule: Rule): Flat {
  if (rule.isRegex) return { reason: 'PATTERN' };
  const steps = stepsOf(flat.rules, rule);
  if (!Array.isArray(steps)) return steps;
  for (const [at, step] of steps.entries()) {
    const reason = at === 0 ? undefined : reasonAgainst(flat, rule, step);
    if (reason) return at === 1 ? { reason } : { newPath: textOf(flat.rules, steps.slice(0, at)) };
  }
  return { newPath: textOf(flat.rules, steps) };
}

/** Why the rule may not skip a later redirect of its chain. */
function reasonAgainst(flat: FlatRules, { statusCode }: Rule, step: Step): LeftReason | undefined {
  const { match } = step;
  const reason = skipProblem(statusCode, { statusCode: match.statusCode, isScheduled: match.window !== undefined });
  return reason ?? (isCertain(flat, step) ? undefined : 'QUERY');
}

/** The redirects from a rule's own address to the end of the chain, or the reason for leaving it unchanged. */
function stepsOf(rules: CurrentRules, rule: Rule): Step[] | { reason: LeftReason } {
  const { ruleset, website, hosts } = rules;
  const steps: Step[] = [];
  const visited = new Set<string>();
  const start = ownRequest(rules, rule.key);
  for (const { request, match, via } of walkHops((each) => ruleset.match(each, website), start, hosts)) {
    if (visited.has(requestKey(request))) return { reason: 'LOOP' };
    visited.add(requestKey(request));
    if (match.location === null) break;
    if (steps.length === MAX_HOPS) return { reason: 'TOO_LONG' };
    steps.push({ request, match: { ...match, location: match.location } });
    if (via.length > 0) return { reason: 'DOMAIN' };
  }
  return steps[0]?.match.id === rule.id ? steps : { reason: 'QUERY' };
}

/** Returns whether the same rule matches with the same target for any query and any own host. */
function isCertain({ rules, requiresQuery }: FlatRules, { request, match }: Step): boolean {
  if (requiresQuery?.(request.path)) return false;
  if (parseLocation(match.location).path === request.path) return false;
  const [first] = rules.ruleset.candidates(request, rules.website);
  return first?.id === match.id && first.wins;
}

/** The last Location as an editor would write it. */
function textOf({ ruleset }: CurrentRules, steps: Step[]): string {
  return joinTargets(
    steps.map(({ match: { location, isRegex, key } }) => {
      const stored = isRegex ? undefined : ruleset.get(key)?.newPath;
      const isStored = stored != null && renderLocation(stored, null, null, 'drop', []) === location;
      return isStored ? stored : location;
    }),
  );
}
