/**
 * Prepared statements: PostgreSQL parses and plans them once per connection, which costs more than most reads. The name
 * of a statement is a hash of its text, so equal names mean equal texts in every process and behind a pooler.
 */
import { createHash } from 'node:crypto';
import type { Queryable } from './connection/client.ts';
import type { Query } from './drizzle.ts';

/** Each connection stores the plans of at most this many statements, about 30 KB each. Others are not prepared. */
const MAX_STATEMENTS = 200;
const names = new Map<string, string>();

/** A result type that a new column would change makes a prepared statement fail. */
const SELECTS_ALL = /\b(?:select|returning)\s+(?:\w+\.)?\*(?![\s\S]*\b(?:select|returning)\b)/i;

/** The name of a statement; undefined if it should not be prepared. */
function statementName(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= MAX_STATEMENTS || SELECTS_ALL.test(text)) return known;
  const name = `detour_${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`;
  names.set(text, name);
  return name;
}

/** Executes a constant text, with the placeholders $1, $2 and so on, as a prepared statement. */
export function executePrepared<Row>(db: Queryable, query: Query): Promise<{ rows: Row[] }> {
  const statement = db._.session.prepareQuery(query, undefined, statementName(query.sql), false);
  // Without fields, the driver's result is returned as it is.
  return statement.execute() as Promise<{ rows: Row[] }>;
}

/** Executes a statement of the query builder as a prepared one. Its columns and conditions must be constant. */
export function prepared<Result>(query: Buildable<Result>): Promise<Result> {
  const name = statementName(query.toSQL().sql);
  return name === undefined ? query.execute() : query.prepare(name).execute();
}

interface Buildable<Result> {
  toSQL(): { sql: string };
  execute(): Promise<Result>;
  prepare(name: string): { execute(): Promise<Result> };
}
