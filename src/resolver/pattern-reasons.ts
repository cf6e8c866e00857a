import { RE2JS, RE2JSSyntaxException } from 're2js';

/** Maximum program size after the first repetition: 5 ms on a path of 2,048 bytes (20 ns per instruction and byte). */
const MAX_REPEATED_SIZE = 120;
const MAX_SIZE = 4_000;

/** Why a pattern is too expensive to try on every path; undefined if it is not. */
export function sizeProblem(size: number, repeated: string): string | undefined {
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

/** The message for the author of a pattern that does not compile. */
export function syntaxProblem(error: unknown): string {
  if (!(error instanceof RE2JSSyntaxException))
    return 'the pattern is too large once its repetitions are expanded; repeat less';
  // re2js puts a flag in front to ignore case, so a part that begins with it is the whole pattern.
  const part = error.getPattern()?.startsWith('(?i)') ? null : error.getPattern();
  const reason = REASONS[error.getDescription()] ?? `is invalid: ${error.getDescription()}`;
  return part === null || part === '' ? `the pattern ${reason}` : `"${part}" ${reason}`;
}
