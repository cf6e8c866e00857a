/** The lines that arrived of each stream of logs, by day. */
import type { Db, Queryable } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { deleteInBatches, queryRows, timeOf } from '../../db/rows.ts';
import { utcDay } from '../../platform/clock.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { requireWebsiteRow } from '../../websites/website.ts';
import type { LogCounts } from './log-counters.ts';

/** Lines of a stream that arrived on a day. `lines` is the sum of the other numbers. */
export interface LogDay {
  stream: string;
  /** `YYYY-MM-DD` in UTC */
  day: string;
  lines: number;
  counted: number;
  notOurs: number;
  invalid: number;
  unused: number;
  /** of the latest counted line; null without any */
  lastLineAt: Date | null;
  receivedAt: Date;
}

/** As long as the hashes of bodies (log-bodies.ts). */
const RETENTION_DAYS = 90;
const MAX_LISTED = 100;
/** Rows that a website keeps: a client may name any number of streams. */
const MAX_STORED = 1_000;

/** Adds the lines of a body, except those that were counted before. */
export async function addLogDay(
  tx: Queryable,
  { websiteId, stream }: { websiteId: number; stream: string },
  { lines, skipped, counted, not_ours: notOurs, invalid, unused, until }: LogCounts,
  now: Date,
): Promise<void> {
  const receivedAt = now.toISOString();
  const lastLineAt = until === 0 ? null : new Date(until).toISOString();
  await tx.execute(sql`
    insert into log_days as d
      (website_id, stream, day, lines, counted, not_ours, invalid, unused, last_line_at, received_at)
    values (${websiteId}, ${stream}, ${receivedAt.slice(0, 10)}, ${lines - skipped}, ${counted}, ${notOurs},
      ${invalid}, ${unused}, ${lastLineAt}, ${receivedAt})
    on conflict (website_id, stream, day) do update set
      lines = d.lines + excluded.lines, counted = d.counted + excluded.counted, not_ours = d.not_ours + excluded.not_ours,
      invalid = d.invalid + excluded.invalid, unused = d.unused + excluded.unused,
      last_line_at = greatest(d.last_line_at, excluded.last_line_at), received_at = excluded.received_at`);
  await tx.execute(sql`
    delete from log_days where ctid = any(array(select ctid from log_days
      where website_id = ${websiteId} order by received_at desc offset ${MAX_STORED}))`);
}

/** Returns the last days of the streams of a website, the latest first. Throws WEBSITE_NOT_FOUND. */
export async function listLogDays(db: Queryable, actor: Actor, websiteId: number): Promise<LogDay[]> {
  await requireWebsiteRow(db, actor, websiteId);
  const rows = await queryRows<LogRow>(db)`
    select stream, day::text as day, lines, counted, not_ours, invalid, unused, last_line_at, received_at
    from log_days where website_id = ${websiteId} order by received_at desc, stream limit ${MAX_LISTED}`;
  return rows.map(({ lastLineAt, receivedAt, ...row }) => ({
    ...row,
    lastLineAt: timeOf(lastLineAt),
    receivedAt: new Date(receivedAt),
  }));
}

/** A row as the driver gives it: times are texts. */
interface LogRow extends Omit<LogDay, 'lastLineAt' | 'receivedAt'> {
  lastLineAt: string | null;
  receivedAt: string;
}

/** Deletes the days that are too old. */
export async function purgeLogDays(db: Db, now: Date): Promise<void> {
  await deleteInBatches(db, 'log_days', sql`t.day < ${utcDay(now, -RETENTION_DAYS)}::date`);
}
