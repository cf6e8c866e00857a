/** Loops over groups, by Glushkov's construction. */
import { type Builder, connectAll, newState, setId } from './automaton-states.ts';
import type { PatternTree } from './pattern-tree.ts';

export interface Fragment {
  first: number[];
  last: number[];
  nullable: boolean;
}

/** The states of a tree (Glushkov's construction), not yet connected to what precedes it. */
export function fragment(builder: Builder, tree: PatternTree): Fragment {
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
