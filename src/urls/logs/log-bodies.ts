/** The part of a log that was counted before: hashes of earlier bodies of a stream, or the position in a file. */
import { createHash } from 'node:crypto';
import type { Db, Queryable } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';

export interface LogStream {
  websiteId: number;
  stream: string;
  /** identity of a file that is followed, and where in it the body begins; undefined: bodies are compared */
  file?: { id: string; offset: number } | undefined;
}

/** A shorter body is only known as a whole: many logs begin with the same few lines. */
const MIN_PREFIX_BYTES = 64 * 1024;
/** Bodies of a stream that are remembered, and files. */
const MAX_BODIES = 1_000;
const RETENTION_DAYS = 90;
const LF = 10;

/** Reads what was counted of the stream, for one body of it. */
export async function readCountedBodies(db: Db, { websiteId, stream, file }: LogStream) {
  const rows = await queryRows<{ length: number; hash: string; header: string }>(db)`
    select length, encode(hash, 'hex') as hash, header from log_bodies
    where website_id = ${websiteId} and stream = ${stream} and file = ${file?.id ?? ''} order by length`;
  const hash = createHash('sha256');
  const digest = (): string => hash.copy().digest('hex');
  const stored = rows[0]?.length ?? 0;
  const known = file ? rows.map((row) => ({ ...row, length: row.length - file.offset })) : rows;
  let next = 0;
  let length = 0;

  const isKnown = (body: { hash: string } | undefined): boolean =>
    body !== undefined && (file !== undefined || body.hash === digest());

  return {
    /** names of fields that the last body of the file ended with */
    header: file && file.offset > 0 ? (rows[0]?.header ?? '') : '',
    /** How many of the next `bytes`, whole lines, to add before `add` may find an earlier body. */
    take(bytes: Buffer): number {
      for (let body = known[next]; body; body = known[++next]) {
        const end = body.length - length;
        // Every earlier body ends with a line.
        if (end >= bytes.length) break;
        if (end > 0 && bytes[end - 1] === LF) return end;
      }
      return bytes.length;
    },
    /** Adds lines. Returns true if everything up to their end was counted before. */
    add(bytes: Buffer): boolean {
      if (!file) hash.update(bytes);
      length += bytes.length;
      let found = false;
      for (; known[next]?.length === length; next++)
        found ||= (file !== undefined || length >= MIN_PREFIX_BYTES) && isKnown(known[next]);
      return found;
    },
    /** True if the whole body was counted before. */
    isWholeKnown: () => known.some((body) => (file ? body.length >= length : body.length === length && isKnown(body))),
    /** The position in the file at which the next body begins. */
    end: () => Math.max(stored, (file?.offset ?? 0) + length),
    /** Stores that the lines are counted. Returns false if another call did so since they were compared. */
    async store(tx: Queryable, header: string): Promise<boolean> {
      const end = file ? file.offset + length : length;
      const { rowCount } = await tx.execute(sql`
        insert into log_bodies as b (website_id, stream, file, hash, length, header, counted_at)
        values (${websiteId}, ${stream}, ${file?.id ?? ''}, decode(${file ? '' : digest()}, 'hex'), ${end}, ${header}, now())
        on conflict (website_id, stream, file, hash) do update
          set length = excluded.length, header = excluded.header, counted_at = excluded.counted_at
          where excluded.file <> '' and b.length = ${stored}`);
      await tx.execute(sql`
        delete from log_bodies where ctid = any(array(select ctid from log_bodies
          where website_id = ${websiteId} and stream = ${stream} order by counted_at desc offset ${MAX_BODIES}))`);
      return rowCount === 1;
    },
  };
}

/** Deletes the hashes that are too old. A body that is sent again later counts again. */
export async function purgeLogBodies(db: Db): Promise<void> {
  await db.execute(sql`
    delete from log_bodies where counted_at < now() - make_interval(days => ${RETENTION_DAYS})`);
}
