import { setTimeout as pause } from 'node:timers/promises';
import { stopwatch } from '../../platform/clock.ts';
import { createKeyedSemaphore, createSemaphore } from '../../platform/scheduling/semaphore.ts';
import { buildIndex } from '../../suggestions/build-candidates.ts';
import type { CandidateIndex } from '../../suggestions/candidates.ts';
import type { Page } from '../../suggestions/page-words.ts';

const MAX_BYTES = 256 * 1024 * 1024;
/** Indexes that are built at a time, at most one for each account. */
const MAX_BUILDS = 2;
/** A changed index is built again when it has been used for this many times the duration of its build. */
const MIN_USE = 10;

interface Kept {
  index: CandidateIndex;
  token: string;
  builtAt: number;
  buildMs: number;
}

/** The index that a caller needs. */
export interface WantedIndex {
  accountId: number;
  /** identifies the index */
  key: string;
  /** identifies the state of its candidates */
  token: string;
  read: () => AsyncIterable<Page>;
}

export type IndexCache = ReturnType<typeof createIndexCache>;

/** Keeps the most recently used indexes, up to 256 MB, and the last one whatever its size. */
export function createIndexCache(maxBytes = MAX_BYTES) {
  /** least recently used first */
  const kept = new Map<string, Kept>();
  const builds = new Map<string, Promise<CandidateIndex>>();
  const inTurn = createKeyedSemaphore<number>(1);
  const withPermit = createSemaphore(MAX_BUILDS);

  function keep(key: string, built: Kept): void {
    kept.delete(key);
    kept.set(key, built);
    let bytes = 0;
    for (const { index } of kept.values()) bytes += index.bytes;
    for (const [oldest, { index }] of kept) {
      // The newest one stays even if it alone is larger. Otherwise each request would build it again.
      if (bytes <= maxBytes || oldest === key) break;
      kept.delete(oldest);
      bytes -= index.bytes;
    }
  }

  const build = ({ accountId, key, token, read }: WantedIndex): Promise<CandidateIndex> =>
    inTurn(accountId, () =>
      withPermit(async () => {
        const startedAt = stopwatch();
        const index = await buildIndex(read());
        keep(key, { index, token, builtAt: stopwatch(), buildMs: stopwatch() - startedAt });
        return index;
      }),
    );

  return {
    /**
     * Returns the index, or one of an earlier state while it is built again. Undefined if neither is there after
     * `waitMs`; the build goes on then. Rejects if the build fails within that time.
     */
    async get(wanted: WantedIndex, waitMs: number): Promise<CandidateIndex | undefined> {
      const { key, token } = wanted;
      const found = kept.get(key);
      if (found) keep(key, found);
      if (found && (found.token === token || stopwatch() - found.builtAt < MIN_USE * found.buildMs)) return found.index;
      let started = builds.get(key);
      if (!started) {
        started = build(wanted).finally(() => builds.delete(key));
        started.catch(() => {});
        builds.set(key, started);
      }
      return Promise.race([started, pause(waitMs, found?.index, { ref: false })]);
    },
  };
}
