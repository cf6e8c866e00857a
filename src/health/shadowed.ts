/**
 * Finds rules that never match, because others win for every path. A literal rule always wins for its exact spelling.
 * Of patterns only provable cases are found: a pattern for the single path of a literal rule, a duplicate of another
 * pattern, and a pattern whose prefix another pattern matches completely.
 */
import { foldPath } from '../resolver/spelling/case-fold.ts';
import { parseLocation } from '../resolver/location.ts';
import { type PatternForm } from '../resolver/patterns/pattern-form.ts';
import { comparePrecedence } from '../resolver/patterns/pattern-layer.ts';
import { storedPatternForm } from '../resolver/patterns/pattern.ts';
import type { Rule } from '../resolver/rule.ts';
import { targetParts } from '../resolver/target.ts';
import type { TimeSlice } from '../platform/scheduling/time-slice.ts';
import { requestFor, type CurrentRules } from './current-rules.ts';

export interface Shadowed {
  ruleId: number;
  byRuleId: number;
}

/** Returns the shadowed patterns, each with the rule that wins. `patterns` are all patterns of the rules. */
export async function findShadowed(rules: CurrentRules, patterns: Rule[], slice: TimeSlice): Promise<Shadowed[]> {
  const found: Shadowed[] = [];
  const sameText = new Map<string, Rule>();
  const takesAll = new Map<string, Rule>();
  // The order in which the resolver tries patterns with the same prefix. Others are never compared.
  const ranked = patterns.map((rule) => ({ rule, text: rule.key, prefixLength: 0 })).toSorted(comparePrecedence);
  for (const { rule } of ranked) {
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

/**
 * The literal rule that always wins for the single path of a pattern; undefined if the pattern matches several paths.
 */
function literalBefore(rules: CurrentRules, { closed, runs, prefix }: PatternForm): { id: number } | undefined {
  if (!closed || runs.length !== 1 || foldPath(prefix) !== runs[0]) return undefined;
  const [first] = rules.ruleset.candidates(requestFor(rules, prefix, null), rules.website);
  const match = first?.wins === true ? first.read() : undefined;
  if (!match || match.isRegex) return undefined;
  if (match.location === null) return match;
  // If its Location differs from the path in the query or the case only, it skips some requests.
  return foldPath(parseLocation(match.location).path) === runs[0] ? undefined : match;
}

/** True for patterns such as `^/old/(.*)$`: fixed text, then anything. */
function isPrefixAlone(text: string, { prefix }: PatternForm): boolean {
  const head = /^\^?((?:[\w/~,;=@-]|\\[.-])*)(?:\.\*|\(\.\*\))\$?$/.exec(text)?.[1];
  return head !== undefined && head.replaceAll('\\', '') === prefix;
}

/** Returns false if the pattern may skip a request that it matches, because its Location is that request. */
function answersAll({ hosts }: CurrentRules, { newPath }: Rule, { prefix }: PatternForm): boolean {
  if (newPath === null) return true;
  const parts = targetParts(newPath);
  const isFixed = parts.every((part) => typeof part === 'string');
  const fixed = isFixed ? parts.join('') : parts.find((part) => part !== '');
  if (typeof fixed !== 'string') return false;
  const { host, path } = parseLocation(fixed);
  if (host !== undefined && !hosts.has(host)) return true;
  const [start, own] = [foldPath(path), foldPath(prefix)];
  if (isFixed) return !start.startsWith(own);
  // The text of a group could remove segments (..), unless it starts a segment on both sides.
  const isWhole = own.endsWith('/') && /^\/(?:[\w~-][\w.~-]*\/)*$/.test(path) && fixed.endsWith('/');
  return isWhole && !start.startsWith(own) && !own.startsWith(start);
}
