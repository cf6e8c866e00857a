import { type MatchOptions, type Rule, ruleKey } from '../../src/resolver/rule.ts';
import { emptyRuleset, type Ruleset } from '../../src/resolver/ruleset.ts';

/** Matching options of a case table; omitted ones have the default. */
export interface WireOptions {
  case_sensitive?: boolean;
  trailing_slash?: MatchOptions['trailingSlash'];
  query?: MatchOptions['query'];
}

export function optionsFrom(options: WireOptions = {}): MatchOptions {
  return {
    caseSensitive: options.case_sensitive ?? true,
    trailingSlash: options.trailing_slash ?? 'ignore',
    query: options.query ?? 'pass',
  };
}

/** A rule from `/from -> /to`, `~/pattern -> 302 /to` or `/from -> 410`. */
export function ruleOf(text: string, id: number): Rule {
  const [, pattern, from = '', status, to] = /^(~?)(.*?) -> (?:(\d{3}) ?)?(\/.*|https?:.*)?$/su.exec(text) ?? [];
  const isRegex = pattern === '~';
  return { id, key: ruleKey(from, isRegex), isRegex, newPath: to ?? null, statusCode: Number(status ?? 301) };
}

/** Runs a generator to its end. */
export function runToEnd<T>(steps: Generator<unknown, T, undefined>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** A ruleset of such rules with the ids 1, 2, 3, ... */
export function rulesetOf(rules: string[]): Ruleset {
  const draft = emptyRuleset().fork();
  rules.forEach((text, i) => draft.add(ruleOf(text, i + 1)));
  return draft.seal();
}
