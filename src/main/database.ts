/** The database of a start: the embedded server, migrations, the first account. */
import { bootstrap } from '../bootstrap/bootstrap.ts';
import { checkSecretKey } from '../bootstrap/secret-key.ts';
import type { Credentials } from '../bootstrap/credentials.ts';
import { withDatabase } from '../db/connection/client.ts';
import { createDatabaseProbe, migrate, READ_ONLY } from '../db/migrate.ts';
import { checkPooler } from '../db/connection/pooler.ts';
import { connectionShortage, connectionsPerProcess } from '../db/connection/pool-sizes.ts';
import { systemClock } from '../platform/clock.ts';
import type { Config } from '../platform/config/config.ts';
import type { Log } from '../platform/log/log.ts';
import { startPostgres } from '../platform/postgres/embedded.ts';
import type { DatabaseUrl } from '../vocabulary/database-url.ts';
import type { Lifecycle } from './lifecycle.ts';
import { NotMigratedError } from './retry.ts';

/** Starts the embedded server and returns its URL. The process exits if the server ends by itself. */
export async function startEmbedded(config: Config, lifecycle: Lifecycle, log: Log): Promise<string> {
  const postgres = await startPostgres({
    dataDir: config.dataDir,
    connections: config.processes * connectionsPerProcess(config),
    onExit: (reason) => {
      log.fatal({ reason }, 'the embedded PostgreSQL ended; the process exits');
      process.exit(1);
    },
  });
  lifecycle.stopDatabaseWith((leftMs) => postgres.stop(leftMs));
  return postgres.url;
}

/**
 * Applies migrations and creates the first account, and returns its credentials if it is new. A process of the role
 * `edge` changes nothing. Throws NotMigratedError if its schema is not current, and one line if a pooler lacks what
 * Detour needs. Logs a warning if the server allows fewer connections than this start may open.
 */
export async function prepareDatabase(
  url: DatabaseUrl,
  config: Config,
  log: Pick<Log, 'warn'>,
): Promise<Credentials | undefined> {
  const pooled = await checkPooler(url, config.processes * connectionsPerProcess(config));
  if (pooled !== undefined) log.warn(pooled);
  if (config.role === 'edge') return checkDatabase(url);
  return withDatabase(url, 3, async (db) => {
    await migrate(db);
    const { secretKey, previousSecretKey } = config;
    if (secretKey) await checkSecretKey(db, { secretKey, previousSecretKey });
    const shortage = await connectionShortage(db, config);
    if (shortage !== undefined) log.warn(shortage);
    return bootstrap(db, config, systemClock);
  });
}

/** Throws if the database does not respond, and NotMigratedError if its schema is not current. */
export async function checkDatabase(url: DatabaseUrl): Promise<undefined> {
  return withDatabase(url, 1, async (db) => {
    await db.$client.query('select 1');
    const problem = await createDatabaseProbe(db)();
    // An edge can follow a standby.
    if (problem !== undefined && problem !== READ_ONLY) throw new NotMigratedError();
    return undefined;
  });
}
