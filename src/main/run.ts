import closeWithGrace from 'close-with-grace';
import { bootstrap } from '../bootstrap/bootstrap.ts';
import type { Credentials } from '../bootstrap/credentials.ts';
import { printCredentials, printDemoCommand } from '../bootstrap/first-start-output.ts';
import { openDatabase } from '../db/client.ts';
import { migrate } from '../db/migrate.ts';
import { stopwatch, systemClock } from '../platform/clock.ts';
import { type Config, loadConfig, localUrl } from '../platform/config.ts';
import { keptSecretKey } from '../platform/data-dir.ts';
import { errorSummary } from '../platform/error-summary.ts';
import { createLog } from '../platform/log.ts';
import { startPostgres } from '../platform/postgres/embedded.ts';
import { freePort } from '../platform/postgres/server.ts';
import { startDetour } from '../start.ts';

/** Time from the stop signal to the exit. Orchestrators and systemd kill a process after 10 s. */
const STOP_MS = 9_700;
/** Time to stop the embedded database when there is nothing left to write. */
const DATABASE_STOP_MS = 500;

const log = createLog();
/** Functions that stop what was started, in the order of starting. Each receives the milliseconds left. */
const stops: ((leftMs: number) => Promise<void>)[] = [];

let isStopping = false;

closeWithGrace({ delay: STOP_MS, logger: false }, async ({ err }) => {
  isStopping = true;
  if (err) log.fatal({ err }, 'uncaught error; the process exits');
  await stopAll();
});
try {
  await run();
} catch (error) {
  // A start that fails because of a stop signal is not an error.
  if (!isStopping) {
    console.error(`detour: ${errorSummary(error)}`);
    await stopAll();
    process.exit(1);
  }
}

async function run(): Promise<void> {
  const config = await completeConfig(loadConfig());
  const databaseUrl = config.databaseUrl ?? (await startEmbedded(config));
  const credentials = await prepareDatabase(databaseUrl, config);
  if (credentials) printCredentials(credentials, config);
  const detour = await startDetour({ config, databaseUrl, clock: systemClock, log });
  stops.push(() => detour.stop());
  if (credentials && !(await printDemoCommand(detour.db, credentials, config, () => isStopping)))
    log.error('the demo website could not be deployed; see its deployments for the reason');
  console.log(`Detour is ready: ${config.publicUrl}`);
}

/** Fills in what the configuration leaves open: a free port for 0, and the secret key in the data folder. */
async function completeConfig(config: Config): Promise<Config> {
  const port = config.port || (await freePort(config.host));
  const publicUrl = config.publicUrl === localUrl(0) ? localUrl(port) : config.publicUrl;
  return { ...config, port, publicUrl, secretKey: config.secretKey ?? keptSecretKey(config.dataDir) };
}

async function startEmbedded({ dataDir }: Config): Promise<string> {
  const postgres = await startPostgres({
    dataDir,
    onExit: (reason) => {
      log.fatal({ reason }, 'the embedded PostgreSQL ended; the process exits');
      process.exit(1);
    },
  });
  stops.push((leftMs) => {
    log.level = 'fatal'; // The server now closes connections that are still open, which is not an error.
    return postgres.stop(Math.max(leftMs, DATABASE_STOP_MS));
  });
  return postgres.url;
}

async function prepareDatabase(url: string, config: Config): Promise<Credentials | undefined> {
  const db = openDatabase(url, { max: 3 });
  try {
    await migrate(db);
    return await bootstrap(db, config, systemClock);
  } finally {
    await db.$client.end();
  }
}

async function stopAll(): Promise<void> {
  const deadline = stopwatch() + STOP_MS - 2 * DATABASE_STOP_MS;
  for (const stop of stops.toReversed()) await stop(deadline - stopwatch());
}
