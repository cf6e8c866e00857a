import { foldPath } from '../../../resolver/spelling/case-fold.ts';
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

/** A pattern with what decides its precedence. */
export function rankPattern(rule: TargetedRule) {
  const prefix = foldPath(storedPatternForm(rule.oldPath)?.prefix ?? '');
  return { rule, text: rule.key, prefixLength: prefix.length };
}
