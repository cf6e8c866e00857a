/** Writes a rewrite, limited to the pieces without an error, as patterns that the product stores and serves. */
import { escapeRegex } from '../../resolver/patterns/pattern-syntax.ts';
import { checkRedirect } from '../../rules/check-redirect.ts';
import { type KeptText, type Piece, sharedFolder } from './pieces.ts';
import type { Rewrite } from './rewrite.ts';

/** A pattern with its target. `covers` counts undecided rows, `agrees` decided ones; `examples` are up to 5 covered URLs. */
export interface LearntRule {
  pattern: string;
  target: string;
  covers: number;
  agrees: number;
  examples: string[];
}

/** A rule with the undecided rows that it covers. */
interface WrittenRule {
  rule: LearntRule;
  covered: KeptText[];
}

/** A piece of so many rows with a decided one is a rule of its own. */
const MIN_ROWS_OF_OWN_RULE = 10;
/** The longest pattern that a redirect can have. */
const MAX_PATTERN_CHARACTERS = 1_000;
const MAX_EXAMPLES = 5;

/**
 * Divides the pieces into rules that are short enough, each with at least one decided row. If that leaves too little
 * room, the pieces of the fewest rows are left out. Yields after each rule.
 */
export function* writeRules(rewrite: Rewrite, pieces: Piece[]): Generator<void, WrittenRule[]> {
  // A whole text is written with `$`, so nothing can follow.
  const usable = pieces.filter(({ isWhole }) => !isWhole || rewrite.oldEnd === '');
  const agreeing = usable.filter(({ agrees }) => agrees > 0).sort((one, other) => rowsOf(one) - rowsOf(other));
  const room = MAX_PATTERN_CHARACTERS - escapeRegex(rewrite.oldStart + rewrite.oldEnd).length - '()(.*)'.length;
  const others = mostRows(
    usable.filter(({ agrees }) => agrees === 0),
    agreeing.length * room,
  );
  const groups: Piece[][] = [];
  // Each group begins with a decided row.
  while (agreeing.length > 0 && (others.length > 0 || rowsOf(agreeing[0]) < MIN_ROWS_OF_OWN_RULE)) {
    const group = agreeing.splice(0, 1);
    const length = lengthCounter();
    let used = group.reduce((sum, piece) => sum + length(piece), 0);
    const fill = (from: Piece[], isEligible: (piece: Piece) => boolean): void => {
      for (let next = from[0]; next && isEligible(next); next = from[0]) {
        used += length(next);
        if (used > room) return;
        group.push(next);
        from.shift();
      }
    };
    fill(others, () => true);
    if (others.length === 0) fill(agreeing, (piece) => rowsOf(piece) < MIN_ROWS_OF_OWN_RULE);
    groups.push(group);
    yield;
  }
  const rules: WrittenRule[] = [];
  for (const group of [...groups, ...agreeing.map((piece) => [piece])]) {
    const rule = writeRule(rewrite, group);
    if (isUseful(rule)) rules.push(rule);
    yield;
  }
  return rules;
}

const rowsOf = (piece: Piece | undefined): number => piece?.covers.length ?? 0;

/** The pieces of the most rows that have room in patterns of so many characters together, in order of their texts. */
function mostRows(pieces: Piece[], room: number): Piece[] {
  const byRows = [...Map.groupBy(pieces, rowsOf)].sort(([one], [other]) => other - one);
  const length = lengthCounter();
  const chosen: Piece[] = [];
  let used = 0;
  for (const piece of byRows.flatMap(([, members]) => members)) {
    used += length(piece);
    if (used > room) break;
    chosen.push(piece);
  }
  return chosen.sort(byStart);
}

const byStart = (one: Piece, other: Piece): number => (one.start < other.start ? -1 : 1);

/** Counts the characters of pieces as alternatives of one pattern, which names each folder once. */
function lengthCounter(): (piece: Piece) => number {
  const folders = new Set(['']);
  return ({ start }) => {
    const folder = folderOf(start);
    const extra = folders.has(folder) ? 0 : escapeRegex(folder).length + '(?:)|'.length;
    folders.add(folder);
    return extra + escapeRegex(start.slice(folder.length)).length + '$|'.length;
  };
}

const folderOf = (text: string): string => text.slice(0, text.lastIndexOf('/') + 1);

function isUseful({ rule: { covers, pattern, target } }: WrittenRule): boolean {
  const rule = { oldPath: pattern, newPath: target, statusCode: 301, isRegex: true };
  return covers > 0 && checkRedirect({ ...rule, activeFrom: null, activeUntil: null }, 'any').issues.length === 0;
}

function writeRule(rewrite: Rewrite, group: Piece[]): WrittenRule {
  const pieces = group.toSorted(byStart);
  const { oldStart, oldEnd, newStart, newEnd, isFolded } = rewrite;
  // The target keeps the case of the request, so a folded text stays in the group.
  const folder = isFolded ? '' : sharedFolder(pieces.map(({ start }) => start));
  const starts = alternatives(pieces.map(({ start, isWhole }) => ({ text: start.slice(folder.length), isWhole })));
  const [only = ''] = starts;
  const isOne = pieces.length === 1 && !only.endsWith('$');
  // The alternatives repeat nothing: what is in a group with a repetition costs each request.
  const groups = isOne ? `(${only}.*)` : `(${starts.join('|')})(.*)`;
  const end = newEnd.replaceAll('$', '$$$$');
  const covered = pieces.flatMap(({ covers }) => covers);
  const rule = {
    pattern: `${escapeRegex(oldStart + folder)}${groups}${escapeRegex(oldEnd)}`,
    target: `${(newStart + folder).replaceAll('$', '$$$$')}${isOne ? '' : '${1}'}${isOne ? '${1}' : '${2}'}${end}`,
    covers: covered.length,
    agrees: pieces.reduce((sum, { agrees }) => sum + agrees, 0),
    examples: covered.slice(0, MAX_EXAMPLES).map(({ url }) => url),
  };
  return { rule: { ...rule, target: rule.target.replace(/\$\{(\d)\}(?!\d)/g, '$$$1') }, covered };
}

/** Alternatives of a pattern, one for each folder: `a/(?:b|c)`, `d`. One that is a whole text ends with `$`. */
function alternatives(texts: { text: string; isWhole: boolean }[]): string[] {
  const folders = Map.groupBy(texts, ({ text }) => folderOf(text));
  return [...folders].flatMap(([folder, members]) => {
    const names = members.map(({ text, isWhole }) => escapeRegex(text.slice(folder.length)) + (isWhole ? '$' : ''));
    if (folder === '') return names;
    return escapeRegex(folder) + (names.length === 1 ? names.join('') : `(?:${names.join('|')})`);
  });
}
