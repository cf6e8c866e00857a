import { sql } from '../db/drizzle.ts';
import type { Tx } from '../db/client.ts';

const LOCK_CLASS = 7021;

/**
 * To the end of the transaction nobody else writes what was counted of these websites. Locked in one order everywhere, so that nobody
 * waits in a circle; without it, two that touch the same rows in different orders would.
 */
export async function takeTurns(tx: Tx, websiteIds: Iterable<number>): Promise<void> {
  const sorted = [...new Set(websiteIds)].sort((a, b) => a - b);
  await tx.execute(sql`
    select pg_advisory_xact_lock(${LOCK_CLASS}::int, id) from unnest(${sql.param(sorted)}::int[]) as id`);
}
