import { foldPath } from '../../../resolver/case-fold.ts';
import { storedPatternForm } from '../../../resolver/patterns/pattern.ts';

/** A redirect for one environment, as server formats read it. */
export interface TargetedRule {
  id: string;
  key: string;
  oldPath: string;
  newPath: string | null;
  statusCode: number;
  isRegex: boolean;
  /** it has a window */
  isScheduled: boolean;
  /** keys of other literals that differ from this one only by a final slash or by the case of ASCII letters */
  companions: string[];
}

/** A pattern with the length of its literal prefix, which decides its precedence. */
export interface RankedPattern {
  rule: TargetedRule;
  prefix: number;
}

export function rankPattern(rule: TargetedRule): RankedPattern {
  return { rule, prefix: foldPath(storedPatternForm(rule.oldPath)?.prefix ?? '').length };
}

/** Sorts patterns as the resolver tries them: longest literal prefix, then longest pattern, then byte order. */
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
