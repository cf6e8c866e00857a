/**
 * drizzle-orm, as its CommonJS build. Node.js 24 parses the 180 kB package.json of the package once for each of its ES
 * modules, which takes a process and each of its threads 0.5 s of CPU time (docs/adr/0010).
 */
import { createRequire } from 'node:module';
import type * as Orm from 'drizzle-orm';
import type * as Migrator from 'drizzle-orm/migrator';
import type * as NodePostgres from 'drizzle-orm/node-postgres';
import type * as NodePostgresMigrator from 'drizzle-orm/node-postgres/migrator';
import type * as PgCore from 'drizzle-orm/pg-core';

export type { InferSelectModel, Query, SQL, SQLWrapper } from 'drizzle-orm';
export type { NodePgDatabase } from 'drizzle-orm/node-postgres';
export type { IndexBuilderOn } from 'drizzle-orm/pg-core';

// drizzle-kit loads this file as CommonJS, without import.meta.
const load = createRequire(import.meta.filename ?? __filename);

export const {
  and,
  asc,
  count,
  desc,
  DrizzleQueryError,
  eq,
  getTableColumns,
  gt,
  gte,
  inArray,
  isNotNull,
  isNull,
  like,
  lt,
  lte,
  ne,
  or,
  Param,
  sql,
} = load('drizzle-orm') as typeof Orm;

export const {
  bigint,
  boolean,
  customType,
  date,
  index,
  integer,
  jsonb,
  PgDialect,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
  unique,
  uniqueIndex,
  uuid,
} = load('drizzle-orm/pg-core') as typeof PgCore;

export const { drizzle } = load('drizzle-orm/node-postgres') as typeof NodePostgres;

export const { readMigrationFiles } = load('drizzle-orm/migrator') as typeof Migrator;

export const { migrate: runMigrations } = load('drizzle-orm/node-postgres/migrator') as typeof NodePostgresMigrator;

/** Returns the pattern of LIKE and ILIKE that matches every text which contains this one, wildcards taken literally. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}
