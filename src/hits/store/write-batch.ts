/**
 * Writes one batch in one transaction: all of it or nothing, and not twice. Processes that count for the same website take turns: a
 * sketch is read, merged and written back, which two at a time would spoil.
 */
import { LOCKS } from '../../db/advisory-lock.ts';
import { sql } from 'drizzle-orm';
import type { Db, Tx } from '../../db/client.ts';
import type { Batch } from '../count/batches.ts';
import { type SaturatedRedirects, writeRedirects } from './write-redirects.ts';
import { createMonthlyPartitions } from './monthly-partitions.ts';
import { type LastHitThrottle, writeLastHits } from './last-hits.ts';
import { writePaths } from './write-paths.ts';
import { addWebsiteDays } from './write-days.ts';

export interface WriterState {
  /** a name that no other process has */
  writer: string;
  /** months whose partitions are there for certain */
  months: Set<string>;
  /** what need not be written again */
  noted: LastHitThrottle;
  crowded: SaturatedRedirects;
}

/**
 * Writes the batch with that number, which grows from batch to batch. Where an earlier try was committed although nobody heard of it,
 * nothing happens. Throws what the database says; then nothing was written, or nobody knows: try again with the same number.
 */
export async function writeBatch(
  db: Db,
  { writer, months, noted, crowded }: WriterState,
  { batch, number, now }: { batch: Batch; number: number; now: Date },
): Promise<void> {
  const month = batch.day.slice(0, 7);
  if (!months.has(month)) {
    await createMonthlyPartitions(db, batch.day);
    months.add(month);
  }
  const active = noted.news(batch.redirects);
  await db.transaction(async (tx) => {
    const { rowCount } = await tx.execute(sql`
      insert into hit_writers as w (writer, batch, written_at) values (${writer}, ${number}, ${now.toISOString()})
      on conflict (writer) do update set batch = excluded.batch, written_at = excluded.written_at
      where w.batch < excluded.batch`);
    if (rowCount === 0) return;
    await lockHitCounters(tx, websitesOf(batch));
    await readByKeys(tx);
    await addWebsiteDays(tx, batch);
    await writeRedirects(tx, batch, crowded);
    await writeLastHits(tx, active);
    await writePaths(tx, batch);
  });
  noted.keep(active);
}

function websitesOf({ sites, redirects, paths }: Batch): Set<number> {
  const ids = new Set<number>();
  sites.forEach(({ websiteId }) => ids.add(websiteId));
  redirects.forEach(({ site }) => ids.add(site.websiteId));
  paths.forEach(({ site }) => ids.add(site.websiteId));
  return ids;
}

/** What is read next are single rows by their keys, however much the planner knows of a month that has just begun. */
async function readByKeys(tx: Tx): Promise<void> {
  await tx.execute(sql`
    select set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
      set_config('enable_seqscan', 'off', true)`);
}

/**
 * To the end of the transaction nobody else writes what was counted of these websites. Locked in one order everywhere, so that nobody
 * waits in a circle; without it, two that touch the same rows in different orders would.
 */
export async function lockHitCounters(tx: Tx, websiteIds: Iterable<number>): Promise<void> {
  const sorted = [...new Set(websiteIds)].sort((a, b) => a - b);
  await tx.execute(sql`
    select pg_advisory_xact_lock(${LOCKS.hitCounters}::int, id) from unnest(${sql.param(sorted)}::int[]) as id`);
}
