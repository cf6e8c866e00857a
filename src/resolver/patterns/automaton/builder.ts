/**
 * Builds one automaton for many patterns (picture: README.md). Each state is entered by one set of characters, and
 * patterns with a common beginning share its states. The states before a transition are its frontier.
 *
 * A state's incoming transitions are fixed when it is created, so the texts that lead to it never change. Therefore two
 * patterns may share a state if they enter it from the same frontier by the same set.
 */
import { type Builder, child, connect, connectAll, EMPTY, frontierOf, newState, ROOT, setId, union } from './states.ts';
import { type CharacterSet, containsAll } from '../character-set.ts';
import type { PatternTree } from '../pattern-tree.ts';

/** Adds items after a frontier, and returns the frontier after them. `rest` follows the items. */
export type InsertItems = (builder: Builder, items: PatternTree[], frontier: number, rest: PatternTree[]) => number;

/** Adds a pattern with a number. The tree must be expressible. */
export function insertPattern(
  builder: Builder,
  tree: PatternTree,
  pattern: number,
  body: InsertItems = insertSequence,
): void {
  finish(builder, { items: [tree], pattern, body }, frontierOf(builder, [ROOT]));
}

interface Ending {
  items: PatternTree[];
  pattern: number;
  body: InsertItems;
}

/**
 * Adds the end of a pattern. A final ".*" accepts any rest, so it needs no state: such a pattern has matched, and
 * costs nothing on the rest of the path.
 */
function finish(builder: Builder, { items, pattern, body }: Ending, frontier: number): void {
  const last = items.at(-1);
  const before = items.slice(0, -1);
  const onward = (rest: PatternTree[], from: number): void => finish(builder, { items: rest, pattern, body }, from);
  if (last?.kind === 'end') return onward(before, frontier);
  if (last?.kind === 'sequence') return onward([...before, ...last.items], frontier);
  // An optional end after ".*" changes nothing, as in ".*/?".
  const isOptional = last?.kind === 'repeat' && last.min === 0;
  if (isOptional && isRest(items.at(-2))) return onward(before, frontier);
  const isSplit = last?.kind === 'either' || (isOptional && last.max === 1) || isRest(last);
  const start = body(builder, isSplit ? before : items, frontier, isSplit && last ? [last] : []);
  if (last?.kind === 'either') {
    for (const option of last.options) onward([option], start);
  } else if (!isSplit || last?.kind !== 'repeat') {
    note(builder, builder.accepted, start, pattern);
  } else if (isRest(last)) {
    // ".+" accepts any rest after one character.
    note(builder, builder.absorbed, last.min === 0 ? start : insert(builder, last.item, start), pattern);
  } else {
    note(builder, builder.accepted, start, pattern);
    onward([last.item], start);
  }
}

function isRest(item: PatternTree | undefined): boolean {
  const isLoop = item?.kind === 'repeat' && item.max === Infinity && item.min <= 1;
  return isLoop && item.item.kind === 'set' && containsAll(item.item.set);
}

function note(builder: Builder, found: Map<number, number[]>, frontier: number, pattern: number): void {
  for (const state of builder.frontiers[frontier] ?? []) {
    const patterns = found.get(state);
    if (!patterns) found.set(state, [pattern]);
    else if (patterns.at(-1) !== pattern) patterns.push(pattern);
  }
}

/** The frontier after one character of a set, or after one or more (`isLoop`). */
function step(builder: Builder, frontier: number, characters: CharacterSet, isLoop: boolean): number {
  if (frontier === EMPTY) return EMPTY;
  const set = setId(builder, characters);
  return child(builder, `${frontier} ${set}${isLoop ? '+' : ''}`, () => {
    const from = builder.frontiers[frontier] ?? [];
    const specificity = isLoop ? 0 : 1 + Math.min(...from.map((state) => builder.specificity[state] ?? 0));
    const state = newState(builder, set, specificity);
    for (const each of from) connect(builder, each, state);
    if (from.some((each) => builder.shared.has(each))) builder.shared.add(state);
    if (isLoop) connect(builder, state, state);
    return frontierOf(builder, [state]);
  });
}

export function insertSequence(builder: Builder, items: PatternTree[], frontier: number): number {
  return items.reduce((before, item) => insert(builder, item, before), frontier);
}

