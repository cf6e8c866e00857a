/** Literals as plain values and shared memory. Sharing copies no rules: a million take under a millisecond. */
import { openPage, sealPages } from './arena.ts';
import { openSegments, type SharedSegment, shareSegments } from './hash-table.ts';
import type { Literals } from './literals.ts';
import { allocatedBytes, createBallast, type RulesetMemory } from './shared-memory.ts';

type Plain = Pick<
  Literals,
  'hashKey' | 'size' | 'withQuery' | 'withCase' | 'scheduled' | 'sum' | 'liveBytes' | 'newBytes'
>;

export interface SharedLiterals extends Plain {
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
  return {
    ...plain(literals),
    pages: literals.pages.map(({ bytes, used }) => ({ memory: bytes.buffer, used })),
    segments: shareSegments(literals),
  };
}

export function openLiterals(shared: SharedLiterals): Literals {
  return {
    ...plain(shared),
    ...openSegments(shared.segments),
    pages: shared.pages.map(({ memory, used }) => openPage(memory, used)),
    ballast: createBallast(shared.newBytes),
  };
}

function plain({ hashKey, size, withQuery, withCase, scheduled, sum, liveBytes, newBytes }: Plain): Plain {
  return { hashKey, size, withQuery, withCase, scheduled, sum, liveBytes, newBytes };
}
