/** Filters typed into a search, such as `status:302 group:"spring sale" boots`. Each screen has its table of tokens. */

export interface Token {
  /** the parameter of the URL */
  parameter: string;
  /** the parameter that `-name:` sets, which takes several values; without it, the filter has no opposite */
  not?: string;
  /** takes several values, separated by commas */
  isMany?: boolean;
  /** the value of the parameter; undefined if the typed one is not known */
  valueOf: (typed: string) => string | readonly string[] | undefined;
  /** offered while the token is typed */
  examples: readonly string[];
}

/** Tokens by name. */
export type Tokens = Readonly<Record<string, Token>>;

/** The token, and its opposite with the parameter `not_...`. */
export const negatable = (token: Token, isMany = true): Token => ({ ...token, not: `not_${token.parameter}`, isMany });

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
  parameters: Record<string, string | string[]>;
  /** why a filter does not apply */
  problem: string | undefined;
}

/**
 * Splits a line into the parameters of its tokens and the text to search for. Unknown names stay text. `isDone`: false
 * while the last word may still grow.
 */
export function readLine(tokens: Tokens, line: string, isDone: boolean): Line {
  const parameters: Line['parameters'] = {};
  let problem: string | undefined;
  const text = line.replace(
    WORD,
    (word, sign: string, name: string, quoted?: string, end?: string, plain = '', at = 0) => {
      const token = tokenOf(tokens, name);
      if (!token) return word;
      const typed: string[] = quoted === undefined && token.isMany ? plain.split(',') : [quoted ?? plain];
      const read = typed.map((each) => token.valueOf(each));
      const unknown = typed.find((_, index) => read[index] === undefined);
      const parameter = sign ? token.not : token.parameter;
      const mayGrow = !isDone && end !== '"' && at + word.length === line.length;
      if (!parameter) problem = `“${sign}${name}:” is not supported: this filter has no opposite.`;
      else if (mayGrow && (unknown === undefined || canBecome(token, unknown))) return word;
      else if (unknown !== undefined) problem = problemOf(token, name, unknown);
      else {
        // A filter that takes several values takes them from several words too.
        const before = sign || token.isMany ? [parameters[parameter] ?? []].flat() : [];
        const values = [...before, ...read.flatMap((each) => each ?? [])];
        parameters[parameter] = values.length === 1 ? String(values[0]) : values;
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
  const match = /^(|.*\s)(-?)(\w+)(?:(:)((?:\S*,)?)(\S*))?$/.exec(line);
  const [, before = '', sign = '', name = '', colon, others = '', value = ''] = match ?? [];
  const start = name.toLowerCase();
  const head = before + sign;
  const offered = Object.keys(tokens).filter((each) => each.startsWith(start) && (!sign || tokens[each]?.not));
  if (name === '') return [];
  if (!colon) return offered.map((each) => `${head}${each}:`);
  const examples = tokenOf(tokens, name)?.examples ?? [];
  return examples.flatMap((each) => (each.startsWith(value) ? `${head}${name}:${others}${each} ` : []));
}
