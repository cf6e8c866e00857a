/** Literals as plain values and shared memory. Sharing copies no rules: a million take under a millisecond. */
import { openPage, sealPages } from './arena.ts';
import { openSegments, type SharedSegment, shareSegments } from './hash-table.ts';
import type { Literals } from './literals.ts';
import { allocatedBytes, createBallast, type RulesetMemory } from './shared-memory.ts';

export interface SharedLiterals extends Omit<Literals, 'directory' | 'depth' | 'pages' | 'ballast'> {
  pages: { memory: RulesetMemory; used: number }[];
  segments: SharedSegment[];
}

/** Ends the changes of a draft that began when its thread had allocated `before` bytes. */
export function sealLiterals(literals: Literals, owner: number, before: number): void {
  sealPages(literals.pages, owner);
  literals.newBytes = allocatedBytes() - before;
  literals.ballast = createBallast(literals.newBytes);
}

export function shareLiterals(literals: Literals): SharedLiterals {
  const { directory: _directory, depth: _depth, pages, ballast: _ballast, ...plain } = literals;
  return {
    ...plain,
    pages: pages.map(({ bytes, used }) => ({ memory: bytes.buffer, used })),
    segments: shareSegments(literals),
  };
}

export function openLiterals({ pages, segments, ...plain }: SharedLiterals): Literals {
  return {
    ...plain,
    ...openSegments(segments),
    pages: pages.map(({ memory, used }) => openPage(memory, used)),
    ballast: createBallast(plain.newBytes),
  };
}
