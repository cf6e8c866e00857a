/**
 * Finds loops in which no address repeats: a pattern redirects to a longer address that it matches again. No finite
 * search proves that a pattern has none, so it is tried with sample values of its groups.
 */
import { splitTarget } from './spelling/canonical-path.ts';
import type { Hop, Journey } from './follow.ts';
import { parseLocation } from './location.ts';
import type { MatchRequest, Rule } from './rule.ts';
import { targetParts } from './target.ts';

/** A journey that uses a rule this often, on longer addresses, counts as endless. */
const ENDLESS_USES = 5;
const SAMPLES = ['x', '1', '2024'];

/**
 * Sample targets of a pattern, to start a search for a loop through it. Empty for a literal, whose own path suffices,
 * and for targets on other hosts. Groups get a word, a digit or a year, so a loop may go unnoticed.
 */
export function sampleRequests({ isRegex, newPath }: Pick<Rule, 'isRegex' | 'newPath'>): MatchRequest[] {
  if (!isRegex || newPath === null || !newPath.startsWith('/')) return [];
  const parts = targetParts(newPath);
  const texts = SAMPLES.map((sample) => parts.map((part) => (typeof part === 'string' ? part : sample)).join(''));
  return [...new Set(texts)].map((text) => {
    const { path, query } = parseLocation(text);
    return { path, query };
  });
}

/**
 * The hops of one round of a journey that grows without end; undefined for any other journey. `followHops` needs a limit
 * of at least 20 hops to see the growth.
 */
export function growingRound({ hops, outcome }: Journey): Hop[] | undefined {
  if (outcome !== 'too-many') return undefined;
  const last = hops.at(-1)?.ruleId;
  const uses = hops.flatMap(({ ruleId }, index) => (ruleId === last ? [index] : []));
  const [first = 0] = uses;
  const previous = uses.at(-2);
  const isLonger = (hops.at(-1)?.url.length ?? 0) > (hops[first]?.url.length ?? 0);
  if (previous === undefined || uses.length < ENDLESS_USES || !isLonger) return undefined;
  return hops.slice(first, first + (hops.length - 1 - previous));
}

/** The requests from which to follow a key: the samples of a stored pattern, else the address itself. */
export function startRequests(key: string, rule: Rule | undefined): MatchRequest[] {
  return rule?.isRegex ? sampleRequests(rule) : [splitTarget(key)];
}
