/** Wildcards that a user types for a redirect that is not a pattern. */
import { AMBIGUOUS_SOURCE, AMBIGUOUS_TARGET } from '../../../../../src/vocabulary/wildcards.ts';
import type { Draft } from './draft.ts';

type Rule = Pick<Draft, 'old_path' | 'new_path' | 'is_regex'>;

/** True if the redirect is not a pattern, and looks like one. An import rejects such rows. */
export const looksLikePattern = ({ old_path: source, new_path: target, is_regex }: Rule): boolean =>
  !is_regex && (AMBIGUOUS_SOURCE.test(source) || AMBIGUOUS_TARGET.test(target));

/** `(.*)` and `*` are any text; `:name` after a separator is one segment. */
const WILDCARD = /\(\.\*\)|\*|(?<before>[/.-]):(?<name>[A-Za-z_]\w*)/g;
const REFERENCE = /\*|(?<before>[/.-]):(?<name>[A-Za-z_]\w*)/g;

/**
 * The same redirect as a pattern: `/old/*` to `/new/$1` becomes `^/old/(.*)$`. A source without wildcards stays: it is
 * a pattern already. In the target, names and `*` become the numbers of their groups.
 */
export function asPattern({ old_path: source, new_path: target }: Rule): Rule {
  const names: (string | undefined)[] = [];
  let pattern = '^';
  let end = 0;
  for (const { 0: text, index, groups } of source.matchAll(WILDCARD)) {
    const { before, name } = groups ?? {};
    pattern += escaped(source.slice(end, index));
    pattern += name === undefined ? '(.*)' : `${escaped(before ?? '')}([^/]+)`;
    names.push(name);
    end = index + text.length;
  }
  if (names.length === 0 || /\\|\([^()]*\|/.test(source)) return { old_path: source, new_path: target, is_regex: true };
  return { old_path: `${pattern}${escaped(source.slice(end))}$`, new_path: numbered(target, names), is_regex: true };
}

function numbered(target: string, names: readonly (string | undefined)[]): string {
  const stars = names.flatMap((name, at) => (name === undefined ? [at + 1] : []));
  return target.replaceAll(REFERENCE, (text: string, ...more) => {
    const { before = '', name } = more.at(-1) as { before?: string; name?: string };
    const number = name === undefined ? stars.shift() : names.indexOf(name) + 1;
    return number ? `${before}$${number}` : text;
  });
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
