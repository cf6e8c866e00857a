import type { Db, Queryable } from '../../../db/connection/client.ts';
import { sql } from '../../../db/drizzle.ts';
import type { RowError } from '../../../rules/entry.ts';
import { createErrorCounts } from './error-counts.ts';

/** Errors in a response. All of them are stored and can be downloaded. */
const MAX_SHOWN_ERRORS = 1_000;

const BATCH_SIZE = 1_000;

/** The row of `import_errors` that has the error of a line. */
export interface ErrorPlace {
  line: number;
  n: number;
}

const MAX_PLACES = 100_000;

export type ErrorLog = ReturnType<typeof createErrorLog>;

/** Counts the errors of one import, keeps the first for the response and stores all of them. */
export function createErrorLog(db: Db, importId: string) {
  let shown: RowError[] = [];
  let pending: RowError[] = [];
  let stored = 0;
  const places: ErrorPlace[] = [];
  const counts = createErrorCounts();

  async function store(to: Queryable = db): Promise<void> {
    const rows = pending.map((error, at) => ({ ...mapTexts(error, storable), n: stored + at }));
    stored += pending.length;
    pending = [];
    await to.execute(sql`
      insert into import_errors (import_id, n, line, field, code, message, old_path)
      select ${importId}, n, line, "column", code, message, "oldPath"
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as e(n int, line int, "column" text, code text, message text, "oldPath" text)`);
  }

  const log = {
    count: 0,
    counts: counts.result,
    add(error: RowError): void {
      counts.add(error);
      if (places.length < MAX_PLACES) places.push({ line: error.line, n: log.count });
      log.count++;
      const shortened = mapTexts(error, shorten);
      pending.push(shortened);
      shown.push(shortened);
      // Errors of the merge come last but may be of earlier lines.
      if (shown.length >= MAX_SHOWN_ERRORS * 4) shown = firstByLine(shown);
    },
    /** Stores pending errors once there are enough for a batch. Call it between batches of entries. */
    async flush(): Promise<void> {
      if (pending.length >= BATCH_SIZE) await store();
    },
    /** Stores the rest, in `tx` if the caller's transaction reads the errors. */
    async finish(tx?: Queryable): Promise<void> {
      if (pending.length > 0) await store(tx);
    },
    /** The first 1,000 by line. */
    first: (): RowError[] => firstByLine(shown),
    /** The places of the first 100,000, by line. */
    places: (): ErrorPlace[] => places.toSorted((a, b) => a.line - b.line),
  };
  return log;
}

/** Longer values are invalid, and their beginning identifies them. A thousand whole ones would be 64 MB. */
const MAX_TEXT_LENGTH = 2_048;

function shorten(text: string): string {
  return text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text;
}

function mapTexts(error: RowError, change: (text: string) => string): RowError {
  const { column, message, oldPath } = error;
  return { ...error, column: change(column), message: change(message), oldPath: oldPath && change(oldPath) };
}

/** Replaces what PostgreSQL cannot store: NUL and lone surrogates. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

function firstByLine(errors: RowError[]): RowError[] {
  return errors.toSorted((a, b) => a.line - b.line).slice(0, MAX_SHOWN_ERRORS);
}
