import { foldPath } from '../../../resolver/fold.ts';
import { storedPatternForm } from '../../../resolver/pattern.ts';
import type { TargetedRule } from './server-rows.ts';

/** A pattern with what decides its place: the length of what every match begins with. */
export interface RankedPattern {
  rule: TargetedRule;
  prefix: number;
}

export function rankPattern(rule: TargetedRule): RankedPattern {
  return { rule, prefix: foldPath(storedPatternForm(rule.oldPath)?.prefix ?? '').length };
}

/** Patterns in the order in which they are tried: longest literal prefix, longest pattern, byte order. */
export function patternsInPrecedence(patterns: RankedPattern[]): TargetedRule[] {
  return patterns
    .toSorted(
      (one, other) =>
        other.prefix - one.prefix ||
        other.rule.key.length - one.rule.key.length ||
        Buffer.compare(Buffer.from(one.rule.key), Buffer.from(other.rule.key)),
    )
    .map(({ rule }) => rule);
}
