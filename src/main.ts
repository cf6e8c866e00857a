import { setTimeout as pause } from 'node:timers/promises';
import closeWithGrace from 'close-with-grace';
import { type Db, openDatabase } from './db/client.ts';
import { migrate } from './db/migrate.ts';
import { type Credentials, DEMO_PATH, demoState, firstStart } from './bootstrap.ts';
import { systemClock } from './platform/clock.ts';
import { type Config, loadConfig, localUrl } from './platform/config.ts';
import { startPostgres } from './platform/postgres/embedded.ts';
import { freePort } from './platform/postgres/server.ts';
import { createLog } from './platform/log.ts';
import { errorSummary } from './platform/error-summary.ts';
import { keptSecretKey } from './platform/data-dir.ts';
import { startDetour } from './start.ts';

/** From the signal to the exit; whoever sent it (an orchestrator, systemd) gives 10 s before it kills. */
const STOP_WITHIN_MS = 9_700;
/** What an orderly end of the database costs when nothing is left to write. */
const DATABASE_STOP_MS = 500;
const LOOK_EVERY_MS = 25;

const log = createLog();
/** In the order of starting; stopped the other way round. Each hears how many milliseconds are left. */
const started: ((leftMs: number) => Promise<void>)[] = [];

let stopping = false;

closeWithGrace({ delay: STOP_WITHIN_MS, logger: false }, async ({ err }) => {
  stopping = true;
  if (err) log.fatal({ err }, 'an error that nothing caught: the process ends');
  await stopAll();
});
try {
  await run();
} catch (error) {
  // Startup that fails because it was told to stop has nothing to say.
  if (!stopping) {
    console.error(`detour: ${errorSummary(error)}`);
    await stopAll();
    process.exit(1);
  }
}

async function run(): Promise<void> {
  const config = await settle(loadConfig());
  const databaseUrl = config.databaseUrl ?? (await startEmbedded(config));
  const credentials = await prepareDatabase(databaseUrl, config);
  if (credentials) tellOnce(credentials, config);
  const detour = await startDetour({ config, databaseUrl, clock: systemClock, log });
  started.push(() => detour.stop());
  if (credentials) await tellWhatToTry(detour.db, credentials, config);
  console.log(`Detour is ready: ${config.publicUrl}`);
}

/** What is left open in the configuration: the port 0, the key that nobody set. */
async function settle(config: Config): Promise<Config> {
  const port = config.port || (await freePort(config.host));
  const publicUrl = config.publicUrl === localUrl(0) ? localUrl(port) : config.publicUrl;
  return { ...config, port, publicUrl, secretKey: config.secretKey ?? keptSecretKey(config.dataDir) };
}

async function startEmbedded({ dataDir }: Config): Promise<string> {
  const postgres = await startPostgres({
    dataDir,
    onExit: (reason) => {
      log.fatal({ reason }, 'the embedded PostgreSQL ended: the process ends');
      process.exit(1);
    },
  });
  started.push((leftMs) => {
    log.level = 'fatal'; // connections that have not quite closed yet are closed by the server now
    return postgres.stop(Math.max(leftMs, DATABASE_STOP_MS));
  });
  return postgres.url;
}

async function prepareDatabase(url: string, config: Config): Promise<Credentials | undefined> {
  const db = openDatabase(url, { max: 3 });
  try {
    await migrate(db);
    return await firstStart(db, config, systemClock);
  } finally {
    await db.$client.end();
  }
}

async function stopAll(): Promise<void> {
  const until = performance.now() + STOP_WITHIN_MS - 2 * DATABASE_STOP_MS;
  for (const stop of started.toReversed()) await stop(until - performance.now());
}

function tellOnce({ email, password, api_key: key }: Credentials, config: Config): void {
  console.log(`
First start: an account was created. It is shown this once, and kept in ${config.dataDir}/credentials.json

  sign in   ${config.publicUrl}
  e-mail    ${email}
  password  ${password}
  API key   ${key}`);
}

/** Tells the line to try when it works, and not where the demo could not be deployed. */
async function tellWhatToTry(db: Db, credentials: Credentials, config: Config): Promise<void> {
  let state = await demoState(db, credentials);
  while (state === 'pending' && !stopping) {
    await pause(LOOK_EVERY_MS);
    state = await demoState(db, credentials);
  }
  if (state === 'live') console.log(`\nTry it:\n\n  ${lineToTry(credentials, config)}\n`);
  if (state === 'failed') log.error('the demo website could not be deployed; its deployments tell why');
}

function lineToTry({ hosts }: Credentials, { host, port }: Config): string {
  const demo = hosts[0] ?? '';
  const isLocal = ['127.0.0.1', '::1', '0.0.0.0', '::', 'localhost'].includes(host);
  // curl finds *.localhost on this machine by itself (RFC 6761); for any other address it has to be told the name.
  if (isLocal) return `curl -i http://${demo}:${port}${DEMO_PATH}`;
  const address = host.includes(':') ? `[${host}]` : host;
  return `curl -i -H 'Host: ${demo}' http://${address}:${port}${DEMO_PATH}`;
}
