/**
 * Replaces the hashes of visitors by HyperLogLog registers when their day is over: 20 bits of a hash with at most one
 * entry per register cannot be traced to a visitor, and days still merge into periods.
 */
import type { Db, Tx } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { readOrCreateSetting, writeSetting } from '../../db/settings.ts';
import { DAY_MS, utcDay } from '../../platform/clock.ts';
import { createTimeSlice } from '../../platform/scheduling/time-slice.ts';
import { FORMER_KEY_SETTING } from '../count/visitor.ts';
import { HASHES, hashesToRegisters } from '../counters/visitor-sketch.ts';
import { hitPartitions, lastDayOf } from './monthly-partitions.ts';
import { byteaArray } from './pg-arrays.ts';

/** Writers stop to add hashes an hour after the day (write-batch.ts); another hour allows for clocks that differ. */
const DELAY_MS = 2 * 3_600_000;
/** Pages of 8 KiB per transaction: at most about 10,000 rows. */
const PAGES = 128;
const PAGE_BYTES = 8_192;
/** Also reads partitions of days that are done: a late write may have moved a row to a page that was read before. */
const OVERLAP_DAYS = 2;

/** Progress of all processes, in `settings`. */
const SETTING = 'visitor_reduction';

interface Progress {
  /** the days before this one are done; '' before the first pass */
  doneBefore: string;
  /** the current pass: it reduces the days before `before`, and continues at this page of this partition */
  pass: { before: string; partition: string; page: number } | null;
}

/**
 * Reduces at most one batch of stored days that are over, in a transaction. Returns true if there may be more; call it
 * again then. Safe in several processes: one works, the others return false. The pass of the second day also removes
 * the key that earlier versions stored in the database, because no hash under it remains.
 */
export async function reduceVisitors(db: Db, now: Date): Promise<boolean> {
  const before = utcDay(new Date(now.getTime() - DELAY_MS));
  await readOrCreateSetting(db, SETTING, () => JSON.stringify({ doneBefore: '', pass: null } satisfies Progress));
  return db.transaction(async (tx) => {
    const { rows } = await tx.execute<{ value: string }>(
      sql`select value from settings where name = ${SETTING} for update skip locked`,
    );
    if (!rows[0]) return false;
    const { doneBefore, pass: current } = JSON.parse(rows[0].value) as Progress;
    if (!current && doneBefore >= before) return false;
    const pass = current ?? { before, partition: '', page: 0 };
    const partition = await nextPartition(tx, doneBefore, pass);
    const next: Progress = partition
      ? { doneBefore, pass: { ...pass, partition, page: await reducePages(tx, partition, pass) } }
      : { doneBefore: pass.before, pass: null };
    if (!partition && doneBefore !== '') await tx.execute(sql`delete from settings where name = ${FORMER_KEY_SETTING}`);
    await writeSetting(tx, SETTING, JSON.stringify(next));
    return partition !== undefined;
  });
}

/** Returns the current partition of the pass, or the one after it if it is read. */
async function nextPartition(
  tx: Tx,
  doneBefore: string,
  { before, partition, page }: NonNullable<Progress['pass']>,
): Promise<string | undefined> {
  const from = doneBefore === '' ? '' : utcDay(new Date(Date.parse(doneBefore)), -OVERLAP_DAYS);
  const names = (await hitPartitions(tx)).filter((name) => lastDayOf(name) >= from && firstDayOf(name) < before);
  return names.find((name) => (page === END ? name > partition : name >= partition));
}

const firstDayOf = (name: string): string => `${lastDayOf(name).slice(0, 7)}-01`;

/** `page` of a partition that is read. */
const END = -1;

/** Reduces the rows of the next pages. Returns the page to continue at, or END. */
async function reducePages(
  tx: Tx,
  partition: string,
  pass: { before: string; partition: string; page: number },
): Promise<number> {
  const start = partition === pass.partition ? pass.page : 0;
  const table = sql.identifier(partition);
  const inPages = sql`h.ctid >= ${`(${start},0)`}::tid and h.ctid < ${`(${start + PAGES},0)`}::tid`;
  const { rows } = await tx.execute<{ at: string; visitors: Buffer }>(sql`
    select h.ctid::text as at, h.visitors from ${table} h
    where ${inPages} and h.day < ${pass.before}::date and h.visitors <> '' and get_byte(h.visitors, 0) = ${HASHES}
    for update`);
  if (rows.length > 0) {
    const reduced = await reduceAll(rows.map(({ visitors }) => visitors));
    const places = `{${rows.map(({ at }) => `"${at}"`).join(',')}}`;
    await tx.execute(sql`
      update ${table} h set visitors = b.visitors
      from unnest(${sql.param(places)}::tid[], ${byteaArray(reduced)}::bytea[]) as b (at, visitors)
      where h.ctid = b.at and ${inPages}`);
  }
  const { rows: sizes } = await tx.execute<{ bytes: number }>(
    sql`select pg_relation_size(${partition}::regclass)::float8 as bytes`,
  );
  const end = Math.ceil((sizes[0]?.bytes ?? 0) / PAGE_BYTES);
  return start + PAGES < end ? start + PAGES : END;
}

async function reduceAll(lists: Buffer[]): Promise<Buffer[]> {
  const slice = createTimeSlice();
  const reduced: Buffer[] = [];
  for (const list of lists) {
    if (slice.isOver()) await slice.yield();
    reduced.push(hashesToRegisters(list));
  }
  return reduced;
}

const LATE_MS = 3_600_000;

/** True if a day (`YYYY-MM-DD`) ended more than an hour ago, so that its visitors are stored as registers only. */
export function isDayOver(day: string, now: Date): boolean {
  return now.getTime() >= Date.parse(day) + DAY_MS + LATE_MS;
}
