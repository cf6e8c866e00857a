/** Targets of servers as parts, and in the notation of a redirect here. */
import type { RuleSource } from './statement.ts';

/** Text as in a Location, or the number of a group. */
export type TargetPart = string | { group: number };

/** Writes a target. A path has no groups, so that references to them are empty. */
export function writeTarget(parts: readonly TargetPart[], source: RuleSource, hasSlashInGroup = false): string {
  if (source.kind === 'path') return parts.filter((part) => typeof part === 'string').join('');
  let text = '';
  for (const [at, part] of parts.entries()) {
    if (typeof part === 'string') {
      text += part.replaceAll('$', '$$$$');
      continue;
    }
    if (part.group === 1 && hasSlashInGroup) text += text.endsWith('/') && text.length === 1 ? '' : '/';
    const next = parts[at + 1];
    const isFollowed = typeof next === 'string' && /^\d/.test(next);
    text += isFollowed ? `\${${part.group}}` : `$${part.group}`;
  }
  return withRootSlash(text);
}

/** An absolute target has a path. */
function withRootSlash(text: string): string {
  return text.replace(/^(https?:\/\/[^/?#$]+)(?=$|[?#])/i, '$1/');
}

/** Splits text at `$1` to `$9`; `\` escapes the next character. */
export function dollarParts(text: string): TargetPart[] {
  const parts: TargetPart[] = [];
  let run = '';
  for (let at = 0; at < text.length; at++) {
    const next = text[at + 1] ?? '';
    if (text[at] === '\\' && next !== '') {
      run += next;
      at++;
    } else if (text[at] === '$' && /\d/.test(next)) {
      parts.push(run, { group: Number(next) });
      run = '';
      at++;
    } else run += text[at];
  }
  return [...parts, run].filter((part) => part !== '');
}
