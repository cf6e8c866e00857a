import type { Queryable } from './connection/client.ts';
import { Param, PgDialect, type SQL, sql } from './drizzle.ts';
import { executePrepared } from './prepared.ts';

/**
 * Returns a template tag that executes a statement and returns its rows with camelCase names: queryRows<Row>(db)`select
 * ...`. Values keep the type that the driver gives them: timestamps are strings, `bigint` and `numeric` may be strings.
 * A statement whose interpolations are all values is prepared (prepared.ts); pass lists as one array, with `sql.param`.
 * `isConstant` prepares one with SQL fragments, which must always be the same.
 */
export const queryRows =
  <Row>(db: Queryable, { isConstant = false } = {}) =>
  async (strings: TemplateStringsArray, ...values: unknown[]): Promise<Row[]> => {
    const rows = await execute(db, isConstant, strings, values);
    const [first] = rows;
    if (!first) return [];
    const names = Object.keys(first).map((name) => [name, camelCase(name)] as const);
    return rows.map((row) => Object.fromEntries(names.map(([name, to]) => [to, row[name]]))) as Row[];
  };

type RawRow = Record<string, unknown>;

const dialect = new PgDialect({ casing: 'snake_case' });

async function execute(
  db: Queryable,
  isConstant: boolean,
  strings: TemplateStringsArray,
  values: unknown[],
): Promise<RawRow[]> {
  if (values.every(isValue)) {
    const params = values.map((value) => (value instanceof Param ? (value.value as unknown) : value));
    return (await executePrepared<RawRow>(db, { sql: textOf(strings), params })).rows;
  }
  const query = sql(strings, ...values);
  const executing = isConstant ? executePrepared<RawRow>(db, dialect.sqlToQuery(query)) : db.execute<RawRow>(query);
  return (await executing).rows;
}

const texts = new WeakMap<TemplateStringsArray, string>();

/** The text of a statement without fragments. A template's strings are one object per place in the code. */
function textOf(strings: TemplateStringsArray): string {
  let text = texts.get(strings);
  if (text === undefined) {
    text = strings.reduce((before, part, index) => `${before}$${index}${part}`);
    texts.set(strings, text);
  }
  return text;
}

/** True if drizzle would send it as one parameter. */
function isValue(value: unknown): boolean {
  return value === null || value instanceof Date || value instanceof Param || SCALARS.has(typeof value);
}

const SCALARS = new Set(['string', 'number', 'boolean', 'bigint']);

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

/** Deletes the rows `t` of a table that meet the condition, in short statements. */
export async function deleteInBatches(db: Queryable, table: string, condition: SQL): Promise<void> {
  const name = sql.identifier(table);
  await repeatInBatches(DELETE_BATCH, (limit) =>
    db.execute(sql`
      delete from ${name} where ctid = any(array(select t.ctid from ${name} t where ${condition} limit ${limit}))`),
  );
}
const DELETE_BATCH = 5_000;

/** Returns which of these tables exist. Reads the catalog only, so it takes no lock on them. */
export async function existingTables(db: Queryable, names: string[]): Promise<Set<string>> {
  const rows = await queryRows<{ name: string }>(db)`
    select relname as name from pg_class
    where relname = any(${sql.param(names)}::text[]) and relnamespace = current_schema()::regnamespace`;
  return new Set(rows.map(({ name }) => name));
}

export function timeOf(value: string | Date | null): Date | null {
  return value === null ? null : new Date(value);
}

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
