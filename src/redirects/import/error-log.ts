import { sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import type { ImportError } from './entry.ts';

/** Errors that an answer lists; the count is exact, and all of them can be fetched. */
export const SHOWN_ERRORS = 1_000;

const BATCH = 1_000;

/** Counts the bad rows of one import, keeps the first for the answer and stores all of them. */
export interface ErrorLog {
  count: number;
  add(error: ImportError): void;
  /** Stores what has gathered once it is worth a statement; call it between batches. */
  flush(): Promise<void>;
  finish(): Promise<void>;
  /** the first thousand by line */
  first(): ImportError[];
}

export function createErrorLog(db: Db, importId: string): ErrorLog {
  let shown: ImportError[] = [];
  let waiting: ImportError[] = [];
  let stored = 0;

  async function store(): Promise<void> {
    const rows = waiting.map((error, at) => ({
      n: stored + at,
      line: error.line,
      column: storable(error.column),
      code: error.code,
      message: storable(error.message),
      oldPath: error.oldPath && storable(error.oldPath),
    }));
    stored += waiting.length;
    waiting = [];
    await db.execute(sql`
      insert into import_errors (import_id, n, line, field, code, message, old_path)
      select ${importId}, n, line, "column", code, message, "oldPath"
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as e(n int, line int, "column" text, code text, message text, "oldPath" text)`);
  }

  const log: ErrorLog = {
    count: 0,
    add(error) {
      log.count++;
      const told = shortened(error);
      waiting.push(told);
      shown.push(told);
      // Errors of the merge come after those of the rows but may be of earlier lines.
      if (shown.length >= SHOWN_ERRORS * 4) shown = firstByLine(shown);
    },
    async flush() {
      if (waiting.length >= BATCH) await store();
    },
    async finish() {
      if (waiting.length > 0) await store();
    },
    first: () => firstByLine(shown),
  };
  return log;
}

/** No path or field is longer than this, so what is can be told by its beginning; a thousand whole ones would be 64 MB. */
const LONGEST = 2_048;

function shortened(error: ImportError): ImportError {
  const cut = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
  return {
    ...error,
    column: cut(error.column),
    message: cut(error.message),
    oldPath: error.oldPath && cut(error.oldPath),
  };
}

/** What is told of a bad row may hold what PostgreSQL cannot: NUL and lone surrogates. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

function firstByLine(errors: ImportError[]): ImportError[] {
  return errors.toSorted((a, b) => a.line - b.line).slice(0, SHOWN_ERRORS);
}
