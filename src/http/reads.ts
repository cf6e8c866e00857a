/** Reads that may use a standby: those whose request allows its data to be some seconds old. */
import type { Db } from '../db/connection/client.ts';

export interface ReadPools {
  db: Db;
  /** for streamed responses */
  streams: Db;
}

export interface StandbyPools extends ReadPools {
  stalenessMs(): number;
}

/** `max_staleness` of a request in seconds; without it, the primary answers. */
type MaxStaleness = number | undefined;

export type Reads = ReturnType<typeof createReads>;

/**
 * Chooses the pools of a read. An error on the standby is no result: it may lack the row or the version, or have
 * cancelled the query, so the primary decides.
 */
export function createReads(primary: ReadPools, standby?: StandbyPools) {
  const totals = { standby: 0, primary: 0 };

  function fresh(maxStaleness: MaxStaleness): StandbyPools | undefined {
    const isFresh = maxStaleness !== undefined && standby && standby.stalenessMs() <= maxStaleness * 1_000;
    if (maxStaleness !== undefined && !isFresh) totals.primary++;
    return isFresh ? standby : undefined;
  }

  type Server = ReadPools & { isStandby: boolean };
  const ofPrimary: Server = { ...primary, isStandby: false };

  return {
    /** For a read in another thread, which falls back to the primary itself: whether the standby answers. */
    isFromStandby(maxStaleness: MaxStaleness): boolean {
      const isFresh = fresh(maxStaleness) !== undefined;
      if (isFresh) totals.standby++;
      return isFresh;
    },
    /** how many reads with `max_staleness` each server has answered */
    totals,
    /** Runs `read` on a server, on the standby if its data is fresh enough. */
    async read<T>(maxStaleness: MaxStaleness, read: (db: Db, server: Server) => Promise<T>): Promise<T> {
      const found = fresh(maxStaleness);
      if (!found) return read(primary.db, ofPrimary);
      try {
        const result = await read(found.db, { ...found, isStandby: true });
        totals.standby++;
        return result;
      } catch {
        totals.primary++;
        return read(primary.db, ofPrimary);
      }
    },
    /** The chunks of `open`, from the standby if its data is fresh enough. */
    stream<T>(
      maxStaleness: MaxStaleness,
      open: (streams: Db, server: ReadPools) => AsyncGenerator<T>,
    ): AsyncGenerator<T> {
      const found = fresh(maxStaleness);
      if (!found) return open(primary.streams, primary);
      return firstOf(open(found.streams, found), {
        onFirst: () => void totals.standby++,
        otherwise() {
          totals.primary++;
          return open(primary.streams, primary);
        },
      });
    },
  };
}

/** Yields the chunks of `chunks`, or those of `otherwise` if it fails before its first one. */
async function* firstOf<T>(
  chunks: AsyncGenerator<T>,
  { otherwise, onFirst }: { otherwise: () => AsyncGenerator<T>; onFirst: () => void },
): AsyncGenerator<T> {
  const first = await chunks.next().catch(() => undefined);
  if (!first) return yield* otherwise();
  try {
    onFirst();
    if (first.done) return;
    yield first.value;
    yield* chunks;
  } finally {
    await chunks.return(undefined);
  }
}
