import pg from 'pg';
import { PgDialect, type SQL } from '../drizzle.ts';

const dialect = new PgDialect({ casing: 'snake_case' });

/** Renders SQL as text without parameters, which COPY does not accept. The driver escapes the values. */
export function inlineSql(query: SQL): string {
  const { sql: text, params } = dialect.sqlToQuery(query);
  return text.replace(/\$(\d+)/g, (_, number: string) => literal(params[Number(number) - 1]));
}

function literal(value: unknown): string {
  if (typeof value === 'string') return pg.escapeLiteral(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `array[${value.map(literal).join(', ')}]`;
  throw new Error(`a value of type ${typeof value} has no literal`);
}
