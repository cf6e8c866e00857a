/** Filters typed into a search, such as `status:302 group:"spring sale" boots`. Each screen has its table of tokens. */

export interface Token {
  /** the parameter of the URL */
  parameter: string;
  /** the value of the parameter; undefined if the typed one is not known */
  valueOf: (typed: string) => string | undefined;
  /** offered while the token is typed */
  examples: readonly string[];
}

/** Tokens by name. */
export type Tokens = Readonly<Record<string, Token>>;

/** Takes any text. */
export const textToken = (parameter: string): Token => ({
  parameter,
  valueOf: (typed) => typed || undefined,
  examples: [],
});

/** Takes the values of the parameter, or by their names in `choices`. */
export function choiceToken(parameter: string, choices: readonly string[] | Readonly<Record<string, string>>): Token {
  const values = new Map(Array.isArray(choices) ? choices.map((each) => [each, each]) : Object.entries(choices));
  return { parameter, valueOf: (typed) => values.get(typed), examples: [...values.keys()] };
}

/** Phones begin a line with a capital letter. */
const tokenOf = (tokens: Tokens, name: string): Token | undefined =>
  Object.hasOwn(tokens, name.toLowerCase()) ? tokens[name.toLowerCase()] : undefined;

/** A name with a value that may be quoted, and a sign that would negate it. */
const WORD = /(?<=^|\s)([-!]?)(\w+):(?:"([^"]*)("|$)|([^\s"]*))(?=\s|$)/g;

export interface Line {
  /** the line without the filters that apply */
  text: string;
  /** the text to search for: without any filter, also those that are invalid or still typed */
  search: string;
  parameters: Record<string, string>;
  /** why a filter does not apply */
  problem: string | undefined;
}

/**
 * Splits a line into the parameters of its tokens and the text to search for. Unknown names stay text. `isDone`: false
 * while the last word may still grow.
 */
export function readLine(tokens: Tokens, line: string, isDone: boolean): Line {
  const parameters: Record<string, string> = {};
  let problem: string | undefined;
  const text = line.replace(
    WORD,
    (word, sign: string, name: string, quoted?: string, end?: string, plain = '', at = 0) => {
      const token = tokenOf(tokens, name);
      if (!token) return word;
      const typed = quoted ?? plain;
      const value = token.valueOf(typed);
      const mayGrow = !isDone && end !== '"' && at + word.length === line.length;
      if (sign) problem = `“${sign}${name}:” is not supported: a filter has no opposite.`;
      else if (mayGrow && (value !== undefined || canBecome(token, typed))) return word;
      else if (value === undefined) problem = problemOf(token, name, typed);
      else {
        parameters[token.parameter] = value;
        return '';
      }
      return word;
    },
  );
  const search = line.replace(WORD, (word: string, _sign, name: string) => (tokenOf(tokens, name) ? '' : word));
  const hasToken = Object.keys(parameters).length > 0;
  return {
    text: hasToken ? text.replace(/\s+/g, ' ').trimStart() : text,
    search: search.replace(/\s+/g, ' ').trim(),
    parameters,
    problem,
  };
}

const canBecome = ({ examples }: Token, typed: string): boolean =>
  typed === '' || examples.some((each) => each.startsWith(typed));

const problemOf = ({ examples }: Token, name: string, typed: string): string =>
  `${name.toLowerCase()} takes ${examples.join(', ') || 'a text'}${typed && `, not “${typed}”`}.`;

/** The line with its last word completed in each possible way; empty without a word that begins a token. */
export function completionsOf(tokens: Tokens, line: string): string[] {
  const [, head = '', name = '', colon, value = ''] = /^(|.*\s)(\w+)(?:(:)(\S*))?$/.exec(line) ?? [];
  if (name === '') return [];
  const start = name.toLowerCase();
  if (!colon) return Object.keys(tokens).flatMap((each) => (each.startsWith(start) ? `${head}${each}:` : []));
  const examples = tokenOf(tokens, name)?.examples ?? [];
  return examples.flatMap((each) => (each.startsWith(value) ? `${head}${name}:${each} ` : []));
}
