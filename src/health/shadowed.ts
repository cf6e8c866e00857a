/**
 * Which rules can never answer, because others win for every path that they match. Literal rules always can: each wins for its
 * own spelling. Of patterns that is told which can be proved from their text: one that stands for a single path which a literal
 * rule has, one that says the same as another, and one under a pattern that takes everything behind the same beginning.
 */
import { foldPath } from '../resolver/case-fold.ts';
import { parseLocation } from '../resolver/location.ts';
import { type PatternForm } from '../resolver/pattern-form.ts';
import { storedPatternForm } from '../resolver/pattern.ts';
import type { Rule } from '../resolver/rule.ts';
import { targetParts } from '../resolver/target.ts';
import type { TimeSlice } from '../platform/time-slice.ts';
import { requestFor, type CurrentRules } from './current-rules.ts';

export interface Shadowed {
  ruleId: number;
  byRuleId: number;
}

/** The patterns among `patterns`, which are all that the rules have, that can never answer, each with the rule that does instead. */
export async function findShadowed(
  rules: CurrentRules,
  patterns: Rule[],
  slice: TimeSlice,
): Promise<Shadowed[]> {
  const found: Shadowed[] = [];
  const sameText = new Map<string, Rule>();
  const takesAll = new Map<string, Rule>();
  for (const rule of patterns.toSorted(byPrecedence)) {
    if (slice.isOver()) await slice.yield();
    const form = storedPatternForm(rule.key);
    if (!form) continue;
    const { caseSensitive } = rules.website;
    const text = (caseSensitive ? form.exact : form.folded).replace(/^\^/, '').replace(/(?<!\\)\$$/, '');
    const prefix = caseSensitive ? form.prefix : foldPath(form.prefix);
    const by = literalBefore(rules, form) ?? sameText.get(text) ?? takesAll.get(prefix);
    if (by) {
      found.push({ ruleId: rule.id, byRuleId: by.id });
      continue;
    }
    if (!answersAll(rules, rule, form)) continue;
    sameText.set(text, rule);
    if (isPrefixAlone(rule.key, form)) takesAll.set(prefix, rule);
  }
  return found;
}

/** As the resolver tries patterns of one prefix; those of others are never held against each other. */
function byPrecedence(one: Rule, other: Rule): number {
  if (one.key.length !== other.key.length) return other.key.length - one.key.length;
  return Buffer.compare(Buffer.from(one.key), Buffer.from(other.key));
}

/** The literal rule that wins for the one path that a pattern stands for, where it stands for one and the literal always answers. */
function literalBefore(
  rules: CurrentRules,
  { closed, runs, prefix }: PatternForm,
): { id: number } | undefined {
  if (!closed || runs.length !== 1 || foldPath(prefix) !== runs[0]) return undefined;
  const [first] = rules.ruleset.candidates(requestFor(rules, prefix, null), rules.website);
  if (!first || first.isRegex || first.outcome !== 'fired') return undefined;
  if (first.location === null) return first;
  // Where its Location is the path itself but for a query or the case, there are requests that it leaves to others.
  return foldPath(parseLocation(first.location).path) === runs[0] ? undefined : first;
}

/** `^/old/(.*)$` and the like: fixed text, and then anything. */
function isPrefixAlone(text: string, { prefix }: PatternForm): boolean {
  const head = /^\^?((?:[\w/~,;=@-]|\\[.-])*)(?:\.\*|\(\.\*\))\$?$/.exec(text)?.[1];
  return head !== undefined && head.replaceAll('\\', '') === prefix;
}

/** Is there no request that the pattern matches and leaves to others, as one that its own Location would lead back to? */
function answersAll({ isOwnHost }: CurrentRules, { newPath }: Rule, { prefix }: PatternForm): boolean {
  if (newPath === null) return true;
  const parts = targetParts(newPath);
  const isFixed = parts.every((part) => typeof part === 'string');
  const fixed = isFixed ? parts.join('') : parts.find((part) => part !== '');
  if (typeof fixed !== 'string') return false;
  const { host, path } = parseLocation(fixed);
  if (host !== undefined && !isOwnHost(host)) return true;
  const [begin, own] = [foldPath(path), foldPath(prefix)];
  if (isFixed) return !begin.startsWith(own);
  // What a group caught could take segments away again, unless it begins one on both sides.
  const isWhole = own.endsWith('/') && /^\/(?:[\w~-][\w.~-]*\/)*$/.test(path) && fixed.endsWith('/');
  return isWhole && !begin.startsWith(own) && !own.startsWith(begin);
}
