import { setTimeout as pause } from 'node:timers/promises';
import { type Db, openDatabase } from '../db/client.ts';
import { migrate } from '../db/migrate.ts';
import type { Config } from '../platform/config.ts';
import { isDataDirInUse, runningPostgres, startPostgres } from '../platform/postgres/embedded.ts';

/** A service that is just starting needs this long at most until its database answers (first start: initdb). */
const READY_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 100;

/**
 * Runs `work` on the service's database: that of DATABASE_URL, else the embedded one, whether the service runs (then on its server)
 * or not (then a server is started for the command, and stopped).
 */
export async function withServiceDatabase<T>(config: Config, work: (db: Db) => Promise<T>): Promise<T> {
  const url = config.databaseUrl ?? (await urlOfRunning(config.dataDir));
  if (url !== undefined) return withDatabase(url, work);
  const postgres = await startPostgres({ dataDir: config.dataDir });
  try {
    return await withDatabase(postgres.url, async (db) => {
      await migrate(db);
      return work(db);
    });
  } finally {
    await postgres.stop();
  }
}

async function urlOfRunning(dataDir: string): Promise<string | undefined> {
  for (let waitedMs = 0; ; waitedMs += LOOK_EVERY_MS) {
    const url = runningPostgres(dataDir);
    if (url !== undefined || !isDataDirInUse(dataDir)) return url;
    if (waitedMs >= READY_WITHIN_MS)
      throw new Error(`the service on ${dataDir} is starting but its database is not ready: try again`);
    await pause(LOOK_EVERY_MS);
  }
}

async function withDatabase<T>(url: string, work: (db: Db) => Promise<T>): Promise<T> {
  const db = openDatabase(url, { max: 2 });
  try {
    return await work(db);
  } finally {
    await db.$client.end();
  }
}
