/**
 * An upper bound of the work that a set of patterns can cost at one character of any path (explained in README.md). Two
 * states are partners if one text leads to both. Each state counts its own cost and that of its less specific partners;
 * the highest sum is the bound.
 */
import { type InsertItems, insertPattern } from './builder.ts';
import { type Builder, createBuilder, markOf, stateCost, undoTo } from './states.ts';
import { overlap } from '../character-set.ts';
import { createPairSet } from './pair-set.ts';
import type { PatternTree } from '../pattern-tree.ts';
import { insertWithSharedLoops, isSharedTwice } from './shared-loops.ts';

/** `pairs` bounds the time and memory of the search, of which one pattern may add `pairsPerPattern`. */
export interface LoadLimits {
  units: number;
  states: number;
  pairs: number;
  pairsPerPattern: number;
}

const startSearch = (limits: LoadLimits) => ({
  builder: createBuilder(),
  limits,
  /** per state */
  cost: [0],
  sum: [0],
  partners: [[]] as number[][],
  pairs: createPairSet(),
  maxPairs: 0,
  /** changes to undo: states and amounts */
  costs: [] as number[],
  sums: [] as number[],
});

type Search = ReturnType<typeof startSearch>;
type Mark = ReturnType<typeof markOf> & { pairs: number };

export function createPatternLoad(limits: LoadLimits) {
  const search = startSearch(limits);
  let units = 0;
  return {
    /** the bound, in work units per character */
    get units() {
      return units;
    },
    /** Adds a pattern. False, and nothing changes, if a limit would be exceeded. */
    add(tree: PatternTree): boolean {
      // Loops with equal endings share states if the bound stays correct, which keeps the number of pairs small.
      if (!tryToAdd(search, tree, insertWithSharedLoops) && !tryToAdd(search, tree)) return false;
      for (let i = 0; i < search.sums.length; i += 2) units = Math.max(units, search.sum[search.sums[i] ?? 0] ?? 0);
      return true;
    },
  };
}

function tryToAdd(search: Search, tree: PatternTree, body?: InsertItems): boolean {
  const { builder, cost, sum, partners, pairs, limits } = search;
  const mark: Mark = { ...markOf(builder), pairs: pairs.size };
  search.maxPairs = Math.min(limits.pairs, pairs.size + limits.pairsPerPattern);
  search.costs = [];
  search.sums = [];
  insertPattern(builder, tree, 0, body);
  for (let state = mark.states; state < builder.setOf.length; state++) {
    cost.push(0);
    sum.push(0);
    partners.push([]);
  }
  const isWithin =
    builder.setOf.length <= limits.states &&
    !isSharedTwice(builder, mark) &&
    updateCosts(search, mark) &&
    pairNewEdges(search, mark) &&
    pairOn(search, mark);
  if (!isWithin) undo(search, mark);
  return isWithin;
}

function updateCosts(search: Search, mark: Mark): boolean {
  const { builder, cost, partners } = search;
  const changed = new Set(builder.log.edges.slice(mark.edges));
  for (let state = mark.states; state < builder.setOf.length; state++) changed.add(state);
  for (const state of changed) {
    const more = stateCost(builder, state) - (cost[state] ?? 0);
    if (more === 0) continue;
    cost[state] = (cost[state] ?? 0) + more;
    search.costs.push(state, more);
    if (!addTo(search, state, more)) return false;
    for (const partner of partners[state] ?? []) {
      if (isLessSpecific(builder, state, partner) && !addTo(search, partner, more)) return false;
    }
  }
  return true;
}

/** Finds the pairs that new transitions lead to from one state, or from a pair that exists. */
function pairNewEdges(search: Search, mark: Mark): boolean {
  const { builder, partners } = search;
  const { edges, targets } = builder.log;
  for (let i = mark.edges; i < edges.length; i++) {
    const origin = edges[i] ?? 0;
    const target = targets[i] ?? 0;
    if (!pairWithNext(search, target, origin, true)) return false;
    // Pairs that are found here are followed later.
    const known = partners[origin] ?? [];
    for (let at = 0, end = known.length; at < end; at++) {
      if (!pairWithNext(search, target, known[at] ?? 0)) return false;
    }
  }
  return true;
}

function pairOn(search: Search, mark: Mark): boolean {
  const { builder, pairs } = search;
  for (let at = mark.pairs; at < pairs.size; at++) {
    const [one, other] = pairs.at(at);
    for (const target of builder.next[one] ?? []) if (!pairWithNext(search, target, other)) return false;
  }
  return true;
}

/** Pairs the states that one character can reach from two states. `isOrigin`: both are the same state. */
function pairWithNext(search: Search, state: number, other: number, isOrigin = false): boolean {
  const { builder } = search;
  const { sets, setOf, next } = builder;
  const set = sets[setOf[state] ?? 0];
  for (const target of next[other] ?? []) {
    const targetSet = sets[setOf[target] ?? 0];
    if (target === state) {
      // Several patterns may be in the same shared state, whose cost would count once.
      if (!isOrigin && builder.shared.has(state)) return false;
      continue;
    }
    if (!set || !targetSet || !overlap(set, targetSet)) continue;
    if (!addPair(search, Math.min(state, target), Math.max(state, target))) return false;
  }
  return true;
}

function addPair(search: Search, one: number, other: number): boolean {
  const { builder, cost, partners, pairs } = search;
  if (!pairs.add(one, other)) return true;
  partners[one]?.push(other);
  partners[other]?.push(one);
  const [less, more] = isLessSpecific(builder, one, other) ? [one, other] : [other, one];
  return addTo(search, more, cost[less] ?? 0) && pairs.size <= search.maxPairs;
}

/** Any total order gives a bound. This one keeps the sums of loops small, which are partners of many states. */
function isLessSpecific({ specificity }: Builder, one: number, other: number): boolean {
  const difference = (specificity[one] ?? 0) - (specificity[other] ?? 0);
  return difference === 0 ? one < other : difference < 0;
}

function addTo(search: Search, state: number, units: number): boolean {
  const total = (search.sum[state] ?? 0) + units;
  search.sum[state] = total;
  search.sums.push(state, units);
  return total <= search.limits.units;
}

function undo(search: Search, mark: Mark): void {
  const { builder, cost, sum, partners, pairs, costs, sums } = search;
  for (let i = 0; i < sums.length; i += 2) sum[sums[i] ?? 0] = (sum[sums[i] ?? 0] ?? 0) - (sums[i + 1] ?? 0);
  for (let i = 0; i < costs.length; i += 2) cost[costs[i] ?? 0] = (cost[costs[i] ?? 0] ?? 0) - (costs[i + 1] ?? 0);
  for (let at = pairs.size - 1; at >= mark.pairs; at--) for (const state of pairs.at(at)) partners[state]?.pop();
  pairs.truncate(mark.pairs);
  undoTo(builder, mark);
  cost.length = sum.length = partners.length = mark.states;
}
