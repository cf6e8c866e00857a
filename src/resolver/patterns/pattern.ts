/** Validates and matches patterns with RE2 (re2js), which takes linear time for every pattern and path. */
import { RE2JS, RE2JSSyntaxException } from 're2js';
import { patternForm, type PatternForm } from './pattern-form.ts';
import type { Captures } from '../target.ts';

const MAX_PATTERN_CHARACTERS = 1_000;
/** Only literal rules match longer paths. */
export const MAX_PATTERN_PATH_BYTES = 2_048;

export interface Pattern {
  text: string;
  groupCount: number;
  /** in the order of their numbers */
  groupNames: string[];
}

/**
 * Validates a pattern: RE2 syntax of at most 1,000 characters that begins with `/` or `^/`, and is cheap on any path.
 * `reason` is a message for the author. Compiles the pattern, which takes about 0.1 ms.
 */
export function admitPattern(text: string): { ok: true; pattern: Pattern } | { ok: false; reason: string } {
  const rejected = (reason: string) => ({ ok: false as const, reason });
  if (text.length > MAX_PATTERN_CHARACTERS)
    return rejected(`a pattern has at most ${MAX_PATTERN_CHARACTERS.toLocaleString('en')} characters`);
  if (!/^\^?\//.test(text)) return rejected('a pattern begins with "/" or "^/", like every path');
  const form = patternForm(text);
  if ('reason' in form) return rejected(form.reason);
  try {
    const program = RE2JS.compile(form.folded, RE2JS.CASE_INSENSITIVE);
    const reason = sizeProblem(program.programSize(), form.repeated);
    return reason === undefined ? { ok: true, pattern: toPattern(text, program) } : rejected(reason);
  } catch (error) {
    return rejected(syntaxProblem(error));
  }
}

function toPattern(text: string, program: RE2JS): Pattern {
  const names = Object.entries(program.namedGroups()).sort(([, a], [, b]) => a - b);
  return { text, groupCount: program.groupCount(), groupNames: names.map(([name]) => name) };
}

/** The form of a stored pattern. Undefined if it is no longer valid; it then matches nothing. */
export function storedPatternForm(text: string): PatternForm | undefined {
  const form = patternForm(text);
  return 'reason' in form ? undefined : form;
}

/** False if the path certainly does not match. `folded` is the folded path. A few comparisons; compiles nothing. */
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
  // A pattern without wildcards is the path itself.
  return last === 0 ? folded === end : folded.length - end.length >= at && folded.endsWith(end);
}

/**
 * Returns the captures if the whole path matches. Without `withGroups`, `values` has the path only, which saves a pass.
 * Never uses the boolean test of re2js: its automaton takes up to 8 MB per pattern, and is slow to build.
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

/** Instructions of the program of a pattern; 0 if it is invalid. */
export function programSize(form: PatternForm, caseSensitive: boolean): number {
  return compiledPattern(caseSensitive ? form.exact : form.folded, caseSensitive)?.programSize() ?? 0;
}

/** Cached programs, shared by all rulesets: about 30 kB each, 30 MB together. */
const MAX_COMPILED = 1_000;

const programs = new Map<string, RE2JS>();

/** Compiles a canonical pattern (about 0.1 ms), or takes it from an LRU cache. Undefined if invalid. */
function compiledPattern(source: string, caseSensitive: boolean): RE2JS | undefined {
  const key = caseSensitive ? `=${source}` : `~${source}`;
  const cached = programs.get(key);
  // A Map keeps insertion order: inserting again makes it the most recently used.
  if (cached) programs.delete(key);
  try {
    const program = cached ?? RE2JS.compile(source, caseSensitive ? 0 : RE2JS.CASE_INSENSITIVE);
    programs.set(key, program);
    if (programs.size > MAX_COMPILED) programs.delete(programs.keys().next().value ?? '');
    return program;
  } catch {
    return undefined;
  }
}

/** Maximum program size after the first repetition: 5 ms on a path of 2,048 bytes (20 ns per instruction and byte). */
const MAX_REPEATED_SIZE = 120;
const MAX_SIZE = 4_000;

/** Why a pattern is too expensive to try on every path; undefined if it is not. */
function sizeProblem(size: number, repeated: string): string | undefined {
  if (size > MAX_SIZE) return 'the pattern is too large once its repetitions are expanded; repeat less';
  if (size <= MAX_REPEATED_SIZE || repeated === '') return undefined;
  if (RE2JS.compile(repeated, RE2JS.CASE_INSENSITIVE).programSize() <= MAX_REPEATED_SIZE) return undefined;
  return 'too much of the pattern is in or after a repetition ("*", "+" or "{"), which is slow on long paths; split it into several patterns, or repeat less';
}

const REASONS: Record<string, string> = {
  'invalid character class range':
    'is not a valid character range or class; write the smaller character first, and "-" itself last',
  'invalid escape sequence': 'has no meaning in RE2; omit the backslash',
  'invalid named capture': 'is not a valid named group; write (?P<name>...) with a name of letters, digits and "_"',
  'invalid or unsupported Perl syntax': 'is not supported; RE2 has (?:...), (?P<name>...) and the flags i, m, s and U',
  'invalid nested repetition operator': 'repeats a repetition; put the inner one in (?:...)',
  'invalid repeat count': 'repeats too often; the limit is 1,000 times, nested repetitions multiplied',
  'missing closing ]': 'is not closed: "]" is missing; write \\[ for a literal bracket',
  'missing closing )': 'has an unclosed group: ")" is missing; write \\( for a literal bracket',
  'missing argument to repetition operator': 'repeats nothing; write a backslash before it for the literal character',
  'trailing backslash at end of expression': 'ends with a backslash, which escapes nothing',
  'duplicate capture group name': 'names two groups; use different names',
  'unexpected )': 'has a ")" that closes nothing; write \\) for a literal bracket',
  'expression nests too deeply': 'is nested too deeply',
  'expression too large': 'is too large once its repetitions are expanded; repeat less',
};

function syntaxProblem(error: unknown): string {
  if (!(error instanceof RE2JSSyntaxException))
    return 'the pattern is too large once its repetitions are expanded; repeat less';
  // re2js puts a flag in front to ignore case, so a part that begins with it is the whole pattern.
  const part = error.getPattern()?.startsWith('(?i)') ? null : error.getPattern();
  const reason = REASONS[error.getDescription()] ?? `is invalid: ${error.getDescription()}`;
  return part === null || part === '' ? `the pattern ${reason}` : `"${part}" ${reason}`;
}
