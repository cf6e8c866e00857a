import { type Pattern, matchForm, mayMatch, storedPatternForm } from '../../../src/resolver/patterns/pattern.ts';
import { foldPath } from '../../../src/resolver/spelling/case-fold.ts';
import type { Captures } from '../../../src/resolver/target.ts';

/** The captures of RE2 if the whole canonical path matches, after the check by literals. */
export function matchPattern({ text }: Pattern, path: string, caseSensitive = true): Captures | undefined {
  const form = storedPatternForm(text);
  return form && mayMatch(form, foldPath(path)) ? matchForm(form, path, caseSensitive, true) : undefined;
}
