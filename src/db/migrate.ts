import { fileURLToPath } from 'node:url';
import { drizzle, runMigrations } from './drizzle.ts';
import { type Db, withClient } from './client.ts';

const MIGRATIONS = fileURLToPath(new URL('../../migrations', import.meta.url));
const LOCK = 7001;

/**
 * Brings the schema to the newest version. Safe to call from several processes at once: the others wait for the first
 * under an advisory lock and then find nothing to do. Throws what PostgreSQL says when a migration fails; it is undone.
 */
export async function migrate(db: Db, folder = MIGRATIONS): Promise<void> {
  await withClient(db, async (client) => {
    await client.query('set lock_timeout = 0');
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    await runMigrations(drizzle({ client }), { migrationsFolder: folder });
    await client.query('select pg_advisory_unlock($1)', [LOCK]);
    await client.query('reset lock_timeout');
  });
}