/** Adds the transitions of a tree after a frontier, and returns the frontier after it. */
export function insert(builder: Builder, tree: PatternTree, frontier: number): number {
  switch (tree.kind) {
    case 'set':
      return step(builder, frontier, tree.set, false);
    case 'end': {
      // After the end, a second "$" holds too.
      const isAfter = (state: number): boolean =>
        state !== ROOT && builder.sets[builder.setOf[state] ?? 0] === tree.set;
      const states = builder.frontiers[frontier] ?? [];
      const after = frontierOf(builder, states.filter(isAfter));
      const before = states.filter((state) => !isAfter(state));
      return union(builder, [after, step(builder, frontierOf(builder, before), tree.set, false)]);
    }
    case 'start':
      return builder.frontiers[frontier]?.includes(ROOT) === true ? frontierOf(builder, [ROOT]) : EMPTY;
    case 'sequence':
      return insertSequence(builder, tree.items, frontier);
    case 'either':
      return union(
        builder,
        tree.options.map((option) => insert(builder, option, frontier)),
      );
    case 'repeat':
      return insertRepeat(builder, tree, frontier);
  }
}

function insertRepeat(builder: Builder, tree: PatternTree & { kind: 'repeat' }, frontier: number): number {
  const { item, min, max } = tree;
  let at = frontier;
  const copies = max === Infinity ? Math.max(0, min - 1) : min;
  for (let i = 0; i < copies; i++) at = insert(builder, item, at);
  if (max === Infinity) {
    const looped = item.kind === 'set' ? step(builder, at, item.set, true) : insertLoop(builder, item, at);
    return min === 0 ? union(builder, [at, looped]) : looped;
  }
  const ends = [at];
  for (let i = min; i < max; i++) ends.push((at = insert(builder, item, at)));
  return union(builder, ends);
}

/** A loop over a group. Its states are its own, because transitions lead back to them. */
function insertLoop(builder: Builder, item: PatternTree, frontier: number): number {
  if (frontier === EMPTY) return EMPTY;
  const text = JSON.stringify(item, (name, value: unknown) => (name === 'words' ? undefined : value));
  return child(builder, `${frontier} ${text}+`, () => {
    const body = fragment(builder, item);
    for (const from of builder.frontiers[frontier] ?? []) for (const to of body.first) connect(builder, from, to);
    connectAll(builder, body.last, body.first);
    const states = [...new Set(body.last)].sort((a, b) => a - b);
    const after = frontierOf(builder, states);
    return body.nullable ? union(builder, [frontier, after]) : after;
  });
}

interface Fragment {
  first: number[];
  last: number[];
  nullable: boolean;
}

/** The states of a tree (Glushkov's construction), not yet connected to what precedes it. */
function fragment(builder: Builder, tree: PatternTree): Fragment {
  switch (tree.kind) {
    case 'set': {
      const state = newState(builder, setId(builder, tree.set), 0);
      return { first: [state], last: [state], nullable: false };
    }
    case 'sequence':
      return chain(
        builder,
        tree.items.map((item) => fragment(builder, item)),
      );
    case 'either': {
      const options = tree.options.map((option) => fragment(builder, option));
      return {
        first: options.flatMap(({ first }) => first),
        last: options.flatMap(({ last }) => last),
        nullable: options.some(({ nullable }) => nullable),
      };
    }
    case 'repeat':
      return repeatFragment(builder, tree);
    case 'start':
    case 'end':
      throw new Error('an anchor cannot be repeated');
  }
}

function chain(builder: Builder, parts: Fragment[]): Fragment {
  return parts.reduce(
    (before, after) => {
      connectAll(builder, before.last, after.first);
      return {
        first: before.nullable ? [...before.first, ...after.first] : before.first,
        last: after.nullable ? [...before.last, ...after.last] : after.last,
        nullable: before.nullable && after.nullable,
      };
    },
    { first: [], last: [], nullable: true },
  );
}

function repeatFragment(builder: Builder, { item, min, max }: PatternTree & { kind: 'repeat' }): Fragment {
  if (max === Infinity) {
    const copies = Array.from({ length: Math.max(1, min) }, () => fragment(builder, item));
    const looped = copies.at(-1);
    if (looped) connectAll(builder, looped.last, looped.first);
    const whole = chain(builder, copies);
    return min === 0 ? { ...whole, nullable: true } : whole;
  }
  // x{2,4} is xx(x(x)?)?
  let rest: Fragment = { first: [], last: [], nullable: true };
  for (let i = 0; i < max; i++) {
    const whole = chain(builder, [fragment(builder, item), rest]);
    rest = i < max - min ? { ...whole, nullable: true } : whole;
  }
  return rest;
}
