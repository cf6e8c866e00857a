/** Targets of servers as parts, and in the notation of a redirect here. */
import type { SearchedPattern } from './search-pattern.ts';
import type { RuleSource } from './statement.ts';

/** Text as in a Location, the number of a group, or WHOLE. */
export type TargetPart = string | { group: number };

/** The whole path of the request. */
export const WHOLE = '\0path';

/** Writes a target that may have the whole path, which a group must then capture. Returns it with its source. */
export function writeWithWhole(written: readonly TargetPart[], searched: Searched) {
  const { parts, source } = withOptionalFolder(written, searched);
  const { hasSlashInGroup } = searched;
  if (!parts.includes(WHOLE)) return { source, target: writeTarget(parts, source, hasSlashInGroup) };
  if (source.kind === 'path') {
    const whole = parts.map((part) => (part === WHOLE ? source.path : part));
    return { source, target: writeTarget(whole, source) };
  }
  // One more group around everything after the leading slash.
  const pattern = `^/(${source.pattern.replace(/^\^?\//, '').replace(/\$$/, '')})$`;
  const wrapped = { kind: 'pattern', pattern } as const;
  const shifted = parts.flatMap((part): TargetPart[] =>
    part === WHOLE ? ['/', { group: 1 }] : [typeof part === 'string' ? part : { group: part.group + 1 }],
  );
  return { source: wrapped, target: writeTarget(shifted, wrapped) };
}

/** `(.*)/x` also matches `/x`, with an empty group. Here the group then takes the slash after it. */
function withOptionalFolder(parts: readonly TargetPart[], { source, isFolder: isOptional }: Searched) {
  if (isOptional !== true || source.kind !== 'pattern') return { parts, source };
  const isFolder = (part: TargetPart | undefined): boolean => typeof part === 'object' && part.group === 1;
  if (parts.some((part, at) => isFolder(part) && !String(parts[at + 1]).startsWith('/'))) return { parts, source };
  const pattern = source.pattern.replace('(.*)/', '((?:.*/)?)');
  const rest = parts.map((part, at) => (typeof part === 'string' && isFolder(parts[at - 1]) ? part.slice(1) : part));
  return { parts: rest, source: { kind: 'pattern', pattern } as const };
}

type Searched = Pick<SearchedPattern, 'source' | 'hasSlashInGroup' | 'isFolder'>;

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
  // An absolute target has a path.
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
