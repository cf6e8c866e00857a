/** Whether two patterns match the same path, by following the automata of both at once. */
import { insertPattern } from './automaton/builder.ts';
import { type Builder, createBuilder, ROOT } from './automaton/states.ts';
import { type CharacterSet, END_SET } from './character-set.ts';
import { patternTokens } from './pattern-form.ts';
import { patternTree } from './pattern-tree.ts';

/** The automaton of one pattern; undefined if a tree cannot express the pattern. */
export type PatternAutomaton = Builder | undefined;

export function patternAutomaton(text: string): PatternAutomaton {
  const tokens = patternTokens(text);
  const tree = 'reason' in tokens ? undefined : patternTree(tokens);
  if (!tree) return undefined;
  const builder = createBuilder();
  insertPattern(builder, tree, 0);
  // An end inside the pattern is a transition that the other automaton does not have.
  return builder.sets.includes(END_SET) ? undefined : builder;
}

/** True if the pattern certainly matches every path that begins with the text. */
export function absorbs(automaton: PatternAutomaton, text: string, caseSensitive: boolean): boolean {
  if (!automaton) return false;
  let states = new Set([ROOT]);
  for (let at = 0; ; at++) {
    if (states.values().some((state) => automaton.absorbed.has(state))) return true;
    const code = text.charCodeAt(at);
    if (Number.isNaN(code)) return false;
    const next = states.values().flatMap((state) => automaton.next[state] ?? []);
    states = new Set(next.filter((state) => hasCharacter(setAt(automaton, state), code, caseSensitive)));
  }
}

/** Pairs of states that one comparison may visit: about 20 ms. */
const MAX_PAIRS = 50_000;

/** Pairs of states that further comparisons may visit together. */
export interface OverlapBudget {
  pairs: number;
}

/**
 * Returns a path that both patterns match, '' if they may have one that was not found, and undefined if they certainly
 * have none. `caseSensitive` as the option of the website. Takes the pairs that it visits from the budget, and returns ''
 * without one.
 */
export function sharedPath(
  one: PatternAutomaton,
  other: PatternAutomaton,
  caseSensitive: boolean,
  budget: OverlapBudget,
): string | undefined {
  if (!one || !other) return '';
  const width = other.setOf.length;
  const seen = new Set<number>([ROOT]);
  // Breadth first, so the path is a shortest one. Each step has its pair, the step before it, and its character.
  const steps: { left: number; right: number; before: number; letter: number }[] = [
    { left: ROOT, right: ROOT, before: -1, letter: 0 },
  ];
  for (let at = 0; at < steps.length; at++) {
    if (budget.pairs-- <= 0) return '';
    const { left, right } = steps[at] ?? { left: ROOT, right: ROOT };
    if (isMatch(one, left, other, right)) return pathTo(steps, at);
    for (const [nextLeft, nextRight, letter] of moves(one, left, other, right, caseSensitive)) {
      const pair = nextLeft * width + nextRight;
      if (seen.has(pair)) continue;
      if (seen.size >= MAX_PAIRS) return '';
      seen.add(pair);
      steps.push({ left: nextLeft, right: nextRight, before: at, letter });
    }
  }
  return undefined;
}

/** The pairs of states that one character leads to. A state that absorbs any rest may stay. */
function* moves(
  one: Builder,
  left: number,
  other: Builder,
  right: number,
  caseSensitive: boolean,
): Generator<[left: number, right: number, letter: number]> {
  const lefts: [number, CharacterSet | undefined][] = (one.next[left] ?? []).map((to) => [to, setAt(one, to)]);
  const rights: [number, CharacterSet | undefined][] = (other.next[right] ?? []).map((to) => [to, setAt(other, to)]);
  if (one.absorbed.has(left)) lefts.push([left, undefined]);
  if (other.absorbed.has(right)) rights.push([right, undefined]);
  for (const [toLeft, setOfLeft] of lefts) {
    for (const [toRight, setOfRight] of rights) {
      const letter = sharedCharacter(setOfLeft, setOfRight, caseSensitive);
      if (letter !== 0) yield [toLeft, toRight, letter];
    }
  }
}

function isMatch(one: Builder, left: number, other: Builder, right: number): boolean {
  const accepts = (builder: Builder, state: number) => builder.accepted.has(state) || builder.absorbed.has(state);
  return accepts(one, left) && accepts(other, right);
}

const setAt = (builder: Builder, state: number): CharacterSet | undefined => builder.sets[builder.setOf[state] ?? 0];

const ALL = 0xffffffff;
const LIKELY = Array.from('abcdefghijklmnopqrstuvwxyz0123456789-/.', (character) => character.charCodeAt(0));
const PRINTABLE = [...LIKELY, ...Array.from({ length: 94 }, (_, at) => at + 33)];

/** The code of a character that both sets have, preferably a letter, or 0. An undefined set has all. */
function sharedCharacter(
  one: CharacterSet | undefined,
  other: CharacterSet | undefined,
  caseSensitive: boolean,
): number {
  const has = (code: number): boolean =>
    hasCharacter(one, code, caseSensitive) && hasCharacter(other, code, caseSensitive);
  return PRINTABLE.find(has) ?? 0;
}

function hasCharacter(set: CharacterSet | undefined, code: number, caseSensitive: boolean): boolean {
  const word = set?.words[(caseSensitive ? 0 : 4) + (code >> 5)] ?? ALL;
  return ((word >>> (code & 31)) & 1) === 1;
}

function pathTo(steps: readonly { before: number; letter: number }[], last: number): string {
  let path = '';
  for (let at = last; at > 0; at = steps[at]?.before ?? 0) path = String.fromCharCode(steps[at]?.letter ?? 0) + path;
  return path;
}
