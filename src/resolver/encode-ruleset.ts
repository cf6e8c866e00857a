/** Rulesets as plain values and blocks of bytes, for files. Copies no literals, and looks at none of them. */
import { createPageMemory, entryBytes } from './literals/arena.ts';
import { UNKNOWN_SUM } from './checksum.ts';
import type { Rule } from './rule.ts';
import { emptyRuleset, openRuleset, type Ruleset } from './ruleset.ts';
import type { SharedLiterals } from './literals/share-literals.ts';
import { allocateShared } from './literals/shared-memory.ts';

/**
 * The part of an encoded ruleset that is JSON. `scheduled` is absent in files of versions without windows, `sum` in those
 * of versions without checksums, and null if it was unknown.
 */
export interface EncodedRuleset {
  literals: Omit<SharedLiterals, 'pages' | 'segments' | 'newBytes' | 'scheduled' | 'sum' | 'withSlash'> & {
    scheduled?: number;
    sum?: number | null;
  };
  /** Not in `literals`, so that an older version, which does not count it, does not keep it. */
  withSlash?: number | null;
  pages: number[];
  /** count, depth and bytes of each segment */
  segments: [count: number, depth: number, bytes: number][];
  patterns: Rule[];
}

/** Returns the head and the blocks: pages, then segments. The blocks are the memory of the ruleset. */
export function encodeRuleset(ruleset: Ruleset): { head: EncodedRuleset; blocks: Uint8Array[] } {
  const { pages, segments, newBytes: _newBytes, withSlash, ...literals } = ruleset.share().literals;
  return {
    head: {
      literals,
      withSlash,
      pages: pages.map(({ used }) => used),
      segments: segments.map(({ count, depth, memory }) => [count, depth, memory.byteLength]),
      patterns: [...ruleset.patterns()],
    },
    blocks: blocksOf(pages, segments),
  };
}

const blocksOf = (pages: SharedLiterals['pages'], segments: SharedLiterals['segments']): Uint8Array[] => [
  ...pages.map(({ memory, used }) => entryBytes(memory, used)),
  ...segments.map(({ memory }) => new Uint8Array(memory)),
];

/** Allocates the blocks of an encoded ruleset. When they are filled, `open` returns the ruleset. */
export function decodeRuleset(head: EncodedRuleset): { blocks: Uint8Array[]; open: () => Ruleset } {
  const pages = head.pages.map((used) => ({ memory: createPageMemory(used), used }));
  const segments = head.segments.map(([count, depth, bytes]) => ({ memory: allocateShared(bytes), count, depth }));
  const blocks = blocksOf(pages, segments);
  const newBytes = blocks.reduce((sum, block) => sum + block.length, 0);
  return {
    blocks,
    open() {
      const { patterns } = emptyRuleset().share();
      const { sum, ...known } = head.literals;
      const counts = { scheduled: 0, ...known, sum: sum ?? UNKNOWN_SUM, withSlash: head.withSlash ?? NaN };
      const literals = openRuleset({ literals: { ...counts, newBytes, pages, segments }, patterns });
      if (head.patterns.length === 0) return literals;
      const draft = literals.fork();
      for (const rule of head.patterns) draft.add(rule);
      return draft.seal();
    },
  };
}
