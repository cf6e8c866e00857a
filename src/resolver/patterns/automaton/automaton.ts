/**
 * An automaton in typed arrays on one SharedArrayBuffer, so that threads share it. One pass over a path finds all
 * patterns that match it (picture: README.md).
 */
import { type Builder, letterOf, stateCost } from './states.ts';
import { allocateShared, type RulesetMemory } from '../../literals/shared-memory.ts';

/** Views of the buffer, in this order. */
const VIEWS: [name: Name, type: ViewType][] = [
  /** eight words per set, see CharacterSet */
  ['sets', Uint32Array],
  ['setOf', Uint32Array],
  /** the transitions of state s are those from start[s] to start[s + 1] */
  ['start', Uint32Array],
  ['targets', Uint32Array],
  /** states with patterns, ascending, and the ranges of their patterns in `accepted` and `absorbed` */
  ['final', Uint32Array],
  ['acceptedFrom', Uint32Array],
  ['absorbedFrom', Uint32Array],
  ['accepted', Uint32Array],
  ['absorbed', Uint32Array],
  /** per state: transitions by more than one letter, which come first; work units; 1 for a state in `final` */
  ['wide', Uint16Array],
  ['cost', Uint16Array],
  ['isFinal', Uint8Array],
  /** per transition: its letter in lower case, ascending within a state; 0 for a wide one */
  ['letters', Uint8Array],
];

type Name = Exclude<keyof Automaton, 'buffer'>;
interface ViewType {
  new (buffer: ArrayBufferLike, at: number, length: number): Uint32Array | Uint16Array | Uint8Array;
  BYTES_PER_ELEMENT: number;
}

type Words = 'sets' | 'setOf' | 'start' | 'targets' | 'final' | `${'accepted' | 'absorbed'}${'' | 'From'}`;

export type Automaton = Record<Words, Uint32Array> &
  Record<'wide' | 'cost', Uint16Array> &
  Record<'isFinal' | 'letters', Uint8Array> & { buffer: RulesetMemory };

/** Copies the automaton of a builder into a buffer. `numberOf` are the final numbers of the patterns. */
export function freeze(builder: Builder, numberOf: ArrayLike<number>): Automaton {
  const edges = sortedEdges(builder);
  const final = [...new Set([...builder.accepted.keys(), ...builder.absorbed.keys()])].sort((a, b) => a - b);
  const isFinal = new Uint8Array(builder.setOf.length);
  for (const state of final) isFinal[state] = 1;
  const accepted = ranges(final, builder.accepted, numberOf);
  const absorbed = ranges(final, builder.absorbed, numberOf);
  const costs = builder.setOf.map((_, state) => Math.min(stateCost(builder, state), 0xffff));
  const parts: Record<Name, ArrayLike<number>> = {
    sets: builder.sets.flatMap(({ words }) => [...words]),
    setOf: builder.setOf,
    ...edges,
    final,
    acceptedFrom: accepted.from,
    absorbedFrom: absorbed.from,
    accepted: accepted.items,
    absorbed: absorbed.items,
    cost: costs,
    isFinal,
  };
  const lengths = VIEWS.map(([name]) => parts[name].length);
  const bytes = VIEWS.reduce((sum, [, type], i) => sum + type.BYTES_PER_ELEMENT * (lengths[i] ?? 0), 0);
  const buffer = allocateShared(4 * VIEWS.length + bytes);
  new Uint32Array(buffer, 0, VIEWS.length).set(lengths);
  const automaton = openAutomaton(buffer);
  for (const [name] of VIEWS) automaton[name].set(parts[name]);
  return automaton;
}

/** The automaton in a buffer that `freeze` made, in this thread or another. */
export function openAutomaton(buffer: RulesetMemory): Automaton {
  const lengths = new Uint32Array(buffer, 0, VIEWS.length);
  let at = 4 * VIEWS.length;
  const views = VIEWS.map(([name, type], i) => {
    const view = new type(buffer, at, lengths[i] ?? 0);
    at += view.byteLength;
    return [name, view];
  });
  return { ...(Object.fromEntries(views) as Automaton), buffer };
}

/** The transitions of each state: wide ones first, then by letter. */
function sortedEdges(builder: Builder) {
  const start = [0];
  const wide: number[] = [];
  const targets: number[] = [];
  const letters: number[] = [];
  for (const next of builder.next) {
    const sorted = next.map((target) => ({ target, letter: letterOf(builder, target) }));
    sorted.sort((a, b) => a.letter - b.letter);
    for (const { target, letter } of sorted) {
      targets.push(target);
      letters.push(letter);
    }
    wide.push(sorted.findLastIndex(({ letter }) => letter === 0) + 1);
    start.push(targets.length);
  }
  return { start, wide, targets, letters };
}

function ranges(states: number[], patterns: Map<number, number[]>, numberOf: ArrayLike<number>) {
  const from = [0];
  const items: number[] = [];
  for (const state of states) {
    for (const pattern of patterns.get(state) ?? []) items.push(numberOf[pattern] ?? 0);
    from.push(items.length);
  }
  return { from, items };
}
