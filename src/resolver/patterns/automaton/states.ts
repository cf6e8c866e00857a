/** The states of an automaton while it is built, and how to take back the newest ones. */
import type { CharacterSet } from '../character-set.ts';

export type Builder = ReturnType<typeof createBuilder>;

export const ROOT = 0;
/** The frontier without states. */
export const EMPTY = 0;
/** Specificity of the root: a state that no loop precedes is entered at few offsets. */
const UNLOOPED = 10_000;

export function createBuilder() {
  return {
    sets: [] as CharacterSet[],
    /** per state: its set, its successors, and the characters since the last loop */
    setOf: [0],
    next: [[]] as number[][],
    specificity: [UNLOOPED],
    /** patterns that match if the path ends in a state, and those that match once a state is entered */
    accepted: new Map<number, number[]>(),
    absorbed: new Map<number, number[]>(),
    setIds: new Map<string, number>(),
    frontiers: [[]] as number[][],
    frontierIds: new Map<string, number>(),
    /** the state or frontier by frontier and transition */
    children: new Map<string, number>(),
    /** states that stand for those of several patterns, see shared-loops.ts */
    shared: new Set<number>(),
    /** everything that was added, in order, so that the newest pattern can be removed; edges by origin and target */
    log: { edges: [] as number[], targets: [] as number[], children: [] as string[] },
  };
}

export function markOf({ setOf, frontiers, log }: Builder) {
  return { states: setOf.length, frontiers: frontiers.length, edges: log.edges.length, children: log.children.length };
}

/** Removes what was added since the mark. The caller removes the pattern's numbers. */
export function undoTo(builder: Builder, mark: ReturnType<typeof markOf>): void {
  const { log, next, frontiers } = builder;
  while (log.edges.length > mark.edges) next[log.edges.pop() ?? 0]?.pop();
  log.targets.length = mark.edges;
  while (log.children.length > mark.children) builder.children.delete(log.children.pop() ?? '');
  while (frontiers.length > mark.frontiers) builder.frontierIds.delete((frontiers.pop() ?? []).join());
  for (let state = mark.states; state < next.length; state++) builder.shared.delete(state);
  for (const list of [builder.setOf, next, builder.specificity]) list.length = mark.states;
}

export function frontierOf(builder: Builder, states: number[]): number {
  if (states.length === 0) return EMPTY;
  const key = states.join();
  const known = builder.frontierIds.get(key);
  if (known !== undefined) return known;
  const id = builder.frontiers.push(states) - 1;
  builder.frontierIds.set(key, id);
  return id;
}

export function union(builder: Builder, ids: number[]): number {
  const [first = EMPTY] = ids;
  if (ids.every((id) => id === first)) return first;
  const states = new Set(ids.flatMap((id) => builder.frontiers[id] ?? []));
  return frontierOf(
    builder,
    [...states].sort((a, b) => a - b),
  );
}

export function setId(builder: Builder, set: CharacterSet): number {
  const known = builder.setIds.get(set.key);
  if (known !== undefined) return known;
  const id = builder.sets.push(set) - 1;
  builder.setIds.set(set.key, id);
  return id;
}

export function newState(builder: Builder, set: number, specificity: number): number {
  const state = builder.setOf.push(set) - 1;
  builder.next.push([]);
  builder.specificity.push(specificity);
  return state;
}

export function connect(builder: Builder, from: number, to: number): void {
  builder.next[from]?.push(to);
  builder.log.edges.push(from);
  builder.log.targets.push(to);
}

/** The frontier with this key, created at the first call. */
export function child(builder: Builder, key: string, create: () => number): number {
  const known = builder.children.get(key);
  if (known !== undefined) return known;
  const frontier = create();
  builder.children.set(key, frontier);
  builder.log.children.push(key);
  return frontier;
}

export function connectAll(builder: Builder, from: number[], to: number[]): void {
  for (const state of from) {
    const known = new Set(builder.next[state]);
    for (const target of to) if (!known.has(target)) connect(builder, state, target);
  }
}

/** Transitions by letter that are compared one by one. More are searched, at the cost of this many. */
export const MAX_SCANNED = 4;

/**
 * Work units for a state that is active at one character of a path: two for itself, and one for each transition that is
 * tried. Measured: a unit takes 1 to 2 ns.
 */
export function stateCost(builder: Builder, state: number): number {
  const targets = builder.next[state] ?? [];
  if (targets.length <= MAX_SCANNED) return 2 + targets.length;
  const letters = new Set<number>();
  let wide = 0;
  for (const target of targets) {
    const letter = letterOf(builder, target);
    if (letter === 0) wide++;
    else letters.add(letter);
  }
  const byLetter = targets.length - wide;
  return 2 + wide + (byLetter <= MAX_SCANNED ? byLetter : MAX_SCANNED + byLetter - letters.size);
}

/** The letter, in lower case, that alone leads to a state; 0 if others do too. */
export function letterOf({ sets, setOf }: Builder, state: number): number {
  return sets[setOf[state] ?? 0]?.letter ?? 0;
}
