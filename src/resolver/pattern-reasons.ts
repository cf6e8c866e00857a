import { RE2JS, RE2JSSyntaxException } from 're2js';

/** Instructions that may be live at once on a path of 2,048 bytes within 5 ms (measured: about 20 ns each a byte). */
const MAX_REPEATED_SIZE = 120;
const MAX_SIZE = 4_000;

/** Why a pattern is too dear to be tried on every path, or undefined where it is not. */
export function sizeProblem(size: number, repeated: string): string | undefined {
  if (size > MAX_SIZE) return 'the pattern is too large once its repetitions are written out; repeat less';
  if (size <= MAX_REPEATED_SIZE || repeated === '') return undefined;
  if (RE2JS.compile(repeated, RE2JS.CASE_INSENSITIVE).programSize() <= MAX_REPEATED_SIZE) return undefined;
  return 'too much of the pattern follows or stands in a repetition ("*", "+" or "{"), which could take long on a long path; split it into several patterns, or repeat less';
}

const REASONS: Record<string, string> = {
  'invalid character class range':
    'is no range or class of characters; of a range the smaller one comes first, and "-" itself last',
  'invalid escape sequence': 'means nothing in RE2; leave the backslash out',
  'invalid named capture': 'is no named group; write (?P<name>...) with a name of letters, digits and "_"',
  'invalid or unsupported Perl syntax':
    'is not in RE2: it knows (?:...), (?P<name>...) and the flags i, m, s and U',
  'invalid nested repetition operator': 'repeats a repetition; put the inner one in (?:...)',
  'invalid repeat count': 'repeats too often; 1,000 times is the most, nested repetitions multiplied',
  'missing closing ]': 'is not closed: "]" is missing; write \\[ for a bracket',
  'missing closing )': 'has a group that is not closed: ")" is missing; write \\( for a bracket',
  'missing argument to repetition operator': 'repeats nothing; write a backslash before it for the character',
  'trailing backslash at end of expression': 'ends with a backslash, which escapes nothing',
  'duplicate capture group name': 'names two groups; give each its own name',
  'unexpected )': 'has a ")" that closes nothing; write \\) for a bracket',
  'expression nests too deeply': 'nests too deeply',
  'expression too large': 'is too large once its repetitions are written out; repeat less',
};

/** What is wrong with a pattern that does not compile, in words for the person who wrote it. */
export function syntaxProblem(error: unknown): string {
  if (!(error instanceof RE2JSSyntaxException))
    return 'the pattern is too large once its repetitions are written out; repeat less';
  // Case is ignored by a flag that re2js puts in front: what begins with it is the whole.
  const part = error.getPattern()?.startsWith('(?i)') ? null : error.getPattern();
  const reason = REASONS[error.getDescription()] ?? `is refused: ${error.getDescription()}`;
  return part === null || part === '' ? `the pattern ${reason}` : `"${part}" ${reason}`;
}
