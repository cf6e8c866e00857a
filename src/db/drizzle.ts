/**
 * What the code uses of drizzle, all of it from here and required, not imported: Node.js parses the 180 KB of the package's `exports`
 * anew for each import of its files, those among its own files included, which is half the time that a start takes. The tables of
 * schema.ts are written with its column builders too.
 */
import { createRequire } from 'node:module';
import type * as Drizzle from 'drizzle-orm';
import type * as Migrator from 'drizzle-orm/migrator';
import type * as NodePostgres from 'drizzle-orm/node-postgres';
import type * as NodePostgresMigrator from 'drizzle-orm/node-postgres/migrator';
import type * as PgCore from 'drizzle-orm/pg-core';

export type { InferSelectModel, SQL, SQLWrapper } from 'drizzle-orm';
export type { NodePgDatabase } from 'drizzle-orm/node-postgres';

const require = createRequire(import.meta.url);
const queries: typeof Drizzle = require('drizzle-orm');
const client: typeof NodePostgres = require('drizzle-orm/node-postgres');
const columns: typeof PgCore = require('drizzle-orm/pg-core');
const files: typeof Migrator = require('drizzle-orm/migrator');
const migrator: typeof NodePostgresMigrator = require('drizzle-orm/node-postgres/migrator');

export const { drizzle } = client;
export const {
  and,
  asc,
  count,
  desc,
  DrizzleQueryError,
  eq,
  gt,
  gte,
  inArray,
  isNull,
  lt,
  lte,
  ne,
  or,
  sql,
} = queries;
export const { bigint, boolean, customType, date, index, integer, jsonb, pgTable, primaryKey } = columns;
export const { smallint, text, timestamp, unique } = columns;
export const { readMigrationFiles } = files;
export const { migrate: runMigrations } = migrator;
