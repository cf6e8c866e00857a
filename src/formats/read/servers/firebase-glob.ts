/** Globs of Firebase as patterns: `*` is in a segment, `**` is any number of segments, `{a,b}` and `@(a|b)` are choices. */
import { escapeRegex } from '../../../resolver/patterns/pattern-syntax.ts';
import type { Issue } from '../../../vocabulary/error.ts';
import { inexact, type RuleSource } from './statement.ts';

const FOLDERS = String.raw`(?<folders>\/\*\*(?=[/},|)]|$))`;
const SEGMENT = String.raw`(?<segment>(?<=\/)\*(?=[/},|)]|$))`;
const OTHER = String.raw`(?<other>[[\]\\]|[!+*?]\()`;
const TOKEN = new RegExp(
  `${FOLDERS}|${SEGMENT}|${OTHER}|(?<open>\\{|@\\()|(?<star>\\*+)|(?<one>\\?)|(?<next>[,|])|(?<close>[})])|[^]`,
  'gu',
);

/** Returns a path if the glob, which begins with a slash, has no wildcard. */
export function globSource(glob: string, slash: 'exact' | 'ignore'): RuleSource | Issue {
  const choices: string[] = [];
  let pattern = '';
  for (const { 0: text, groups = {} } of glob.matchAll(TOKEN)) {
    const { folders, segment, other, open, star, one, next, close } = groups;
    const isBrace = choices.at(-1) === '{';
    if (other !== undefined || (close !== undefined && choices.pop() !== (close === '}' ? '{' : '@(')))
      return inexact(`"${text}" of a glob cannot be converted; write the redirect with "regex"`);
    if (open !== undefined) choices.push(open);
    if (folders !== undefined) pattern += '/.*';
    else if (segment !== undefined) pattern += '[^/]+';
    else if (star !== undefined) pattern += '[^/]*';
    else if (one !== undefined) pattern += '[^/]';
    else if (open !== undefined) pattern += '(?:';
    else if (close !== undefined) pattern += ')';
    else if (next !== undefined && choices.length > 0 && isBrace === (next === ',')) pattern += '|';
    else pattern += escapeRegex(text);
  }
  if (choices.length > 0) return inexact('the glob has a choice without its end; close it');
  if (!/[*?{]|@\(/.test(glob)) return { kind: 'path', path: glob.replaceAll('#', '%23'), slash };
  return { kind: 'pattern', pattern: `^${pattern.replaceAll('/.*/', '/(?:.*/)?')}$` };
}
