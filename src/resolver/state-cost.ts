import type { Builder } from './automaton-states.ts';

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
