/** One pass of an automaton over a path. */
import type { Automaton } from './automaton.ts';
import { MAX_SCANNED, ROOT } from './states.ts';
import { END, lowerCase } from '../character-set.ts';

/** Work units that a request may still spend. The pass subtracts what it spends; below zero it stopped. */
export interface WorkBudget {
  units: number;
}

/** Buffers of this thread, for the largest automaton so far. */
let marks = new Uint32Array(0);
let seen = new Uint32Array(0);
let one = new Uint32Array(0);
let other = new Uint32Array(0);
/** A state with this mark is active. The marks are never cleared, only outdated. */
let generation = 0;
/** A state with this number in `seen` was collected in this pass. */
let passes = 0;

const LOWER = Uint8Array.from({ length: END + 1 }, (_, code) => lowerCase(code));

/**
 * The numbers of the patterns that match a canonical path, in no order. Stops with a negative budget if the path costs
 * more than that; its result is then incomplete. The steps are the same at every run.
 */
export function passOver(automaton: Automaton, path: string, caseSensitive: boolean, budget: WorkBudget): Set<number> {
  prepare(automaton.setOf.length, path.length);
  const matched = new Set<number>();
  const { cost } = automaton;
  let active = one;
  let entered = other;
  active[0] = ROOT;
  let count = 1;
  collect(automaton, active, count, 'absorbed', matched);
  for (let at = 0; at <= path.length && count > 0; at++) {
    let units = 0;
    for (let i = 0; i < count; i++) units += cost[active[i] ?? 0] ?? 0;
    if ((budget.units -= units) < 0) return matched;
    const isEnd = at === path.length;
    if (isEnd) collect(automaton, active, count, 'accepted', matched);
    // A character that no canonical path has counts as a control character.
    const code = isEnd ? END : Math.min(path.charCodeAt(at), END) % END;
    generation++;
    count = advance(automaton, active, count, entered, code, caseSensitive ? 0 : 4);
    [active, entered] = [entered, active];
    collect(automaton, active, count, 'absorbed', matched);
  }
  // States after `$`, which the end of the path led to.
  collect(automaton, active, count, 'accepted', matched);
  return matched;
}

/** Enters every state that a character leads to from an active one. Returns their number. */
function advance(
  { sets, setOf, start, targets, letters, wide }: Automaton,
  active: Uint32Array,
  count: number,
  entered: Uint32Array,
  code: number,
  firstWord: number,
): number {
  const word = firstWord + (code >>> 5);
  const bit = 1 << (code & 31);
  const letter = LOWER[code] ?? 0;
  let found = 0;
  for (let i = 0; i < count; i++) {
    const state = active[i] ?? 0;
    const first = start[state] ?? 0;
    const end = start[state + 1] ?? 0;
    const byLetter = first + (wide[state] ?? 0);
    for (let edge = first; edge < byLetter; edge++) {
      const target = targets[edge] ?? 0;
      if (marks[target] === generation || ((sets[8 * (setOf[target] ?? 0) + word] ?? 0) & bit) === 0) continue;
      marks[target] = generation;
      entered[found++] = target;
    }
    let edge = end - byLetter <= MAX_SCANNED ? byLetter : lowerBound(letters, byLetter, end, letter);
    for (; edge < end && (letters[edge] ?? 0) <= letter; edge++) {
      if (letters[edge] !== letter) continue;
      const target = targets[edge] ?? 0;
      if (marks[target] === generation || ((sets[8 * (setOf[target] ?? 0) + word] ?? 0) & bit) === 0) continue;
      marks[target] = generation;
      entered[found++] = target;
    }
  }
  return found;
}

function lowerBound(values: Uint8Array | Uint32Array, from: number, to: number, value: number): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Adds the patterns of the active states. Those of a state that was entered before are in the result already. */
function collect(
  automaton: Automaton,
  active: Uint32Array,
  count: number,
  kind: 'accepted' | 'absorbed',
  matched: Set<number>,
): void {
  const { isFinal, final } = automaton;
  for (let i = 0; i < count; i++) {
    const state = active[i] ?? 0;
    if (isFinal[state] === 0 || (kind === 'absorbed' && seen[state] === passes)) continue;
    if (kind === 'absorbed') seen[state] = passes;
    const patterns = automaton[kind];
    const from = automaton[kind === 'accepted' ? 'acceptedFrom' : 'absorbedFrom'];
    const index = lowerBound(final, 0, final.length, state);
    const end = from[index + 1] ?? 0;
    for (let at = from[index] ?? 0; at < end; at++) matched.add(patterns[at] ?? 0);
  }
}

function prepare(states: number, steps: number): void {
  if (marks.length < states) {
    const size = Math.max(1_024, 2 ** Math.ceil(Math.log2(states)));
    marks = new Uint32Array(size);
    seen = new Uint32Array(size);
    one = new Uint32Array(size);
    other = new Uint32Array(size);
    generation = 0;
    passes = 0;
  }
  if (generation + steps + 1 >= 2 ** 32) {
    marks.fill(0);
    generation = 0;
  }
  if (++passes === 2 ** 32) {
    seen.fill(0);
    passes = 1;
  }
}
