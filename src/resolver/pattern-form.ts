/**
 * What a pattern says once its literals are in the canonical form of paths: the text to compile, and what every path that it matches must
 * have in it, so that most patterns need never be tried on a path, nor compiled for it.
 */
import { escapePath } from './canonical-path.ts';
import { casesOf, foldPath } from './case-fold.ts';
import { isPathCharacter } from './percent.ts';
import { type Token, tokenize } from './pattern-syntax.ts';

export interface PatternForm {
  /** RE2 syntax for paths as they are, and for paths whose case is ignored (with the flag for it) */
  exact: string;
  folded: string;
  /** what every match begins with, before anything that can vary; at the most what all alternatives share */
  prefix: string;
  /** folded literals that stand in every match in this order, the first at its start and, if `closed`, the last at its end */
  runs: string[];
  closed: boolean;
  /** the part from the first repetition on, in which alternatives can pile up; '' where nothing is repeated */
  repeated: string;
}

/** The form of a pattern, or the reason why it has none. Does not compile it: it may still not be RE2. */
export function patternForm(pattern: string): PatternForm | { reason: string } {
  const tokens = tokenize(pattern);
  if ('reason' in tokens) return tokens;
  const pieces = canonicalTokens(tokens);
  if ('reason' in pieces) return pieces;
  const alternatives = splitAlternatives(pieces).map(withoutPlainGroups);
  const prefix = alternatives.map(prefixOf).reduce(sharedPrefix);
  const runs =
    alternatives.length === 1 ? runsOf(alternatives[0] ?? []) : { runs: [foldPath(prefix)], closed: false };
  const exact = pieces.map((piece) => piece.exact).join('');
  return {
    exact,
    folded: pieces.map((piece) => piece.folded ?? piece.exact).join(''),
    prefix,
    ...runs,
    repeated: repeatedPart(pieces, alternatives.length),
  };
}

/** A part of the compiled text. `literal` is set where it stands for exactly that text. */
interface CanonicalToken {
  kind: Token['kind'];
  exact: string;
  folded?: string;
  literal?: string;
}

/** Joins neighbouring literals into runs; the one before a repetition is on its own. */
function canonicalTokens(tokens: Token[]): CanonicalToken[] | { reason: string } {
  const pieces: CanonicalToken[] = [];
  for (let at = 0; at < tokens.length;) {
    const token = tokens[at];
    if (token?.kind !== 'literal') {
      if (token) pieces.push({ kind: token.kind, exact: token.text });
      at++;
      continue;
    }
    let end = at;
    while (tokens[end]?.kind === 'literal') end++;
    const repeated = tokens[end]?.kind === 'repeat';
    const run = tokens.slice(at, repeated ? end - 1 : end);
    const varies = repeated || ['class', 'any', 'open'].includes(tokens[end]?.kind ?? '');
    if (run.length > 0) pieces.push(literalToken(run, varies));
    if (repeated) {
      const piece = repeatedLiteral(run, tokens[end - 1], tokens[end]?.text ?? '');
      if ('reason' in piece) return piece;
      pieces.push(piece);
    }
    at = repeated ? end + 1 : end;
  }
  return pieces;
}

/** A run of literals. An escape that goes on in something that varies, as in `%[A-F0-9]{2}`, is left as it is written. */
function literalToken(run: Token[], varies: boolean): CanonicalToken {
  const text = run.map((token) => token.text).join('');
  const begun = varies ? (/%[0-9A-Fa-f]?$/.exec(text)?.[0] ?? '') : '';
  const literal = escapePath(text.slice(0, text.length - begun.length), '%25') + begun.toUpperCase();
  return { kind: 'literal', exact: quote(literal), folded: quoteAnyCase(literal), literal };
}

/** The character that a repetition is about. */
function repeatedLiteral(
  run: Token[],
  token: Token | undefined,
  repeat: string,
): CanonicalToken | { reason: string } {
  const text = token?.text ?? '';
  const code = text.codePointAt(0) ?? 0;
  const before = run.map((each) => each.text).join('');
  const escape = /%[0-9A-Fa-f]?$/.exec(before)?.[0] ?? '';
  if (code < 0x80 && (escape === '' || !/[0-9A-Fa-f]/.test(text))) {
    const whole = code === 37 || isPathCharacter(code) ? quote(text) : `(?:${escapePath(text, '%25')})`;
    return { kind: 'repeat', exact: whole + repeat };
  }
  const meant = code < 0x80 ? `${escape}${text}` : encodeURIComponent(text.toWellFormed());
  return {
    reason:
      `"${repeat}" after "${code < 0x80 ? meant : text}" repeats a part of an escape, not the character; ` +
      `write (?:${meant})${repeat}`,
  };
}

/** The text as RE2 syntax for exactly it. */
const quote = (text: string): string => text.replace(/[.*+?()[\]{}|^$\\]/g, '\\$&');

