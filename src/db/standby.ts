/** How old the data of a standby is (DATABASE_READ_URL), without tables, and without equal clocks. */
import { type Db, queryableOf, withClient } from './connection/client.ts';
import type { HostClient } from './connection/hosts.ts';
import { queryRows } from './rows.ts';
import { readDatabaseId } from './settings.ts';

/** A standby that has not responded for longer is not used. */
const MAX_SILENCE_MS = 5_000;

export type Standby = ReturnType<typeof createStandby>;

/**
 * Measures a standby by the clock of its primary: the time there now, less the time of the last commit that the standby
 * has replayed. Repeat both measurements every second: a standby without new commits counts as old.
 */
export function createStandby(primary: Db, standby: Db) {
  /** the time at the primary, and that of this process when it asked */
  let clock = { primaryMs: Infinity, at: 0 };
  let databaseId: string | undefined;
  let replayed = { commitMs: -Infinity, at: -Infinity };
  return {
    /** Commits a transaction, which writes the time to the log, but no row. */
    async mark(): Promise<void> {
      databaseId ??= await readDatabaseId(primary);
      const at = performance.now();
      const [row] = await queryRows<{ ms: number }>(primary)`
        select extract(epoch from clock_timestamp())::float8 * 1000 as ms, txid_current()`;
      if (row) clock = { primaryMs: row.ms, at };
    },
    /** Throws if it is a standby of another database, which is not used. */
    async observe(): Promise<void> {
      const [row] = await withClient(standby, async (client) => {
        await (client as unknown as HostClient).checkHost();
        return queryRows<{ ms: number | null; id: string }>(queryableOf(client))`
          select extract(epoch from pg_last_xact_replay_timestamp())::float8 * 1000 as ms, value as id
          from settings where name = 'database_id' and pg_is_in_recovery()`;
      });
      const isSame = row !== undefined && row.id === databaseId;
      // A server that is no standby may be a former primary, with another history.
      replayed = { commitMs: (isSame && row.ms) || -Infinity, at: performance.now() };
      if (row && databaseId !== undefined && !isSame)
        throw new Error(
          'DATABASE_READ_URL leads to another database than DATABASE_URL: set it to a standby of that one',
        );
    },
    /** The age of its data in milliseconds, up to a second too much; Infinity if it is unknown or no standby responds. */
    stalenessMs(): number {
      const now = performance.now();
      if (now - replayed.at > MAX_SILENCE_MS) return Infinity;
      return Math.max(0, clock.primaryMs + now - clock.at - replayed.commitMs);
    },
  };
}
