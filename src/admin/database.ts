import { setTimeout as pause } from 'node:timers/promises';
import { type Db, withDatabase } from '../db/connection/client.ts';
import { migrate } from '../db/migrate.ts';
import type { Config } from '../platform/config/config.ts';
import { isDataDirInUse, runningPostgres, startPostgres } from '../platform/postgres/embedded.ts';

/** Time until the database of a starting service must be ready (the first start runs initdb). */
const READY_TIMEOUT_MS = 30_000;
const POLL_MS = 100;
const MAX_CONNECTIONS = 2;

/**
 * Runs `work` on the service's database: that of DATABASE_URL, else the embedded one. Uses the server of a running
 * service, or starts one for the command and stops it.
 */
export async function withServiceDatabase<T>(config: Config, work: (db: Db) => Promise<T>): Promise<T> {
  const url = config.databaseUrl ?? (await urlOfRunning(config.dataDir));
  if (url !== undefined) return withDatabase(url, MAX_CONNECTIONS, work);
  const postgres = await startPostgres({ dataDir: config.dataDir });
  try {
    return await withDatabase(postgres.url, MAX_CONNECTIONS, async (db) => {
      await migrate(db);
      return work(db);
    });
  } finally {
    await postgres.stop();
  }
}

async function urlOfRunning(dataDir: string): Promise<string | undefined> {
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    const url = runningPostgres(dataDir);
    if (url !== undefined || !isDataDirInUse(dataDir)) return url;
    if (waitedMs >= READY_TIMEOUT_MS)
      throw new Error(`the service on ${dataDir} is starting but its database is not ready: retry in a moment`);
    await pause(POLL_MS);
  }
}
