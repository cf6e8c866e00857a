/** A tokenizer for RE2 syntax that finds the literals of a pattern. RE2 itself validates the syntax. */

/** `text` is the character of a `literal`, and the source text of any other token. */
export interface Token {
  kind: 'literal' | 'class' | 'any' | 'open' | 'close' | 'or' | 'anchor' | 'repeat' | 'flags';
  text: string;
}

/** Returns the tokens of a pattern, or a message for the author if it is invalid. */
export function tokenize(pattern: string): Token[] | { reason: string } {
  const tokens: Token[] = [];
  let at = 0;
  while (at < pattern.length) {
    const read = readToken(pattern, at);
    if ('reason' in read) return read;
    tokens.push(...read.tokens);
    at = read.end;
  }
  return tokens;
}

/** A pattern that matches exactly this text. */
export const escapeRegex = (text: string): string => text.replace(/[.*+?()[\]{}|^$\\]/g, '\\$&');

type Read = { tokens: Token[]; end: number } | { reason: string };

function one(kind: Token['kind'], text: string, end: number): Read {
  return { tokens: [{ kind, text }], end };
}

const OPERATORS: Record<string, Token['kind']> = {
  ')': 'close',
  '|': 'or',
  '.': 'any',
  '^': 'anchor',
  $: 'anchor',
};

function readToken(pattern: string, at: number): Read {
  const character = String.fromCodePoint(pattern.codePointAt(at) ?? 0);
  const end = at + character.length;
  if (character === '\\') return readEscape(pattern, at);
  if (character === '[') return readClass(pattern, at);
  if (character === '(') return readGroup(pattern, at);
  const repeat = /^(?:[*+?]|\{\d+(?:,\d*)?\})/.exec(pattern.slice(at, at + 16))?.[0];
  if (repeat !== undefined) return one('repeat', repeat, at + repeat.length);
  const operator = OPERATORS[character];
  return operator ? one(operator, character, end) : one('literal', character, end);
}

const CONTROLS: Record<string, string> = { a: '\x07', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

function readEscape(pattern: string, at: number): Read {
  const rest = pattern.slice(at);
  const character = rest.charAt(1);
  if (character === 'Q') return readQuote(pattern, at);
  const property = /^\\[pP](?:\{[^}]*\}|.)/u.exec(rest);
  if (property) return one('class', property[0], at + property[0].length);
  const hexadecimal = /^\\x(?:\{([0-9A-Fa-f]{1,6})\}|([0-9A-Fa-f]{2}))/.exec(rest);
  if (hexadecimal) {
    const code = parseInt(hexadecimal[1] ?? hexadecimal[2] ?? '', 16);
    if (code > 0x10ffff) return { reason: `${hexadecimal[0]} is not a character` };
    return one('literal', String.fromCodePoint(code), at + hexadecimal[0].length);
  }
  if (/[1-9]/.test(character)) {
    const problem = 'is a back reference, which RE2 does not support; repeat the pattern of the group';
    return { reason: `\\${character} ${problem}` };
  }
  if (/[dDsSwW]/.test(character)) return one('class', `\\${character}`, at + 2);
  if (/[bBAz]/.test(character)) return one('anchor', `\\${character}`, at + 2);
  const control = CONTROLS[character];
  if (control !== undefined) return one('literal', control, at + 2);
  if (character === '') return { reason: 'a backslash at the end escapes nothing; write \\\\ for a literal backslash' };
  if (/[A-Za-z0-9]/.test(character)) return { reason: `\\${character} has no meaning in RE2; omit the backslash` };
  const escaped = String.fromCodePoint(pattern.codePointAt(at + 1) ?? 0);
  return one('literal', escaped, at + 1 + escaped.length);
}

/** `\Q...\E`: literal text, up to the end of the pattern without `\E`. */
function readQuote(pattern: string, at: number): Read {
  const close = pattern.indexOf('\\E', at + 2);
  const end = close < 0 ? pattern.length : close;
  const tokens = Array.from(pattern.slice(at + 2, end), (text): Token => ({ kind: 'literal', text }));
  return { tokens, end: close < 0 ? end : close + 2 };
}

function readClass(pattern: string, at: number): Read {
  let end = at + 1;
  if (pattern.charAt(end) === '^') end++;
  // A bracket at the start is a member of the class.
  if (pattern.charAt(end) === ']') end++;
  while (end < pattern.length && pattern.charAt(end) !== ']') {
    const named = /^\[:\^?[a-z]+:\]/.exec(pattern.slice(end, end + 16));
    if (named) end += named[0].length;
    else end += pattern.charAt(end) === '\\' ? 2 : 1;
  }
  if (end >= pattern.length)
    return { reason: 'a character class is not closed: "]" is missing; write \\[ for a literal bracket' };
  const text = pattern.slice(at, end + 1);
  const foreign = /[^\0-\x7f]/u.exec(text)?.[0] ?? highEscape(text);
  if (foreign === undefined) return one('class', text, end + 1);
  const written = encodeURIComponent(foreign.toWellFormed());
  return {
    reason:
      `${text} contains "${foreign}", which is ${written.length} characters in a path; ` +
      `write such characters as alternatives, (?:${written}|...)`,
  };
}

/** The first character above U+007F that a class contains as a hex escape. */
function highEscape(text: string): string | undefined {
  for (const [, braced, short] of text.matchAll(/\\x(?:\{([0-9A-Fa-f]{1,6})\}|([0-9A-Fa-f]{2}))/g)) {
    const code = parseInt(braced ?? short ?? '', 16);
    if (code > 0x7f && code <= 0x10ffff) return String.fromCodePoint(code);
  }
  return undefined;
}

const USE_GROUPS = 'which RE2 does not support; match the whole path and use the groups in the target';
const UNSUPPORTED: [RegExp, string][] = [
  [/^\(\?[=!]/, `is a lookahead, ${USE_GROUPS}`],
  [/^\(\?<[=!]/, `is a lookbehind, ${USE_GROUPS}`],
  [/^\(\?>/, 'is an atomic group, which RE2 does not support or need; write (?:'],
  [/^\(\?#/, 'is a comment, which RE2 does not support; use the notes of the redirect'],
];

function readGroup(pattern: string, at: number): Read {
  const rest = pattern.slice(at);
  for (const [syntax, reason] of UNSUPPORTED) {
    const found = syntax.exec(rest);
    if (found) return { reason: `${found[0]} ${reason}` };
  }
  const flags = /^\(\?[a-zA-Z-]+\)/.exec(rest);
  if (flags) return one('flags', flags[0], at + flags[0].length);
  const open = /^\((?:\?(?:P?<[^>]*>|[a-zA-Z-]*:))?/.exec(rest)?.[0] ?? '(';
  return one('open', open, at + open.length);
}
