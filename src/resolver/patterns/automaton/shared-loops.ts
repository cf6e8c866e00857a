/**
 * Shares states between patterns with equal ends, for the bound only. Of 10,000 patterns such as `/shop/(.*)/17-([^/]+)`
 * each has a final loop, and each of these loops can be active with each state of other patterns: too many pairs to
 * visit. Since at most one of these loops is active at a time, one state can stand for all of them. The search for pairs
 * checks that: it fails if two patterns can be in one shared state, and the pattern then gets states of its own.
 */
import { type InsertItems, insertSequence } from './builder.ts';
import { type Builder, child, connect, frontierOf, newState, setId } from './states.ts';
import type { CharacterSet } from '../character-set.ts';
import type { PatternTree } from '../pattern-tree.ts';

/**
 * Adds items, with a shared state for the first loop after which no letter or digit is fixed. A loop that may be empty is
 * not shared: what follows it is also entered from before it.
 */
export const insertWithSharedLoops: InsertItems = (builder, items, frontier, rest) => {
  const at = items.findIndex((item, i) => isLoop(item) && isGeneric([...items.slice(i + 1), ...rest]));
  const loop = items[at];
  if (loop?.kind !== 'repeat' || loop.item.kind !== 'set') return insertSequence(builder, items, frontier);
  const before = insertSequence(builder, items.slice(0, at), frontier);
  return insertSequence(builder, items.slice(at + 1), enterShared(builder, loop.item.set, before));
};

function isLoop(item: PatternTree): boolean {
  return item.kind === 'repeat' && item.max === Infinity && item.min === 1 && item.item.kind === 'set';
}

/** True without a letter or digit, except for a file extension at the end. */
function isGeneric(items: PatternTree[]): boolean {
  const letters = items.findLastIndex((item) => !isAlphanumeric(item)) + 1;
  const isExtension = items.length - letters <= MAX_EXTENSION && isDot(items[letters - 1]);
  return (isExtension ? items.slice(0, letters) : items).every((item) => !fixesText(item));
}

const MAX_EXTENSION = 5;
const isDot = (item: PatternTree | undefined): boolean => item?.kind === 'set' && item.set.letter === 46;

function isAlphanumeric(item: PatternTree): boolean {
  if (item.kind === 'repeat') return isAlphanumeric(item.item);
  return item.kind === 'set' && /[a-z0-9]/.test(String.fromCharCode(item.set.letter));
}

function fixesText(item: PatternTree): boolean {
  if (item.kind === 'sequence') return item.items.some(fixesText);
  if (item.kind === 'either') return item.options.some(fixesText);
  return item.kind === 'repeat' ? fixesText(item.item) : isAlphanumeric(item);
}

/** The frontier in the shared loop over a set, entered from another frontier. */
function enterShared(builder: Builder, characters: CharacterSet, frontier: number): number {
  const set = setId(builder, characters);
  const after = child(builder, `shared ${set}`, () => {
    const state = newState(builder, set, 0);
    builder.shared.add(state);
    connect(builder, state, state);
    return frontierOf(builder, [state]);
  });
  // From the same frontier, all patterns enter the same state.
  return child(builder, `${frontier} shared ${set}`, () => {
    const [loop = 0] = builder.frontiers[after] ?? [];
    for (const state of builder.frontiers[frontier] ?? []) connect(builder, state, loop);
    return after;
  });
}

/** True if, since the mark, a state got two transitions to one shared state: it would enter it for two patterns. */
export function isSharedTwice({ log, next }: Builder, mark: { edges: number }): boolean {
  return log.edges.slice(mark.edges).some((origin, i) => {
    const target = log.targets[mark.edges + i];
    return next[origin]?.indexOf(target ?? 0) !== next[origin]?.lastIndexOf(target ?? 0);
  });
}
