/** The primary process of the cluster: prepares the database and supervises the workers. Answers no request. */
import { type Credentials } from '../bootstrap/credentials.ts';
import { printCredentials, printDemoCommand, waitForDemo } from '../bootstrap/first-start-output.ts';
import { withDatabase } from '../db/connection/client.ts';
import type { DatabaseUrl } from '../vocabulary/database-url.ts';
import { prepareDatabase, startEmbedded } from './database.ts';
import { untilAvailable } from './retry.ts';
import type { RunOptions } from './single.ts';
import { startWorkers } from './workers.ts';

export async function run({ config, lifecycle, log }: RunOptions): Promise<void> {
  const workers = startWorkers({ config, log });
  lifecycle.stopServingWith(() => workers.stop());

  async function prepare(): Promise<void> {
    const url = config.databaseUrl ?? (await startEmbedded(config, lifecycle, log));
    const waiting = { log, mayWait: () => workers.serveSnapshots, isStopping: lifecycle.isStopping };
    const credentials = await untilAvailable(() => prepareDatabase(url, config, log), waiting);
    if (credentials) printCredentials(credentials, config);
    workers.provideDatabase({ url, isFirstStart: credentials !== undefined });
    await workers.ready;
    if (credentials) await endFirstStart(url, credentials);
  }

  async function endFirstStart(url: DatabaseUrl, credentials: Credentials): Promise<void> {
    const { isStopping } = lifecycle;
    const isLive = await withDatabase(url, 1, (db) => waitForDemo(db, credentials, { log, isStopping }));
    // The worker that answers a visitor may not have received the notification yet.
    if (isLive) await workers.resynchronise();
    if (isLive) printDemoCommand(credentials, config);
    workers.provideDatabase({ url, isFirstStart: false });
  }

  // A worker that cannot start, for example because the port is taken, ends the wait for the database.
  await Promise.all([prepare(), workers.ready]);
  console.log(`Detour is ready: ${config.publicUrl}`);
}
