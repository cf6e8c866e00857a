import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { Client, type QueryResult } from 'pg';
import { inject } from 'vitest';
import { type Db, openDatabase } from '../../src/db/connection/client.ts';

export interface FreshDatabase {
  db: Db;
  url: string;
  close(): Promise<void>;
}

/**
 * A migrated, empty database for one test file, or one without any table. close() ends the pool and drops the database.
 */
export async function freshDatabase({ isMigrated = true } = {}): Promise<FreshDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await asAdmin(`create database ${name} template ${isMigrated ? 'template' : 'template0'} strategy file_copy`);
  const url = inject('pgUrl').replace(/postgres$/, name);
  const db = openDatabase(url);
  return {
    db,
    url,
    close: async () => {
      await db.$client.end();
      await asAdmin(`drop database ${name} with (force)`);
    },
  };
}

/** Ends every other connection to the database, as a restart of the server does. */
export const cutConnections = (db: Db): Promise<unknown> =>
  db.execute(sql`
    select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`);

/** Runs a statement in the database `postgres` of the test server. */
export async function asAdmin(statement: string): Promise<QueryResult> {
  const client = new Client(inject('pgUrl'));
  await client.connect();
  try {
    return await client.query(statement);
  } finally {
    await client.end();
  }
}
