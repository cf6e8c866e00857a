/**
 * The canonical form of a pattern: the source to compile, with literals as canonical paths, and the literal text of
 * every matching path. Most patterns are ruled out by that text, without being compiled.
 */
import { escapePath } from '../spelling/canonical-path.ts';
import { casesOf, foldPath } from '../spelling/case-fold.ts';
import { isPathCharacter } from '../spelling/percent.ts';
import { escapeRegex, type Token, tokenize } from './pattern-syntax.ts';

export interface PatternForm {
  /** RE2 source for case-sensitive matching, and for case-insensitive matching (with the flag) */
  exact: string;
  folded: string;
  /** literal text at the start of every match; of alternatives, their common prefix */
  prefix: string;
  /** folded literals of every match in this order: the first at its start and, if `closed`, the last at its end */
  runs: string[];
  closed: boolean;
  /** the source from the first repetition on, which determines the cost of matching; empty without repetition */
  repeated: string;
}

/** Returns the form of a pattern, or a message for the author. Does not compile it: the syntax may be invalid. */
export function patternForm(pattern: string): PatternForm | { reason: string } {
  const canonical = patternTokens(pattern);
  if ('reason' in canonical) return canonical;
  const alternatives = alternativesOf(canonical);
  const prefix = alternatives.map(prefixOf).reduce(sharedPrefix);
  const runs = alternatives.length === 1 ? runsOf(alternatives[0] ?? []) : { runs: [foldPath(prefix)], closed: false };
  return {
    exact: canonical.map((token) => token.exact).join(''),
    folded: foldedSource(canonical),
    prefix,
    ...runs,
    repeated: repeatedPart(canonical, alternatives.length),
  };
}

/** The tokens of the sources of a form, or a message for the author. */
export function patternTokens(pattern: string): CanonicalToken[] | { reason: string } {
  const tokens = tokenize(pattern);
  return 'reason' in tokens ? tokens : canonicalTokens(tokens);
}

/** The text that every match begins with, in the form for comparing without case. */
export function foldedPrefix(tokens: CanonicalToken[]): string {
  return foldPath(alternativesOf(tokens).map(prefixOf).reduce(sharedPrefix));
}

const alternativesOf = (tokens: CanonicalToken[]): CanonicalToken[][] =>
  splitAlternatives(tokens).map(withoutCapturingGroups);

const foldedSource = (tokens: CanonicalToken[]): string => tokens.map((token) => token.folded ?? token.exact).join('');

/** Source text that is compiled. `literal` is set if it matches exactly that text. */
export interface CanonicalToken {
  kind: Token['kind'];
  exact: string;
  folded?: string;
  literal?: string;
}

/** Joins adjacent literals into one token, except for the literal that a repetition applies to. */
function canonicalTokens(tokens: Token[]): CanonicalToken[] | { reason: string } {
  const canonical: CanonicalToken[] = [];
  for (let at = 0; at < tokens.length;) {
    const token = tokens[at];
    if (token?.kind !== 'literal') {
      if (token) canonical.push({ kind: token.kind, exact: token.text });
      at++;
      continue;
    }
    let end = at;
    while (tokens[end]?.kind === 'literal') end++;
    const repeated = tokens[end]?.kind === 'repeat';
    const run = tokens.slice(at, repeated ? end - 1 : end);
    const varies = repeated || ['class', 'any', 'open'].includes(tokens[end]?.kind ?? '');
    if (run.length > 0) canonical.push(literalToken(run, varies));
    if (repeated) {
      const literal = repeatedLiteral(run, tokens[end - 1], tokens[end]?.text ?? '');
      if ('reason' in literal) return literal;
      canonical.push(literal);
    }
    at = repeated ? end + 1 : end;
  }
  return canonical;
}

/** Joins literals. An escape that continues in a class, as in `%[A-F0-9]{2}`, stays as written. */
function literalToken(run: Token[], varies: boolean): CanonicalToken {
  const text = run.map((token) => token.text).join('');
  const partial = varies ? (/%[0-9A-Fa-f]?$/.exec(text)?.[0] ?? '') : '';
  const literal = escapePath(text.slice(0, text.length - partial.length), '%25') + partial.toUpperCase();
  return { kind: 'literal', exact: escapeRegex(literal), folded: quoteAnyCase(literal), literal };
}

/** The literal that a repetition applies to. */
function repeatedLiteral(run: Token[], token: Token | undefined, repeat: string): CanonicalToken | { reason: string } {
  const text = token?.text ?? '';
  const code = text.codePointAt(0) ?? 0;
  const before = run.map((each) => each.text).join('');
  const escape = /%[0-9A-Fa-f]?$/.exec(before)?.[0] ?? '';
  if (code < 0x80 && (escape === '' || !/[0-9A-Fa-f]/.test(text))) {
    const whole = code === 37 || isPathCharacter(code) ? escapeRegex(text) : `(?:${escapePath(text, '%25')})`;
    return { kind: 'repeat', exact: whole + repeat };
  }
  const meant = code < 0x80 ? `${escape}${text}` : encodeURIComponent(text.toWellFormed());
  return {
    reason:
      `"${repeat}" after "${code < 0x80 ? meant : text}" repeats a part of an escape instead of the character; ` +
      `write (?:${meant})${repeat}`,
  };
}

