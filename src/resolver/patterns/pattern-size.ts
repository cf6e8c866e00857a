import type { PatternTree } from './pattern-tree.ts';

/**
 * Transitions that a tree adds to an automaton, if it shares none. Infinity above `max`, and for a tree that an automaton
 * cannot express. A path through `a?b?c?d?` may skip any letter, so each optional part adds transitions to the others.
 */
export function transitionsOf(tree: PatternTree, max: number): number {
  const count: Count = { transitions: 0, max };
  try {
    follow(count, tree, 1);
  } catch (error) {
    if (error instanceof TooLarge) return Infinity;
    throw error;
  }
  return count.transitions;
}

interface Count {
  transitions: number;
  max: number;
}

class TooLarge extends Error {}

function add(count: Count, transitions: number): void {
  count.transitions += transitions;
  if (count.transitions > count.max) throw new TooLarge();
}

/** Counts the transitions of a tree after `frontier` states. Returns the number of states after it. */
function follow(count: Count, tree: PatternTree, frontier: number): number {
  switch (tree.kind) {
    case 'set':
    case 'end':
      add(count, frontier);
      return 1;
    case 'start':
      return frontier;
    case 'sequence':
      return tree.items.reduce((before, item) => follow(count, item, before), frontier);
    case 'either':
      return tree.options.reduce((sum, option) => sum + follow(count, option, frontier), 0);
    case 'repeat':
      return followRepeat(count, tree, frontier);
  }
}

function followRepeat(count: Count, { item, min, max }: PatternTree & { kind: 'repeat' }, frontier: number): number {
  let at = frontier;
  for (let i = 0; i < (max === Infinity ? min - 1 : min); i++) at = follow(count, item, at);
  if (max === Infinity) {
    const { first, last, nullable } = loopOf(count, item);
    add(count, at * first + last * first);
    return last + (nullable || min === 0 ? at : 0);
  }
  let ends = at;
  for (let i = min; i < max; i++) ends += at = follow(count, item, at);
  return ends;
}

interface Ends {
  first: number;
  last: number;
  nullable: boolean;
}

/** Counts the transitions inside a repeated group. */
function loopOf(count: Count, tree: PatternTree): Ends {
  switch (tree.kind) {
    case 'set':
      return { first: 1, last: 1, nullable: false };
    case 'sequence':
      return tree.items.map((item) => loopOf(count, item)).reduce((one, other) => chain(count, one, other), EMPTY);
    case 'either': {
      const options = tree.options.map((option) => loopOf(count, option));
      const sum = (key: 'first' | 'last'): number => options.reduce((total, option) => total + option[key], 0);
      return { first: sum('first'), last: sum('last'), nullable: options.some(({ nullable }) => nullable) };
    }
    case 'repeat': {
      let whole = EMPTY;
      for (let i = 0; i < (tree.max === Infinity ? Math.max(1, tree.min) : tree.max); i++) {
        const copy = loopOf(count, tree.item);
        if (tree.max === Infinity) add(count, copy.first * copy.last);
        whole = chain(count, whole, i < tree.min ? copy : { ...copy, nullable: true });
      }
      return whole;
    }
    case 'start':
    case 'end':
      throw new TooLarge();
  }
}

const EMPTY: Ends = { first: 0, last: 0, nullable: true };

function chain(count: Count, before: Ends, after: Ends): Ends {
  add(count, before.last * after.first + 1);
  return {
    first: before.first + (before.nullable ? after.first : 0),
    last: after.last + (after.nullable ? before.last : 0),
    nullable: before.nullable && after.nullable,
  };
}
