import { requestKey, walkHops } from '../resolver/follow.ts';
import { parseLocation } from '../resolver/location.ts';
import type { Match, MatchRequest, Rule } from '../resolver/rule.ts';
import { isAbsolute, renderLocation } from '../resolver/target.ts';
import { ownRequest, type CurrentRules } from './current-rules.ts';

/** Why a chain is left as it is, and in words for its editor. */
export const LEFT = {
  PATTERN: 'a pattern may lead to more than one address; change it by hand',
  LOOP: 'it leads in a circle; take a redirect of the circle away',
  TOO_LONG: 'it is longer than 100 redirects; shorten it by hand',
  TEMPORARY: 'a later redirect of the chain is temporary, so that its target may change',
  METHOD: 'it keeps the method of a request, and a later redirect of the chain does not',
  QUERY: 'a redirect on the way depends on the query or the host of the request',
  ENVIRONMENTS:
    'in another environment that it is targeted at it leads elsewhere, or the chain is not safe to shorten',
  NEW_PATH: 'the final target may not stand in a new_path of this redirect',
} as const;

export type LeftReason = keyof typeof LEFT;

/** What a rule's new_path becomes, or why it stays. */
export type Flat = { newPath: string } | { reason: LeftReason };

/** Rules with what flattening must know of their queries; undefined where the website passes none on. */
export interface FlatRules {
  rules: CurrentRules;
  asksForQuery: ((path: string) => boolean) | undefined;
}

const MAX_HOPS = 100;
const TEMPORARY = new Set([302, 303, 307]);
const KEEPS_METHOD = new Set([307, 308]);

interface Step {
  request: MatchRequest;
  match: Match & { location: string };
}

/**
 * The target with which a literal rule would send every visitor where the whole chain sends them now: whatever query they bring, on
 * every host of the environment, with the fragment and the scheme that they would end with. A rule that no other follows keeps its target.
 */
export function flatTarget(flat: FlatRules, rule: Rule): Flat {
  if (rule.isRegex) return { reason: 'PATTERN' };
  const steps = stepsOf(flat.rules, rule);
  if (!Array.isArray(steps)) return steps;
  const later = steps.slice(1);
  if (later.some(({ match }) => TEMPORARY.has(match.statusCode))) return { reason: 'TEMPORARY' };
  if (KEEPS_METHOD.has(rule.statusCode) && later.some(({ match }) => !KEEPS_METHOD.has(match.statusCode)))
    return { reason: 'METHOD' };
  if (!later.every((step) => isCertain(flat, step))) return { reason: 'QUERY' };
  return { newPath: textOf(flat.rules, steps) };
}

/** The redirects from a rule's own address on; the last leads to an address that no rule, or one without target, answers. */
function stepsOf(rules: CurrentRules, rule: Rule): Step[] | { reason: LeftReason } {
  const { ruleset, website, isOwnHost } = rules;
  const steps: Step[] = [];
  const visited = new Set<string>();
  const start = ownRequest(rules, rule.key);
  for (const { request, match } of walkHops((each) => ruleset.match(each, website), start, isOwnHost)) {
    if (visited.has(requestKey(request))) return { reason: 'LOOP' };
    visited.add(requestKey(request));
    if (match.location === null) break;
    if (steps.length === MAX_HOPS) return { reason: 'TOO_LONG' };
    steps.push({ request, match: { ...match, location: match.location } });
  }
  return steps[0]?.match.id === rule.id ? steps : { reason: 'QUERY' };
}

/** Does the same rule answer, with the same target, whatever query is passed on to here and on whichever host? */
function isCertain({ rules, asksForQuery }: FlatRules, { request, match }: Step): boolean {
  if (asksForQuery?.(request.path)) return false;
  if (parseLocation(match.location).path === request.path) return false;
  const [first] = rules.ruleset.candidates(request, rules.website);
  return first?.id === match.id && first.outcome === 'fired';
}

/** The final Location as an editor would write it, with the origin and the fragment that a browser has from hops before. */
function textOf({ ruleset }: CurrentRules, steps: Step[]): string {
  let text = '';
  let origin = '';
  let fragment = '';
  for (const { match } of steps) {
    const { location } = match;
    const stored = match.isRegex ? undefined : ruleset.get(match.key)?.newPath;
    const isStored = stored != null && renderLocation(stored, null, null, 'drop', []) === location;
    text = isStored ? stored : location;
    if (isAbsolute(text)) origin = /^https?:\/\/[^/?#\\]*/i.exec(text)?.[0] ?? '';
    const hash = text.indexOf('#');
    if (hash >= 0) fragment = text.slice(hash);
  }
  const whole = isAbsolute(text) ? text : origin + text;
  return whole.includes('#') ? whole : whole + fragment;
}
