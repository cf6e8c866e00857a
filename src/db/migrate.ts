import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { LOCKS, withAdvisoryLock } from './advisory-lock.ts';
import type { Db } from './connection/client.ts';
import { LOCK_TIMEOUT_MS } from './connection/session.ts';
import { drizzle, readMigrationFiles, runMigrations } from './drizzle.ts';
import { queryRows } from './rows.ts';

const MIGRATIONS = fileURLToPath(new URL('../../migrations', import.meta.url));

/**
 * Applies pending migrations. Safe to call from several processes at once: an advisory lock serialises them. Throws the
 * error of PostgreSQL if a migration fails; that migration is rolled back.
 */
export async function migrate(db: Db, folder = MIGRATIONS): Promise<void> {
  await withAdvisoryLock(db, LOCKS.migrations, async (client) => {
    await client.query('set lock_timeout = 0');
    await runMigrations(drizzle({ client }), { migrationsFolder: folder });
    await client.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}`);
  });
}

/** A database that responds later counts as unavailable. */
const PROBE_TIMEOUT_MS = 2_000;

/** The problem of a standby: its schema is current, and it can be read. */
export const READ_ONLY = 'a database that accepts writes';

/** Creates a probe: the reason why the database cannot be used, or undefined. Resolves within 2 s and never throws. */
export function createDatabaseProbe(db: Db): () => Promise<string | undefined> {
  const newest = readMigrationFiles({ migrationsFolder: MIGRATIONS }).at(-1)?.folderMillis ?? 0;
  return async () => {
    const late = pause(PROBE_TIMEOUT_MS, undefined, { ref: false });
    const state = await Promise.race([readState(db), late]).catch(() => undefined);
    if (!state) return 'the database does not answer';
    if (state.applied < newest) return 'the schema is not migrated';
    return state.isReadOnly ? READ_ONLY : undefined;
  };
}

/** `applied`: the creation time of the newest applied migration in milliseconds; 0 before the first. */
async function readState(db: Db): Promise<{ applied: number; isReadOnly: boolean }> {
  const [state] = await queryRows<{ exists: boolean; isReadOnly: boolean }>(db)`
    select to_regclass('drizzle.__drizzle_migrations') is not null as exists,
      current_setting('transaction_read_only') = 'on' as is_read_only`;
  const isReadOnly = state?.isReadOnly ?? false;
  if (!state?.exists) return { applied: 0, isReadOnly };
  const [row] = await queryRows<{ last: number | null }>(db)`
    select max(created_at) as last from drizzle.__drizzle_migrations`;
  return { applied: row?.last ?? 0, isReadOnly };
}
