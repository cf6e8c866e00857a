/** Divides the texts that a rewrite keeps into groups with a common start that contain nothing wrong. */

/** A text that a rewrite keeps, and its effect there. */
export interface KeptText {
  text: string;
  /** `wrong`: a rule must not match it; `known`: another rule has the same effect */
  effect: 'covers' | 'agrees' | 'known' | 'wrong';
  url: string;
  location: string;
}

/** All texts with this start, or exactly this text: the undecided rows that it covers, and the number of decided ones. */
export interface Piece {
  start: string;
  isWhole: boolean;
  covers: KeptText[];
  agrees: number;
}

/**
 * The largest groups that cover or agree with something and contain nothing wrong. Yields after
 * about a hundred texts. Takes time in proportion to the texts and the length of what right and wrong ones share.
 */
export function* cleanPieces(texts: KeptText[]): Generator<void, Piece[]> {
  const pieces: Piece[] = [];
  const stack = [{ texts, length: 0 }];
  for (let node = stack.pop(); node; node = stack.pop()) {
    const { length } = node;
    const groups = new Map<string, KeptText[]>();
    let isUseful = false;
    let isClean = true;
    for (const [i, each] of node.texts.entries()) {
      if (i % 100 === 0) yield;
      if (each.effect === 'wrong') isClean = false;
      else if (each.effect !== 'known') isUseful = true;
    }
    if (!isUseful) continue;
    const start = node.texts[0]?.text.slice(0, length) ?? '';
    if (isClean) {
      // Nothing is known about pages in other folders.
      const folder = sharedFolder(node.texts.map(({ text }) => text));
      pieces.push(pieceOf(node.texts, folder.length > start.length ? folder : start, false));
      continue;
    }
    for (const [i, each] of node.texts.entries()) {
      if (i % 100 === 0) yield;
      const step = stepAt(each.text, length);
      const group = groups.get(step);
      if (group) group.push(each);
      else groups.set(step, [each]);
    }
    const ended = groups.get('') ?? [];
    groups.delete('');
    // A rewrite says nothing about a page whose path it replaces whole.
    if (
      length > 0 &&
      ended.some(({ effect }) => isUsefulEffect(effect)) &&
      !ended.some(({ effect }) => effect === 'wrong')
    )
      pieces.push(pieceOf(ended, start, true));
    for (const [step, group] of groups) stack.push({ texts: group, length: length + step.length });
  }
  return pieces;
}

const isUsefulEffect = (effect: KeptText['effect']): boolean => effect === 'covers' || effect === 'agrees';

function pieceOf(texts: KeptText[], start: string, isWhole: boolean): Piece {
  const covers = texts.filter(({ effect }) => effect === 'covers');
  return { start, isWhole, covers, agrees: texts.filter(({ effect }) => effect === 'agrees').length };
}

/** The longest start of all texts that ends with a slash. */
export function sharedFolder(texts: string[]): string {
  const [first = '', ...others] = texts;
  let length = first.lastIndexOf('/') + 1;
  while (length > 0 && !others.every((text) => text.startsWith(first.slice(0, length)))) {
    length = length < 2 ? 0 : first.lastIndexOf('/', length - 2) + 1;
  }
  return first.slice(0, length);
}

const ESCAPES = /(?:%[0-9A-F]{2})+/y;

/** The next character, or a whole run of escapes, because a pattern cannot end inside of one. Empty at the end. */
function stepAt(text: string, at: number): string {
  if (text[at] !== '%') return text.charAt(at);
  ESCAPES.lastIndex = at;
  return ESCAPES.exec(text)?.[0] ?? '%';
}
