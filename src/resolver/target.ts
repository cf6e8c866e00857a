/** Targets: what they refer to in the match of a pattern, and the Location that they become for one request. */
import { escapeCodePoint } from './percent.ts';
import { canonicalName, canonicalPair, rawParameters } from './query.ts';
import type { MatchOptions } from './rule.ts';

/** What a pattern caught. `values[0]` is the whole path; undefined is a group that took no part. */
export interface Captures {
  values: readonly (string | undefined)[];
  /** number of each named group */
  names: Readonly<Record<string, number>>;
}

/** A piece of a target: text, or a reference to a group by its number or name. */
export type TargetPart = string | { group: number | string };

const REFERENCE = /\$(?:(\$)|([1-9][0-9]?)|\{([A-Za-z0-9_]+)\})|\$(?:\{[^}]*\}?|.)?/gsu;

/**
 * The groups that the target of a pattern refers to: by number (`$1` to `$99`, as many digits as there are up to two; `${1}` ends
 * the number), by name (`${name}`), and what follows a `$` without being either, as it stands. `$$` is a dollar sign.
 */
export function targetReferences(newPath: string): { groups: number[]; names: string[]; invalid: string[] } {
  const groups = new Set<number>();
  const names = new Set<string>();
  const invalid = new Set<string>();
  for (const [whole, dollar, number, name] of newPath.matchAll(REFERENCE)) {
    const group = number ?? (name !== undefined && /^[1-9][0-9]?$/.test(name) ? name : undefined);
    if (group !== undefined) groups.add(Number(group));
    else if (name !== undefined && !/^[0-9]/.test(name)) names.add(name);
    else if (dollar === undefined) invalid.add(whole);
  }
  return { groups: [...groups], names: [...names], invalid: [...invalid] };
}

/** A target of a pattern in pieces, for `renderParts`. What is no reference stays text, and so does everything before the path. */
export function targetParts(newPath: string): TargetPart[] {
  const origin = originOf(newPath);
  const parts: TargetPart[] = [origin];
  let text = '';
  let at = origin.length;
  for (const found of newPath.matchAll(REFERENCE)) {
    if (found.index < origin.length) continue;
    const [whole, dollar, number, name] = found;
    text += newPath.slice(at, found.index);
    at = found.index + whole.length;
    if (dollar !== undefined) text += '$';
    else if (number === undefined && name === undefined) text += whole;
    else {
      const group = number ?? name ?? '';
      parts.push(text, { group: /^[0-9]/.test(group) ? Number(group) : group });
      text = '';
    }
  }
  parts.push(text + newPath.slice(at));
  return parts;
}

/** The target with what its groups caught in their place; a group that took no part, or is not there, is empty. */
export function renderParts(parts: TargetPart[], captures: Captures): string {
  let text = '';
  for (const part of parts) {
    if (typeof part === 'string') text += part;
    else {
      text += captures.values[numberOf(part.group, captures)] ?? '';
    }
  }
  return text;
}

function numberOf(group: number | string, { names }: Captures): number {
  if (typeof group === 'number') return group;
  return Object.hasOwn(names, group) ? (names[group] ?? -1) : -1;
}

/**
 * The Location for one request. `captures` is null for a literal rule, in which `$` is text. `consumed` are the canonical pairs that
 * the rule requires, which are not passed on. The result is ASCII without spaces and control characters. A target without
 * `http(s)://` begins with exactly one `/` that no `/` or `\` follows, so it cannot leave the host; in one with it, captures come
 * after the host or nowhere.
 */
export function renderLocation(
  newPath: string,
  captures: Captures | null,
  query: string | null,
  mode: MatchOptions['query'],
  consumed: readonly string[],
): string {
  const text = captures === null ? newPath : renderParts(targetParts(newPath), captures);
  return locationFor(text, query, mode, consumed);
}

/** As `renderLocation`, from a target whose references are replaced already. */
export function locationFor(
  text: string,
  query: string | null,
  mode: MatchOptions['query'],
  consumed: readonly string[],
): string {
  const escaped = escapeForHeader(text);
  const target = isAbsolute(escaped) ? escaped : `/${escaped.replace(/^[/\\]+/, '')}`;
  return mode === 'pass' && query !== null && query !== '' ? withQuery(target, query, consumed) : target;
}

/** Is this target an address with scheme and host of its own? */
export function isAbsolute(newPath: string): boolean {
  return /^https?:\/\//i.test(newPath);
}

/** Scheme and host of an absolute target, '' of another. */
function originOf(newPath: string): string {
  return /^https?:\/\/[^/?#\\]*/i.exec(newPath)?.[0] ?? '';
}

function withQuery(target: string, query: string, consumed: readonly string[]): string {
  const hash = target.indexOf('#');
  const base = hash < 0 ? target : target.slice(0, hash);
  const mark = base.indexOf('?');
  const taken = new Set(mark < 0 ? [] : rawParameters(base.slice(mark + 1)).map(canonicalName));
  const passed = rawParameters(query).filter(
    (parameter) => !taken.has(canonicalName(parameter)) && !consumed.includes(canonicalPair(parameter)),
  );
  if (passed.length === 0) return target;
  const joint = mark < 0 ? '?' : base.endsWith('?') || base.endsWith('&') ? '' : '&';
  const added = escapeForHeader(passed.join('&')).replaceAll('#', '%23');
  return base + joint + added + (hash < 0 ? '' : target.slice(hash));
}

/** Escapes what may not stand in a header field or would be read differently by a browser: RFC 9110 section 5.5, and the space. */
function escapeForHeader(text: string): string {
  if (!/[^\x21-\x7e]/.test(text)) return text;
  return text.replace(/[^\x21-\x7e]/gu, (character) => escapeCodePoint(character.codePointAt(0) ?? 0));
}
