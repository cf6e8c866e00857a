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

/** A name with a value that may be quoted. */
const WORD = /(\w+):(?:"([^"]*)"|([^\s"]+))(?=\s|$)/g;

/**
 * Splits a line into the parameters of its tokens and the text to search for. Unknown names and values stay text.
 * `isDone`: false while the last word may still grow, so that it stays text.
 */
export function readLine(
  tokens: Tokens,
  line: string,
  isDone: boolean,
): { text: string; parameters: Record<string, string> } {
  const parameters: Record<string, string> = {};
  const text = line.replace(WORD, (word: string, name: string, quoted: string | undefined, plain = '', at: number) => {
    const token = tokenOf(tokens, name);
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
export function completionsOf(tokens: Tokens, line: string): string[] {
  const [, head = '', name = '', colon, value = ''] = /^(|.*\s)(\w+)(?:(:)(\S*))?$/.exec(line) ?? [];
  if (name === '') return [];
  const start = name.toLowerCase();
  if (!colon) return Object.keys(tokens).flatMap((each) => (each.startsWith(start) ? `${head}${each}:` : []));
  const examples = tokenOf(tokens, name)?.examples ?? [];
  return examples.flatMap((each) => (each.startsWith(value) ? `${head}${name}:${each} ` : []));
}
