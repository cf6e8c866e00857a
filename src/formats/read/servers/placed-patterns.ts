/** The patterns of a file by their fixed beginning, with the place of the first statement that has each. */
import { foldPath } from '../../../resolver/case-fold.ts';
import { storedPatternForm } from '../../../resolver/patterns/pattern.ts';
import type { PatternForm } from '../../../resolver/patterns/pattern-form.ts';
import { type PatternAutomaton, patternAutomaton } from '../../../resolver/patterns/pattern-overlap.ts';
import { createTimeSlice } from '../../../platform/time-slice.ts';
import { invalid } from '../../../vocabulary/error.ts';
import type { Place } from './first-lines.ts';

/** A website has at most as many. */
export const MAX_PATTERNS = 10_000;
/** Comparisons of one file, each up to a microsecond: under a minute. */
const MAX_COMPARISONS = 50_000_000;
/** Characters of the patterns with an automaton: about 100 MB. */
const MAX_AUTOMATON_LENGTH = 500_000;
const TOO_COMPLEX = 'the file has too many patterns and paths to compare their order; split it into several files';

export interface PlacedPattern {
  place: Place;
  text: string;
  form: PatternForm;
  /** the text that every match begins with, folded */
  prefix: string;
}

export interface PlacedPatterns {
  /** More than MAX_PATTERNS patterns are omitted. */
  add(text: string, place: Place): void;
  find(text: string): PlacedPattern | undefined;
  isFull(): boolean;
  /** Undefined if a tree cannot express the pattern, or if the automata of the file need too much memory. */
  automatonOf(pattern: PlacedPattern): PatternAutomaton;
  /** Yields the patterns before `place` whose beginning the folded text has. Throws VALIDATION_ERROR if it is endless. */
  earlier(folded: string, place: Place): AsyncGenerator<PlacedPattern>;
}

export function createPlacedPatterns(): PlacedPatterns {
  const texts = new Map<string, PlacedPattern>();
  const byPrefix = new Map<string, PlacedPattern[]>();
  const lengths = new Set<number>();
  const automata = new Map<string, PatternAutomaton>();
  const slice = createTimeSlice();
  let comparisons = 0;
  let automatonLength = 0;
  return {
    automatonOf({ text }) {
      if (automata.has(text) || automatonLength + text.length > MAX_AUTOMATON_LENGTH) return automata.get(text);
      automatonLength += text.length;
      const automaton = patternAutomaton(text);
      automata.set(text, automaton);
      return automaton;
    },
    find: (text) => texts.get(text),
    isFull: () => texts.size >= MAX_PATTERNS,
    add(text, place) {
      const known = texts.get(text);
      if (known) {
        if (isEarlier(place, known.place)) known.place = place;
        return;
      }
      const form = texts.size < MAX_PATTERNS ? storedPatternForm(text) : undefined;
      if (!form) return;
      const pattern = { place, text, form, prefix: foldPath(form.prefix) };
      texts.set(text, pattern);
      lengths.add(pattern.prefix.length);
      const group = byPrefix.get(pattern.prefix);
      if (group) group.push(pattern);
      else byPrefix.set(pattern.prefix, [pattern]);
    },
    async *earlier(folded, place) {
      for (const length of lengths) {
        if (length > folded.length) continue;
        for (const pattern of byPrefix.get(folded.slice(0, length)) ?? []) {
          if (++comparisons > MAX_COMPARISONS) throw invalid('file', TOO_COMPLEX);
          if (slice.isOver()) await slice.yield();
          if (isEarlier(pattern.place, place)) yield pattern;
        }
      }
    },
  };
}

/** True if the server tries the statement at `one` before the one at `other`. */
export function isEarlier(one: Place, other: Place): boolean {
  return one.phase === other.phase ? one.number < other.number : one.phase < other.phase;
}
