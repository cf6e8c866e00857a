/** Writes one batch of counters in one transaction, exactly once. */
import { sql } from 'drizzle-orm';
import { LOCKS } from '../../db/advisory-lock.ts';
import type { Db, Tx } from '../../db/client.ts';
import type { WriteBatch } from '../counters/write-batches.ts';
import { type createLastHitThrottle, writeLastHits } from './last-hits.ts';
import { mergeWebsiteDays } from './merge-days.ts';
import { createMonthlyPartitions } from './monthly-partitions.ts';
import { isDayOver } from './reduce-visitors.ts';
import { writePaths } from './write-paths.ts';
import { type createSaturatedRedirects, writeRedirects } from './write-redirects.ts';

/** State of one writer between its batches. */
interface WriterState {
  /** unique among all processes */
  writer: string;
  /** months whose partitions exist */
  months: Set<string>;
  lastHits: ReturnType<typeof createLastHitThrottle>;
  saturated: ReturnType<typeof createSaturatedRedirects>;
}

/**
 * Writes the batch with this number, unless an earlier call with it was committed; numbers ascend. Throws if the
 * database fails: nothing is written or the outcome is unknown, so retry with the same number.
 */
export async function writeBatch(
  db: Db,
  { writer, months, lastHits, saturated }: WriterState,
  { batch, number, now }: { batch: WriteBatch; number: number; now: Date },
): Promise<void> {
  const month = batch.day.slice(0, 7);
  if (!months.has(month)) {
    await createMonthlyPartitions(db, batch.day);
    months.add(month);
  }
  const due = lastHits.due(batch.redirects);
  await db.transaction(async (tx) => {
    const { rowCount } = await tx.execute(sql`
      insert into hit_writers as w (writer, batch, written_at) values (${writer}, ${number}, ${now.toISOString()})
      on conflict (writer) do update set batch = excluded.batch, written_at = excluded.written_at
      where w.batch < excluded.batch`);
    if (rowCount === 0) return;
    const sites = new Set([...batch.sites, ...[...batch.redirects, ...batch.paths].map(({ site }) => site)]);
    await lockHitCounters(
      tx,
      Array.from(sites, ({ websiteId }) => websiteId),
    );
    await preferIndexScans(tx);
    const isOver = isDayOver(batch.day, now);
    await mergeWebsiteDays(tx, batch, isOver);
    await writeRedirects(tx, batch, { saturated, isOver });
    await writeLastHits(tx, due);
    await writePaths(tx, batch);
  });
  lastHits.markWritten(due);
}

/** Single rows are read by key, also in a new month, of which the planner has no statistics. */
async function preferIndexScans(tx: Tx): Promise<void> {
  await tx.execute(sql`
    select set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
      set_config('enable_seqscan', 'off', true)`);
}

/**
 * Takes an advisory lock on each website until the transaction ends: reading, merging and writing back a sketch must
 * not run twice at a time. Ids are sorted to prevent deadlocks.
 */
export async function lockHitCounters(tx: Tx, websiteIds: number[]): Promise<void> {
  const sorted = [...new Set(websiteIds)].sort((a, b) => a - b);
  await tx.execute(sql`
    select pg_advisory_xact_lock(${LOCKS.hitCounters}::int, id) from unnest(${sql.param(sorted)}::int[]) as id`);
}