/** As `quote`, with escaped letters in either case; those of ASCII are the compiled pattern's own affair. */
function quoteAnyCase(text: string): string {
  return text
    .split(/((?:%[89A-F][0-9A-F])+)/)
    .map((part, i) => (i % 2 === 0 ? quote(part) : anyCase(part)))
    .join('');
}

function anyCase(escapes: string): string {
  const text = decoded(escapes);
  if (text === undefined) return escapes;
  return Array.from(text, (character) => {
    const written = casesOf(character).map((each) => quote(encodeURIComponent(each)));
    return written.length === 1 ? written.join('') : `(?:${written.join('|')})`;
  }).join('');
}

function splitAlternatives(pieces: CanonicalToken[]): CanonicalToken[][] {
  const alternatives: CanonicalToken[][] = [[]];
  let depth = 0;
  for (const piece of pieces) {
    depth += piece.kind === 'open' ? 1 : piece.kind === 'close' ? -1 : 0;
    if (piece.kind === 'or' && depth === 0) alternatives.push([]);
    else alternatives.at(-1)?.push(piece);
  }
  return alternatives;
}

/** Groups that only catch say nothing about what is literal: taken away, and literals that touch then are one. */
function withoutPlainGroups(pieces: CanonicalToken[]): CanonicalToken[] {
  const plain = new Set<number>();
  const open: { at: number; plain: boolean }[] = [];
  for (const [at, { kind, exact }] of pieces.entries()) {
    const innermost = open.at(-1);
    if (kind === 'open') open.push({ at, plain: !exact.startsWith('(?') || /^\(\?(?::|P?<)/.test(exact) });
    else if (kind === 'or' && innermost) innermost.plain = false;
    else if (kind === 'close' && innermost) {
      open.pop();
      if (innermost.plain && pieces[at + 1]?.kind !== 'repeat') plain.add(innermost.at).add(at);
    }
  }
  const rest: CanonicalToken[] = [];
  for (const piece of pieces.filter((_, at) => !plain.has(at))) {
    const before = rest.at(-1);
    if (piece.literal === undefined || before?.literal === undefined) rest.push(piece);
    else rest[rest.length - 1] = { ...piece, literal: before.literal + piece.literal };
  }
  return rest;
}

function prefixOf(pieces: CanonicalToken[]): string {
  const start = pieces[0]?.exact === '^' ? 1 : 0;
  return withoutBegunEscape(pieces[start]?.literal ?? '');
}

/** A literal up to an escape, or a character in several, that only what follows completes: folding may change it as a whole. */
function withoutBegunEscape(literal: string): string {
  const whole = literal.replace(/%[0-9A-F]?$/, '');
  const last = /%[C-F][0-9A-F](?:%[89AB][0-9A-F])*$/.exec(whole);
  return last && decoded(last[0]) === undefined ? whole.slice(0, last.index) : whole;
}

/** A literal from where it can be no end of an escape, or of a character in several, that what comes before it has begun. */
function withoutEndedEscape(literal: string): string {
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

/** The literals outside of groups. Behind a flag nothing is certain any more: it may change what a literal is. */
function runsOf(pieces: CanonicalToken[]): { runs: string[]; closed: boolean } {
  // A first slash that may be left out makes for no beginning at all.
  const literals: string[] = prefixOf(pieces) === '' ? [''] : [];
  let depth = 0;
  let closed = false;
  for (const piece of pieces) {
    if (piece.kind === 'flags') {
      closed = false;
      break;
    }
    depth += piece.kind === 'open' ? 1 : piece.kind === 'close' ? -1 : 0;
    if (piece.kind === 'anchor') continue;
    closed = depth === 0 && piece.literal !== undefined;
    if (closed && piece.literal !== undefined) literals.push(piece.literal);
  }
  const last = closed ? literals.length - 1 : -1;
  const runs = literals.map((literal, i) => {
    const begun = i === 0 ? literal : withoutEndedEscape(literal);
    return foldPath(i === last ? begun : withoutBegunEscape(begun));
  });
  return { runs, closed };
}

/** From the outermost piece in which something is repeated to the end. */
function repeatedPart(pieces: CanonicalToken[], alternatives: number): string {
  const repeat = pieces.findIndex((piece) => piece.kind === 'repeat' && !/[^?]\?$|^\?$/.test(piece.exact));
  if (repeat < 0) return '';
  let depth = 0;
  let start = 0;
  for (let i = 0; i <= repeat; i++) {
    const kind = pieces[i]?.kind;
    if (depth === 0 && kind !== 'repeat') start = i;
    depth += kind === 'open' ? 1 : kind === 'close' ? -1 : 0;
  }
  if (alternatives > 1) start = 0;
  return pieces
    .slice(start)
    .map((piece) => piece.folded ?? piece.exact)
    .join('');
}
