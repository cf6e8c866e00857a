/** The effect of rules on URLs, by the resolver itself. */
import { runInSlices } from '../../platform/scheduling/time-slice.ts';
import { emptyRuleset } from '../../resolver/ruleset.ts';
import type { MatchOptions } from '../../resolver/rule.ts';
import { splitTarget } from '../../resolver/spelling/canonical-path.ts';
import { canonicalTarget } from './rewrite.ts';
import { matchableRows, type MoveRows } from './rows.ts';

interface PatternRule {
  pattern: string;
  target: string;
}

/** Numbers of rows, with up to 5 URLs of each. */
export interface Counted {
  count: number;
  examples: string[];
}

export interface RuleEffect {
  /** undecided rows, with those that break a condition */
  covers: Counted;
  /** decided rows that the rule leads to their target */
  agrees: Counted;
  /** rows that are decided as another target or as gone: they stay literal rules */
  differs: Counted;
  /** conditions that the rule breaks unless the count is 0: `kept` are rows that are decided as keep or skip */
  living: Counted;
  kept: Counted;
  noCandidate: Counted;
}

const MAX_EXAMPLES = 5;

/** Returns what a rule would do in a move. An invalid one (`checkRedirect`) does nothing. Yields to the event loop. */
export function effectOf(rule: PatternRule, rows: MoveRows): Promise<RuleEffect> {
  return runInSlices(measure(rule, rows));
}

function* measure(rule: PatternRule, rows: MoveRows): Generator<void, RuleEffect> {
  const follow = followRules([rule], rows.website);
  const counted = (): Counted => ({ count: 0, examples: [] });
  const effect: RuleEffect = {
    covers: counted(),
    agrees: counted(),
    differs: counted(),
    living: counted(),
    kept: counted(),
    noCandidate: counted(),
  };
  let tried = 0;
  for (const { url, kind, target } of matchableRows(rows)) {
    if (tried++ % 100 === 0) yield;
    const location = follow(url);
    if (location === null) continue;
    const add = (to: keyof RuleEffect): void => {
      if (effect[to].count++ < MAX_EXAMPLES) effect[to].examples.push(url);
    };
    if (kind === 'living') add('living');
    else if (kind === 'keep' || kind === 'skip') add('kept');
    else if (kind === 'undecided') add('covers');
    else add(canonicalTarget(location) === target ? 'agrees' : 'differs');
    if (kind === 'undecided' && !rows.isCandidate(location)) add('noCandidate');
  }
  return effect;
}

/**
 * Returns a function that gives the Location of a canonical URL by the rules, with the precedence of the resolver; null
 * if none matches. Each pattern may occur once.
 */
export function followRules(rules: readonly PatternRule[], website: MatchOptions): (url: string) => string | null {
  const draft = emptyRuleset().fork();
  for (const [id, { pattern, target }] of rules.entries())
    draft.add({ id: id + 1, key: pattern, isRegex: true, newPath: target, statusCode: 301 });
  const ruleset = draft.seal();
  return (url) => ruleset.match(splitTarget(url), website)?.location ?? null;
}
