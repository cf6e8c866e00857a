/** Hits in memory on their way to the spool. */
import type { Request } from '../../hits/count/request-batch.ts';
import { type Clock, stopwatch } from '../../platform/clock.ts';
import { encodeHit } from './hit-line.ts';
import type { Losses } from './losses.ts';
import type { Spool } from './spool.ts';

export interface BufferLimits {
  /** of hits in memory, if the disk is slow or full */
  maxMemoryBytes: number;
  /** of all batches on disk */
  maxSpoolBytes: number;
  /** of a batch; the service takes 5,000 hits and 1 MiB */
  maxBatchHits: number;
  maxBatchBytes: number;
}

const SPOOL_FULL = 'the folder of hits has reached its limit, because the service cannot be reached for too long';
const MEMORY_FULL = 'the folder of hits cannot be written fast enough, or at all';

export function createHitBuffer(spool: Spool, losses: Losses, limits: BufferLimits, clock: Clock) {
  let lines: string[] = [];
  /** in characters; nearly all take one byte */
  let size = 0;
  let batchStartedAt = 0;

  /** How many of the lines from `from` fit into the current batch. */
  function fitting(all: readonly string[], from: number): number {
    let room = limits.maxBatchBytes - spool.pendingBytes();
    let to = from;
    while (to < all.length && to - from < limits.maxBatchHits - spool.pending()) {
      room -= Buffer.byteLength(all[to] ?? '') + 1;
      if (room < 0) break;
      to++;
    }
    return to - from;
  }

  async function store(taken: readonly string[], from: number): Promise<number> {
    const count = fitting(taken, from);
    // A line is far smaller than an empty batch.
    if (count === 0) {
      await spool.complete();
      return 0;
    }
    const isNew = spool.pending() === 0;
    await spool.append(taken.slice(from, from + count));
    if (isNew) batchStartedAt = stopwatch();
    return count;
  }

  return {
    /** Synchronous; only touches memory. */
    add(request: Request) {
      const line = encodeHit(request, clock.now().getTime());
      if (size + line.length > limits.maxMemoryBytes) return losses.add(1, MEMORY_FULL);
      lines.push(line);
      size += line.length;
    },
    /** Stores the hits. If the disk fails, they stay in memory for the next call. Call it once at a time. */
    async write() {
      const taken = lines;
      lines = [];
      size = 0;
      let stored = 0;
      try {
        while (stored < taken.length) {
          if (spool.bytes() >= limits.maxSpoolBytes) return losses.add(taken.length - stored, SPOOL_FULL);
          stored += await store(taken, stored);
        }
      } catch (error) {
        lines = [...taken.slice(stored), ...lines];
        size = lines.reduce((sum, line) => sum + line.length, 0);
        throw error;
      }
    },
    /** Milliseconds since the first hit of the spool's current batch; 0 without one. */
    batchAge: () => (spool.pending() === 0 ? 0 : stopwatch() - batchStartedAt),
  };
}
