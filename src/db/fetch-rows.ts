import type { Queryable } from './connection/client.ts';
import { type SQL, sql } from './drizzle.ts';
import { queryRows } from './rows.ts';

/** Cursors of this process, so that no transaction has two of one name. */
let cursors = 0;

/**
 * Yields the rows of a query in batches of at most `size`, by a cursor, so that the query is executed once. Needs a
 * transaction. Between the batches the caller can use the connection, which a COPY would hold.
 */
export async function* fetchRows<Row>(tx: Queryable, query: SQL, size: number): AsyncGenerator<Row[]> {
  const cursor = sql.identifier(`rows_${++cursors}`);
  await tx.execute(sql`declare ${cursor} no scroll cursor for ${query}`);
  for (let isEnd = false; !isEnd;) {
    const rows = await queryRows<Row>(tx)`fetch ${sql.raw(String(size))} from ${cursor}`;
    if (rows.length > 0) yield rows;
    isEnd = rows.length < size;
  }
  await tx.execute(sql`close ${cursor}`);
}
