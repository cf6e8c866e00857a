import { storedPatternForm } from '../../../resolver/pattern.ts';
import { foldPath } from '../../../resolver/fold.ts';
import type { TargetedRule } from './server-rows.ts';

/** Patterns in the order in which they are tried: longest literal prefix, longest pattern, byte order. At most 10,000 a website. */
export function patternsInPrecedence(rules: TargetedRule[]): TargetedRule[] {
  return rules
    .map((rule) => ({ rule, prefix: foldPath(storedPatternForm(rule.oldPath)?.prefix ?? '').length }))
    .sort(
      (one, other) =>
        other.prefix - one.prefix ||
        other.rule.key.length - one.rule.key.length ||
        Buffer.compare(Buffer.from(one.rule.key), Buffer.from(other.rule.key)),
    )
    .map(({ rule }) => rule);
}
