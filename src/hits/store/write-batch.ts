/** Writes batches of counters exactly once: those of this process, and those that agents report. */
import { LOCKS } from '../../db/advisory-lock.ts';
import type { Db, Tx } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import type { WriteBatch } from '../counters/write-batches.ts';
import { writeWebsiteHours } from './website-hours.ts';
import { createLastHitThrottle, writeLastHits } from './last-hits.ts';
import { mergeWebsiteDays } from './merge-days.ts';
import { createMonthlyPartitions } from './monthly-partitions.ts';
import { isDayOver } from './reduce-visitors.ts';
import { writeHours } from './write-hours.ts';
import { writeNamedHits } from './named-hits.ts';
import { writePaths } from './write-paths.ts';
import { createSaturatedRedirects, writeRedirects } from './write-redirects.ts';

/** Creates the memory of a writer between its batches. */
export function createWriterState() {
  return {
    /** months whose partitions exist */
    months: new Set<string>(),
    lastHits: createLastHitThrottle(),
    saturated: createSaturatedRedirects(),
  };
}
type WriterState = ReturnType<typeof createWriterState>;

/**
 * Writes the batch with this number, unless an earlier call with it was committed; numbers ascend. `writer` is unique
 * among all processes. Throws if the database fails: nothing is written or the outcome is unknown, so retry with the
 * same number.
 */
export async function writeBatch(
  db: Db,
  state: WriterState & { writer: string },
  { batch, number, now }: { batch: WriteBatch; number: number; now: Date },
): Promise<void> {
  const websiteIds = [...batch.sites, ...[...batch.redirects, ...batch.paths].map(({ site }) => site)].map(
    ({ websiteId }) => websiteId,
  );
  await writeOnce(db, state, { batches: [batch], days: [batch.day], websiteIds, now }, async (tx) => {
    const { rowCount } = await tx.execute(sql`
      insert into hit_writers as w (writer, batch, written_at) values (${state.writer}, ${number}, ${now.toISOString()})
      on conflict (writer) do update set batch = excluded.batch, written_at = excluded.written_at
      where w.batch < excluded.batch`);
    return rowCount !== 0;
  });
}

interface CountsToWrite {
  batches: Iterable<WriteBatch>;
  days: string[];
  websiteIds: number[];
  now: Date;
  isPast?: boolean;
}

/**
 * Writes all batches in one transaction if `claim` returns true in it, and returns whether. `claim` stores that they are
 * written. `days` and `websiteIds` are those of the batches, the latest day first. `isPast`: the hits are no part of a
 * burst.
 */
export async function writeOnce(
  db: Db,
  { months, lastHits, saturated }: WriterState,
  { batches, days, websiteIds, now, isPast = false }: CountsToWrite,
  claim: (tx: Tx) => Promise<boolean>,
): Promise<boolean> {
  for (const day of days) {
    const month = day.slice(0, 7);
    if (months.has(month)) continue;
    await createMonthlyPartitions(db, day);
    months.add(month);
  }
  const written = db.transaction(async (tx) => {
    if (!(await claim(tx))) return false;
    await lockHitCounters(tx, websiteIds);
    await preferIndexScans(tx);
    for (const batch of batches) {
      const isOver = isDayOver(batch.day, now);
      await mergeWebsiteDays(tx, batch, isOver);
      await writeNamedHits(tx, batch);
      await writeRedirects(tx, batch, { saturated, isOver });
      await writePaths(tx, batch);
      if (!isPast) {
        await writeHours(tx, batch, now);
        await writeWebsiteHours(tx, batch, now);
      }
      // The latest day comes first, so the earlier days of a redirect are not due any more.
      const due = lastHits.due(batch.redirects);
      await writeLastHits(tx, due);
      lastHits.markWritten(due);
    }
    return true;
  });
  // After a rollback, the marked last hits are written again.
  written.catch(lastHits.forget);
  return written;
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
