/** Patterns: which are taken, and what they match. RE2 by way of re2js, so that no pattern and no path takes more than linear time. */
import { RE2JS } from 're2js';
import { foldPath } from './case-fold.ts';
import { patternForm, type PatternForm } from './pattern-form.ts';
import { sizeProblem, syntaxProblem } from './pattern-reasons.ts';
import type { Captures } from './target.ts';

export const MAX_PATTERN_CHARACTERS = 1_000;
/** Paths longer than this are matched by literal rules alone. */
export const MAX_PATTERN_PATH_BYTES = 2_048;

/** A pattern that was found good, or is taken to be. Nothing is compiled before the first match. */
export interface Pattern {
  text: string;
  /** what every match begins with, in canonical form; '' or '/' is no prefix to speak of */
  literalPrefix: string;
  hasLiteralPrefix: boolean;
  groupCount: number;
  /** the names of named groups, in the order of their numbers */
  groupNames: string[];
  /** What the groups caught where the whole canonical path matches, else undefined; `values[0]` is the path. */
  match(path: string, caseSensitive?: boolean): Captures | undefined;
}

/**
 * Is this text a pattern that is taken: RE2 syntax of at most 1,000 characters that begins with `/` or `^/`, cheap enough to be tried
 * on any path? The reason of a refusal is a sentence for the person who wrote it. `^` and `$` at the ends change nothing: the
 * whole path is matched. Compiles the pattern, which takes about 0.1 ms.
 */
export function admitPattern(text: string): { ok: true; pattern: Pattern } | { ok: false; reason: string } {
  if (text.length > MAX_PATTERN_CHARACTERS) {
    return {
      ok: false,
      reason: `a pattern has at most ${MAX_PATTERN_CHARACTERS.toLocaleString('en')} characters`,
    };
  }
  if (!/^\^?\//.test(text))
    return { ok: false, reason: 'a pattern begins with "/" or "^/", as every path does' };
  const form = patternForm(text);
  if ('reason' in form) return { ok: false, reason: form.reason };
  try {
    const program = RE2JS.compile(form.folded, RE2JS.CASE_INSENSITIVE);
    const reason = sizeProblem(program.programSize(), form.repeated);
    if (reason !== undefined) return { ok: false, reason };
    const names = Object.entries(program.namedGroups()).sort(([, a], [, b]) => a - b);
    const pattern = toPattern(
      text,
      form,
      program.groupCount(),
      names.map(([name]) => name),
    );
    return { ok: true, pattern };
  } catch (error) {
    return { ok: false, reason: syntaxProblem(error) };
  }
}

function toPattern(text: string, form: PatternForm, groupCount: number, groupNames: string[]): Pattern {
  return {
    text,
    literalPrefix: form.prefix,
    hasLiteralPrefix: form.prefix.length > 1,
    groupCount,
    groupNames,
    match: (path, caseSensitive = true) =>
      mayMatch(form, foldPath(path)) ? matchForm(form, path, caseSensitive, true) : undefined,
  };
}

/**
 * Does an admitted pattern begin with more than the slash that all paths begin with? As `Pattern.hasLiteralPrefix`, without compiling: for
 * counting those of a whole website.
 */
export function hasLiteralPrefix(text: string): boolean {
  return (storedPatternForm(text)?.prefix.length ?? 0) > 1;
}

/** The form of a pattern that was admitted when it was written; undefined where it would not be today, and matches nothing. */
export function storedPatternForm(text: string): PatternForm | undefined {
  const form = patternForm(text);
  return 'reason' in form ? undefined : form;
}

/** Could the path match? `folded` is the path's fold. Certain where it says no; costs a few comparisons and compiles nothing. */
export function mayMatch(form: PatternForm, folded: string): boolean {
  const { runs, closed } = form;
  const last = closed ? runs.length - 1 : runs.length;
  let at = 0;
  for (let i = 0; i < last; i++) {
    const run = runs[i] ?? '';
    const found = i === 0 ? (folded.startsWith(run) ? 0 : -1) : folded.indexOf(run, at);
    if (found < 0) return false;
    at = found + run.length;
  }
  if (!closed) return true;
  const end = runs[last] ?? '';
  // A pattern of one literal is the path itself.
  return last === 0 ? folded === end : folded.length - end.length >= at && folded.endsWith(end);
}

/**
 * The captures where the whole path matches, else undefined; for a target that refers to no group, `values` may have the path alone,
 * which saves a second pass. Never asks re2js for a yes or no without a match: its automaton for that keeps up to 8 MB a
 * pattern, and costs more than all else to build where a pattern is hostile.
 */
export function matchForm(
  form: PatternForm,
  path: string,
  caseSensitive: boolean,
  withGroups: boolean,
): Captures | undefined {
  if (path.length > MAX_PATTERN_PATH_BYTES) return undefined;
  const program = compiledPattern(caseSensitive ? form.exact : form.folded, caseSensitive);
  const matcher = program?.matcher(path);
  if (!program || !matcher?.matches()) return undefined;
  const values: (string | undefined)[] = [path];
  if (!withGroups) return { values, names: {} };
  for (let group = 1; group <= matcher.groupCount(); group++) values.push(matcher.group(group) ?? undefined);
  return { values, names: program.namedGroups() };
}

/** A compiled pattern takes about 30 kB, so this many take 30 MB; all rulesets share them. */
const MAX_COMPILED = 1_000;

const programs = new Map<string, RE2JS | undefined>();

/**
 * The program of a pattern in canonical form, from the thousand used last or compiled now (about 0.1 ms). Undefined where it does not
 * compile, which what was admitted does.
 */
export function compiledPattern(source: string, caseSensitive: boolean): RE2JS | undefined {
  const key = caseSensitive ? `=${source}` : `~${source}`;
  const known = programs.get(key);
  if (known !== undefined) {
    // A Map keeps the order of insertion: putting it back makes it the one used last.
    programs.delete(key);
    programs.set(key, known);
    return known;
  }
  const program = compile(source, caseSensitive);
  if (program === undefined) return undefined;
  programs.set(key, program);
  if (programs.size > MAX_COMPILED) programs.delete(programs.keys().next().value ?? '');
  return program;
}

function compile(source: string, caseSensitive: boolean): RE2JS | undefined {
  try {
    return RE2JS.compile(source, caseSensitive ? 0 : RE2JS.CASE_INSENSITIVE);
  } catch {
    return undefined;
  }
}