/** As `escapeRegex`, with percent-escaped letters in every case. The program ignores the case of ASCII letters itself. */
function quoteAnyCase(text: string): string {
  const parts = text.split(/((?:%[89A-F][0-9A-F])+)/);
  return parts.map((part, i) => (i % 2 === 0 ? escapeRegex(part) : anyCase(part))).join('');
}

function anyCase(escapes: string): string {
  return casesOfEscapes(escapes)
    .map((written) => (written.length === 1 ? written.join('') : `(?:${written.map(escapeRegex).join('|')})`))
    .join('');
}

/** For each escaped character: how it may be written if case is ignored, as it is first. */
export function casesOfEscapes(escapes: string): string[][] {
  const text = decoded(escapes);
  if (text === undefined) return [[escapes]];
  return Array.from(text, (character) => casesOf(character).map((each) => encodeURIComponent(each)));
}

const nesting = ({ kind }: CanonicalToken): number => (kind === 'open' ? 1 : kind === 'close' ? -1 : 0);

function splitAlternatives(tokens: CanonicalToken[]): CanonicalToken[][] {
  const alternatives: CanonicalToken[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    depth += nesting(token);
    if (token.kind === 'or' && depth === 0) alternatives.push([]);
    else alternatives.at(-1)?.push(token);
  }
  return alternatives;
}

/** Removes groups that only capture, and joins the literals around them. */
function withoutCapturingGroups(tokens: CanonicalToken[]): CanonicalToken[] {
  const removed = new Set<number>();
  const open: { at: number; isCapturing: boolean }[] = [];
  for (const [at, { kind, exact }] of tokens.entries()) {
    const innermost = open.at(-1);
    if (kind === 'open') open.push({ at, isCapturing: !exact.startsWith('(?') || /^\(\?(?::|P?<)/.test(exact) });
    else if (kind === 'or' && innermost) innermost.isCapturing = false;
    else if (kind === 'close' && innermost) {
      open.pop();
      if (innermost.isCapturing && tokens[at + 1]?.kind !== 'repeat') removed.add(innermost.at).add(at);
    }
  }
  const rest: CanonicalToken[] = [];
  for (const token of tokens.filter((_, at) => !removed.has(at))) {
    const before = rest.at(-1);
    if (token.literal === undefined || before?.literal === undefined) rest.push(token);
    else rest[rest.length - 1] = { ...token, literal: before.literal + token.literal };
  }
  return rest;
}

function prefixOf(tokens: CanonicalToken[]): string {
  const start = tokens[0]?.exact === '^' ? 1 : 0;
  return withoutPartialEnd(tokens[start]?.literal ?? '');
}

/** Removes an incomplete escape or UTF-8 sequence at the end, which the text after it may complete. */
function withoutPartialEnd(literal: string): string {
  const whole = literal.replace(/%[0-9A-F]?$/, '');
  const last = /%[C-F][0-9A-F](?:%[89AB][0-9A-F])*$/.exec(whole);
  return last && decoded(last[0]) === undefined ? whole.slice(0, last.index) : whole;
}

/** Removes what may be the end of an escape or UTF-8 sequence that the text before the literal begins. */
function withoutPartialStart(literal: string): string {
  return literal.replace(/^(?:[0-9A-F]{0,2}(?:%[89AB][0-9A-F])+|(?=[0-9]?[A-F])[0-9A-F]{1,2})/i, '');
}

function decoded(escapes: string): string | undefined {
  try {
    return decodeURIComponent(escapes);
  } catch {
    return undefined;
  }
}

function sharedPrefix(one: string, other: string): string {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return one.slice(0, length);
}

/** The literals outside groups, up to the first flag, which may change the meaning of literals. */
function runsOf(tokens: CanonicalToken[]): { runs: string[]; closed: boolean } {
  // With an optional first slash there is no literal start.
  const literals: string[] = prefixOf(tokens) === '' ? [''] : [];
  let depth = 0;
  let closed = false;
  for (const token of tokens) {
    if (token.kind === 'flags') {
      closed = false;
      break;
    }
    depth += nesting(token);
    if (token.kind === 'anchor') continue;
    closed = depth === 0 && token.literal !== undefined;
    if (closed && token.literal !== undefined) literals.push(token.literal);
  }
  const last = closed ? literals.length - 1 : -1;
  const runs = literals.map((literal, i) => {
    const text = i === 0 ? literal : withoutPartialStart(literal);
    return foldPath(i === last ? text : withoutPartialEnd(text));
  });
  return { runs, closed };
}

/** The source from the outermost group with a repetition to the end. */
function repeatedPart(tokens: CanonicalToken[], alternatives: number): string {
  const repeat = tokens.findIndex((token) => token.kind === 'repeat' && !/[^?]\?$|^\?$/.test(token.exact));
  if (repeat < 0) return '';
  let depth = 0;
  let start = 0;
  for (const [i, token] of tokens.slice(0, repeat).entries()) {
    if (depth === 0 && token.kind !== 'repeat') start = i;
    depth += nesting(token);
  }
  if (alternatives > 1) start = 0;
  return foldedSource(tokens.slice(start));
}
