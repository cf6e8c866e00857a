import { sql } from 'drizzle-orm';
import type { Queryable } from './client.ts';

/**
 * Returns a template tag that executes a statement and returns its rows with camelCase names: queryRows<Row>(db)`select
 * ...`. Values keep the type that the driver gives them: timestamps are strings, `bigint` and `numeric` may be strings.
 */
export const queryRows =
  <Row>(db: Pick<Queryable, 'execute'>) =>
  async (strings: TemplateStringsArray, ...values: unknown[]): Promise<Row[]> => {
    const { rows } = await db.execute<Record<string, unknown>>(sql(strings, ...values));
    const [first] = rows;
    if (!first) return [];
    const names = Object.keys(first).map((name) => [name, camelCase(name)] as const);
    return rows.map((row) => Object.fromEntries(names.map(([name, to]) => [to, row[name]]))) as Row[];
  };

const camelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/**
 * Repeats a statement that changes at most `batchSize` rows until it changes fewer. Short statements keep locks and WAL
 * small.
 */
export async function repeatInBatches(
  batchSize: number,
  execute: (limit: number) => Promise<{ rowCount: number | null }>,
): Promise<void> {
  while ((await execute(batchSize)).rowCount === batchSize);
}
