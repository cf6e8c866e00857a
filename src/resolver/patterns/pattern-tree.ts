/** Parses a pattern into a tree whose leaves are sets of characters. Groups lose their captures. */
import { type CaseFlag, type CharacterSet, classSet, END_SET, literalSet } from './character-set.ts';
import { type CanonicalToken, casesOfEscapes } from './pattern-form.ts';
import { type Token, tokenize } from './pattern-syntax.ts';

export type PatternTree =
  | { kind: 'set'; set: CharacterSet }
  /** `^` and `$` */
  | { kind: 'start' }
  | { kind: 'end'; set: CharacterSet }
  | { kind: 'sequence'; items: PatternTree[] }
  | { kind: 'either'; options: PatternTree[] }
  /** `max` may be Infinity */
  | { kind: 'repeat'; item: PatternTree; min: number; max: number };

/** Thrown for syntax that a tree cannot express: word boundaries, and invalid patterns. */
class Inexpressible extends Error {}

/** The tree of a pattern's tokens. Undefined if a tree cannot express it. */
export function patternTree(tokens: CanonicalToken[]): PatternTree | undefined {
  try {
    const pieces = piecesOf(tokens);
    const reader = { pieces, at: 0 };
    const tree = readEither(reader, undefined, 0);
    return reader.at === pieces.length ? tree : undefined;
  } catch (error) {
    if (error instanceof Inexpressible) return undefined;
    throw error;
  }
}

/** A token, or a text to match as written. */
type Piece = Token | { kind: 'written'; text: string };

function piecesOf(tokens: CanonicalToken[]): Piece[] {
  return tokens.flatMap((token): Piece[] => {
    if (token.literal !== undefined) return token.literal === '' ? [] : [{ kind: 'written', text: token.literal }];
    const inner = tokenize(token.exact);
    if ('reason' in inner) throw new Inexpressible();
    return inner;
  });
}

interface Reader {
  pieces: Piece[];
  at: number;
}

/** RE2 allows 1,000. */
const MAX_DEPTH = 200;
const MAX_REPEATS = 1_000;

/** Reads alternatives up to the end of their group. A flag such as `(?i)` is in force up to there. */
function readEither(reader: Reader, outer: CaseFlag, depth: number): PatternTree {
  if (depth > MAX_DEPTH) throw new Inexpressible();
  const options: PatternTree[] = [];
  let items: PatternTree[] = [];
  let flag = outer;
  for (let piece = reader.pieces[reader.at]; piece && piece.kind !== 'close'; piece = reader.pieces[reader.at]) {
    reader.at++;
    if (piece.kind === 'or') {
      options.push(sequence(items));
      items = [];
    } else if (piece.kind === 'flags') flag = flagOf(piece.text, flag);
    else if (piece.kind === 'repeat') items.push(repeated(items.pop(), piece.text, reader));
    else if (piece.kind === 'open') {
      items.push(readEither(reader, flagOf(piece.text, flag), depth + 1));
      if (reader.pieces[reader.at]?.kind !== 'close') throw new Inexpressible();
      reader.at++;
    } else items.push(...leaves(piece, flag));
  }
  options.push(sequence(items));
  return options.length === 1 && options[0] ? options[0] : { kind: 'either', options };
}

function sequence(items: PatternTree[]): PatternTree {
  const flat = items.flatMap((item) => (item.kind === 'sequence' ? item.items : [item]));
  return flat.length === 1 && flat[0] ? flat[0] : { kind: 'sequence', items: joinOptional(flat) };
}

/** `a?a?a?` is `a{0,3}`, which needs a tenth of the transitions. */
function joinOptional(items: PatternTree[]): PatternTree[] {
  const joined: PatternTree[] = [];
  for (const item of items) {
    const [one, other] = [timesOf(joined.at(-1)), timesOf(item)];
    const isVariable = one && other && (one.min < one.max || other.min < other.max);
    if (!isVariable || one.set !== other.set || one.max === Infinity || other.max === Infinity) joined.push(item);
    else {
      const [min, max] = [one.min + other.min, one.max + other.max];
      joined[joined.length - 1] = { kind: 'repeat', item: { kind: 'set', set: one.set }, min, max };
    }
  }
  return joined;
}

function timesOf(tree: PatternTree | undefined): { set: CharacterSet; min: number; max: number } | undefined {
  if (tree?.kind === 'set') return { set: tree.set, min: 1, max: 1 };
  if (tree?.kind !== 'repeat' || tree.item.kind !== 'set') return undefined;
  return { set: tree.item.set, min: tree.min, max: tree.max };
}

/** The flag `i` after a flag group or the start of a group, `(?i)`, `(?-i:`. Other flags change no match of a path. */
function flagOf(text: string, outer: CaseFlag): CaseFlag {
  const [, on = '', off = ''] = /^\(\?([a-zA-Z]*)(?:-([a-zA-Z]*))?[:)]$/.exec(text) ?? [];
  if (off.includes('i')) return 'off';
  return on.includes('i') ? 'on' : outer;
}

function repeated(item: PatternTree | undefined, text: string, reader: Reader): PatternTree {
  if (!item) throw new Inexpressible();
  const [, from, comma, to] = /^\{(\d+)(,?)(\d*)\}$/.exec(text) ?? [];
  const min = from === undefined ? (text === '+' ? 1 : 0) : Number(from);
  const open = text === '?' ? 1 : Infinity;
  const max = from === undefined ? open : comma === '' ? min : to === '' ? Infinity : Number(to);
  if (min > MAX_REPEATS || (max > MAX_REPEATS && max !== Infinity) || max < min) throw new Inexpressible();
  // "?" after a repetition changes the captures only. RE2 rejects any other second repetition.
  const next = reader.pieces[reader.at];
  if (next?.kind === 'repeat') {
    if (next.text !== '?') throw new Inexpressible();
    reader.at++;
    if (reader.pieces[reader.at]?.kind === 'repeat') throw new Inexpressible();
  }
  return { kind: 'repeat', item, min, max };
}

function leaves(piece: Piece, flag: CaseFlag): PatternTree[] {
  if (piece.kind === 'written') return written(piece.text, flag);
  if (piece.kind === 'literal') {
    if (piece.text >= '\x7f') throw new Inexpressible();
    return [{ kind: 'set', set: literalSet(piece.text, flag) }];
  }
  if (piece.kind === 'anchor') return [anchor(piece.text)];
  const set = classSet(piece.text, flag);
  if (!set) throw new Inexpressible();
  return [{ kind: 'set', set }];
}

function anchor(text: string): PatternTree {
  if (text === '^' || text === '\\A') return { kind: 'start' };
  if (text === '$' || text === '\\z') return { kind: 'end', set: END_SET };
  throw new Inexpressible();
}

/** A canonical text. Escaped letters have several spellings if case is ignored. */
function written(text: string, flag: CaseFlag): PatternTree[] {
  return text.split(/((?:%[89A-F][0-9A-F])+)/).flatMap((part, i): PatternTree[] => {
    if (i % 2 === 0) return spelling(part, flag, false);
    return casesOfEscapes(part).flatMap((cases): PatternTree[] => {
      const options = cases.map((each, at) => sequence(spelling(each, flag, at > 0)));
      return options.length === 1 ? spelling(cases[0] ?? '', flag, false) : [{ kind: 'either', options }];
    });
  });
}

const spelling = (text: string, flag: CaseFlag, isOtherCase: boolean): PatternTree[] =>
  Array.from(text, (character) => ({ kind: 'set', set: literalSet(character, flag, isOtherCase) }));
