/**
 * Finds statements that an earlier one answers in the server, but which would win here: a server takes the first match,
 * and Detour a path before a pattern, and the pattern with the longest fixed beginning.
 */
import { canonicalPath } from '../../../resolver/canonical-path.ts';
import { foldPath } from '../../../resolver/case-fold.ts';
import { matchForm, mayMatch } from '../../../resolver/patterns/pattern.ts';
import { comparePrecedence } from '../../../resolver/patterns/pattern-layer.ts';
import { absorbs, type OverlapBudget, sharedPath } from '../../../resolver/patterns/pattern-overlap.ts';
import { slashTwin } from '../../../resolver/precedence.ts';
import { ruleKey } from '../../../resolver/rule.ts';
import type { Issue } from '../../../vocabulary/error.ts';
import { issue } from '../../rows/cells.ts';
import { createFirstLines, type Place } from './first-lines.ts';
import {
  createPlacedPatterns,
  isEarlier,
  MAX_PATTERNS,
  type PlacedPattern,
  type PlacedPatterns,
} from './placed-patterns.ts';
import type { FoundRule, RuleSource, ServerContext } from './statement.ts';

export interface StatementOrder {
  /** Adds a rule of the file, in the first pass. */
  add(rule: FoundRule, place: Place): void;
  /** Returns why the rule must not be imported, in the second pass. */
  check(rule: FoundRule, place: Place): Promise<Issue | undefined>;
}

/** Pairs of states that the comparisons of one file may visit, about 10 s. Further patterns count as overlapping. */
const MAX_PAIRS = 20_000_000;

/** `onDifference`: the pattern at a line answers some paths here that an earlier one answers in the server. */
export function createStatementOrder(
  { caseSensitive }: Pick<ServerContext, 'caseSensitive'>,
  onDifference: (line: number) => void,
): StatementOrder {
  const paths = createFirstLines();
  const patterns = createPlacedPatterns();
  const budget: OverlapBudget = { pairs: MAX_PAIRS };

  async function checkPath({ path, slash }: RuleSource & { kind: 'path' }, place: Place): Promise<Issue | undefined> {
    const [bare = path] = path.split('?');
    for (const each of path === bare ? [path] : [path, bare]) {
      const first = paths.find(keyOf(each, slash), place);
      if (first !== undefined)
        return outOfOrder(`line ${first} has the same path, and the server uses it first; remove this line`);
    }
    const twin = slash === 'ignore' ? slashTwin(bare) : undefined;
    const first =
      (await firstMatch(patterns, bare, { place, caseSensitive })) ??
      (twin === undefined ? undefined : await firstMatch(patterns, twin, { place, caseSensitive }));
    if (first === undefined) return undefined;
    return outOfOrder(
      `line ${first} also matches this path, and the server uses it first; move this line above it, or remove it`,
    );
  }

  async function checkPattern(text: string, place: Place): Promise<Issue | undefined> {
    const own = patterns.find(text);
    if (!own) return patterns.isFull() ? tooMany() : undefined;
    if (isEarlier(own.place, place))
      return outOfOrder(`line ${own.place.line} has the same pattern, and the server uses it first; remove this line`);
    let differs = false;
    for await (const pattern of patterns.earlier(own.prefix, place)) {
      if (!wins(own, pattern)) continue;
      const [first, second] = [patterns.automatonOf(pattern), patterns.automatonOf(own)];
      if (absorbs(first, own.form.prefix, caseSensitive))
        return outOfOrder(
          `line ${pattern.place.line} matches all paths of this line, and the server uses it first; remove this line`,
        );
      differs ||= sharedPath(first, second, caseSensitive, budget) !== undefined;
    }
    if (differs) onDifference(place.line);
    return undefined;
  }

  return {
    add({ source }, place) {
      if (source.kind === 'pattern') patterns.add(source.pattern, place);
      else paths.add(keyOf(source.path, source.slash), place);
    },
    check: ({ source }, place) =>
      source.kind === 'pattern' ? checkPattern(source.pattern, place) : checkPath(source, place),
  };
}

/** The line of an earlier pattern that matches the path. */
async function firstMatch(
  patterns: PlacedPatterns,
  path: string,
  { place, caseSensitive }: { place: Place; caseSensitive: boolean },
): Promise<number | undefined> {
  const canonical = canonicalPath(path);
  const folded = foldPath(canonical);
  for await (const { form, place: first } of patterns.earlier(folded, place)) {
    if (mayMatch(form, folded) && matchForm(form, canonical, caseSensitive, false)) return first.line;
  }
  return undefined;
}

const wins = (one: PlacedPattern, other: PlacedPattern): boolean => comparePrecedence(ranked(one), ranked(other)) < 0;
const ranked = ({ text, prefix }: PlacedPattern) => ({ text, prefixLength: prefix.length });

/** A server that ignores the final slash has one rule for both spellings. */
function keyOf(path: string, slash: 'exact' | 'ignore'): string {
  const key = ruleKey(path, false);
  if (slash === 'exact' || key === '/') return key;
  return key.replace(/\/(?=\?|$)/, '');
}

function outOfOrder(message: string): Issue {
  return issue('row', 'ORDER_CONFLICT', message);
}

function tooMany(): Issue {
  return issue('old_path', 'TOO_MANY_PATTERNS', `a website has at most ${MAX_PATTERNS.toLocaleString('en')} patterns`);
}
