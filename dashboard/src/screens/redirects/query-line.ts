/** Filters typed into the search, such as `status:302 group:"spring sale" unused:90d boots`. */
import { isEnvironment } from '../../../../src/vocabulary/environment.ts';
import { TARGET_STATE_FILTERS } from '../../../../src/vocabulary/checks.ts';
import { isStatusCode, STATUS_CODES } from '../../../../src/vocabulary/status-code.ts';
import { SCHEDULES, UNUSED_DAYS } from './view.ts';

interface Token {
  /** the parameter of the URL */
  parameter: string;
  /** the value of the parameter; undefined if the typed one is not known */
  valueOf: (typed: string) => string | undefined;
  /** offered while the token is typed */
  examples: readonly string[];
}

const oneOf =
  (known: readonly string[]) =>
  (typed: string): string | undefined =>
    known.find((each) => each === typed);

const KINDS: Readonly<Record<string, string>> = { path: 'false', pattern: 'true' };

const TOKENS: Readonly<Record<string, Token>> = {
  status: {
    parameter: 'status_code',
    valueOf: (typed) => (isStatusCode(Number(typed)) ? typed : undefined),
    examples: STATUS_CODES.map(String),
  },
  group: { parameter: 'group', valueOf: (typed) => typed || undefined, examples: [] },
  unused: {
    parameter: 'not_followed',
    valueOf: (typed) => oneOf(UNUSED_DAYS)(typed.replace(/d$/, '')),
    examples: UNUSED_DAYS.map((days) => `${days}d`),
  },
  live: {
    parameter: 'environment',
    valueOf: (typed) => (isEnvironment(typed) ? typed : undefined),
    examples: ['production', 'staging', 'development'],
  },
  type: { parameter: 'is_regex', valueOf: (typed) => KINDS[typed], examples: Object.keys(KINDS) },
  target: {
    parameter: 'target_state',
    valueOf: oneOf(TARGET_STATE_FILTERS),
    examples: TARGET_STATE_FILTERS,
  },
  schedule: { parameter: 'schedule', valueOf: oneOf(SCHEDULES), examples: SCHEDULES },
  notes: { parameter: 'notes', valueOf: (typed) => typed || undefined, examples: [] },
};

/** A word, or a name with a value that may be quoted. */
const WORD = /(\w+):(?:"([^"]*)"|([^\s"]+))(?=\s|$)/g;

/**
 * Splits a line into the parameters of its tokens and the text to search for. Unknown names and values stay text.
 * `isDone`: false while the last word may still grow, so that it stays text.
 */
export function readLine(line: string, isDone: boolean): { text: string; parameters: Record<string, string> } {
  const parameters: Record<string, string> = {};
  const text = line.replace(WORD, (word: string, name: string, quoted: string | undefined, plain = '', at: number) => {
    const token = TOKENS[name];
    const value = token?.valueOf(quoted ?? plain);
    const mayGrow = !isDone && quoted === undefined && at + word.length === line.length;
    if (!token || value === undefined || mayGrow) return word;
    parameters[token.parameter] = value;
    return '';
  });
  const hasToken = Object.keys(parameters).length > 0;
  return { text: hasToken ? text.replace(/\s+/g, ' ').trimStart() : text, parameters };
}

/** The line with its last word completed in each possible way; empty without a word that begins a token. */
export function completionsOf(line: string): string[] {
  const [, head = '', name = '', colon, value = ''] = /^(.*?)(\w+)(?:(:)(\S*))?$/.exec(line) ?? [];
  if (name === '') return [];
  if (!colon) return Object.keys(TOKENS).flatMap((each) => (each.startsWith(name) ? `${head}${each}:` : []));
  const examples = TOKENS[name]?.examples ?? [];
  return examples.flatMap((each) => (each.startsWith(value) ? `${head}${name}:${each} ` : []));
}
