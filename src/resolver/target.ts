/** Targets: their references to groups of a pattern, and the Location that they become for a request. */
import { escapeCodePoint } from './spelling/percent.ts';
import { canonicalName, canonicalPair, rawParameters } from './spelling/query.ts';
import type { MatchOptions } from './rule.ts';

/** Captures of a pattern. `values[0]` is the whole path; undefined is a group that did not participate. */
export interface Captures {
  values: readonly (string | undefined)[];
  names: Readonly<Record<string, number>>;
}

/** A part of a target: text, or a reference to a group by number or name. */
export type TargetPart = string | { group: number | string };

const REFERENCE = /\$(?:(\$)|([1-9][0-9]?)|\{([A-Za-z0-9_]+)\})|\$(?:\{[^}]*\}?|.)?/gsu;

/**
 * The references in the target of a pattern: groups (`$1` to `$99`, `${1}`), `${name}`, and invalid ones as written.
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

/** Splits the target of a pattern into parts for `renderParts`. Invalid references, and scheme and host, stay text. */
export function targetParts(newPath: string): TargetPart[] {
  const origin = /^https?:\/\/[^/?#\\]*/i.exec(newPath)?.[0] ?? '';
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

/** No client reads a longer Location. */
const MAX_RENDERED_CHARACTERS = 64 * 1024;

/**
 * Replaces references with captures. A group that did not participate or does not exist is empty. Undefined if the text
 * has more than 65,536 characters.
 */
export function renderParts(parts: TargetPart[], captures: Captures): string | undefined {
  let text = '';
  for (const part of parts) {
    text += typeof part === 'string' ? part : (captures.values[numberOf(part.group, captures)] ?? '');
    if (text.length > MAX_RENDERED_CHARACTERS) return undefined;
  }
  return text;
}

function numberOf(group: number | string, { names }: Captures): number {
  if (typeof group === 'number') return group;
  return Object.hasOwn(names, group) ? (names[group] ?? -1) : -1;
}

/**
 * Returns the Location for one request: ASCII without spaces, on the same host unless the target begins with
 * `http(s)://`. `captures` is null for a literal rule. `consumed` are its required pairs, which are not passed on.
 */
export function renderLocation(
  newPath: string,
  captures: Captures | null,
  query: string | null,
  mode: MatchOptions['query'],
  consumed: readonly string[],
): string {
  const text = captures === null ? newPath : (renderParts(targetParts(newPath), captures) ?? '');
  return locationFor(text, query, mode, consumed);
}

/** As `renderLocation`, for a target whose references are already replaced. */
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

/** True for a target with scheme and host. */
export function isAbsolute(newPath: string): boolean {
  return /^https?:\/\//i.test(newPath);
}

function withQuery(target: string, query: string, consumed: readonly string[]): string {
  const hash = target.indexOf('#');
  const base = hash < 0 ? target : target.slice(0, hash);
  const mark = base.indexOf('?');
  const ownNames = new Set(mark < 0 ? [] : rawParameters(base.slice(mark + 1)).map(canonicalName));
  const withheld = new Set(consumed);
  const passed = rawParameters(query).filter(
    (parameter) => !ownNames.has(canonicalName(parameter)) && !withheld.has(canonicalPair(parameter)),
  );
  if (passed.length === 0) return target;
  const joint = mark < 0 ? '?' : base.endsWith('?') || base.endsWith('&') ? '' : '&';
  const added = escapeForHeader(passed.join('&')).replaceAll('#', '%23');
  return base + joint + added + (hash < 0 ? '' : target.slice(hash));
}

/** Escapes spaces and characters that are not allowed in a header field (RFC 9110 section 5.5). */
function escapeForHeader(text: string): string {
  if (!/[^\x21-\x7e]/.test(text)) return text;
  return text.replace(/[^\x21-\x7e]/gu, (character) => escapeCodePoint(character.codePointAt(0) ?? 0));
}
