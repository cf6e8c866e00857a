import { foldPath } from '../resolver/spelling/case-fold.ts';
import { slashTwin } from '../resolver/precedence.ts';
import type { MatchOptions, Rule } from '../resolver/rule.ts';
import type { Ruleset } from '../resolver/ruleset.ts';
import type { TimeSlice } from '../platform/scheduling/time-slice.ts';
import { ownRequest, type CurrentRules } from './current-rules.ts';

/**
 * Normalizes a literal's key under the website's options. Rules with the same result match the same path and require
 * the same query. If the website ignores the final slash, one is removed, except from `/`.
 */
export function classOf(key: string, { caseSensitive, trailingSlash }: MatchOptions): string {
  const [path, query] = partsOf(key);
  const bare = trailingSlash === 'ignore' && path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  return (caseSensitive ? bare : foldPath(bare)) + query;
}

/** Returns the literal rules, so that a search for duplicates never tries a pattern. */
export async function withoutPatterns(ruleset: Ruleset, patterns: Rule[], slice: TimeSlice): Promise<Ruleset> {
  const draft = ruleset.fork();
  for (const { key } of patterns) {
    if (slice.isOver()) await slice.yield();
    draft.remove(key);
  }
  return draft.seal();
}

/**
 * Returns the ids of the literal rules for the same path as `rule`, itself included, ascending. Fewer than two if there
 * is no duplicate. Each matches its own spelling, and one of them all others.
 */
export function duplicatesOf(rules: CurrentRules, literals: Ruleset, rule: Rule): number[] {
  const { caseSensitive, trailingSlash } = rules.website;
  if (caseSensitive && trailingSlash === 'exact') return [];
  const options: MatchOptions = { caseSensitive, trailingSlash, query: 'drop' };
  if (caseSensitive) {
    const [path, query] = partsOf(rule.key);
    const twin = literals.get((slashTwin(path) ?? '') + query);
    return twin && !twin.isRegex && classOf(twin.key, options) === classOf(rule.key, options)
      ? [rule.id, twin.id].toSorted((a, b) => a - b)
      : [];
  }
  const duplicates = Array.from(literals.candidates(ownRequest(rules, rule.key), options), (each) => each.read());
  return duplicates
    .flatMap((each) => (each && classOf(each.key, options) === classOf(rule.key, options) ? [each.id] : []))
    .toSorted((a, b) => a - b);
}

/** The path, and the query with its question mark or ''. */
function partsOf(key: string): [path: string, query: string] {
  const mark = key.indexOf('?');
  return mark < 0 ? [key, ''] : [key.slice(0, mark), key.slice(mark)];
}
