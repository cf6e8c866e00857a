import { type SQL, type SQLWrapper, sql } from './drizzle.ts';

/** `until` is exclusive; undefined: open. */
export interface TimeRange {
  since?: Date | undefined;
  until?: Date | undefined;
}

/** SQL condition: the time of a column is in the range. */
export const isInRange = (column: SQLWrapper, { since, until }: TimeRange): SQL =>
  sql.join(
    [
      sql`true`,
      ...(since ? [sql`${column} >= ${since.toISOString()}::timestamptz`] : []),
      ...(until ? [sql`${column} < ${until.toISOString()}::timestamptz`] : []),
    ],
    sql` and `,
  );
