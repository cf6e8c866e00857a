/**
 * The composition of one process on a migrated database: pools, live rules, background work, HTTP server. main.ts
 * starts one; tests start several.
 */
import type { FastifyBaseLogger } from 'fastify';
import type { Registry } from 'prom-client';
import { type Db, openDatabase, type PoolOptions } from './db/client.ts';
import { createDatabaseProbe } from './db/migrate.ts';
import { poolSizes } from './db/pool-sizes.ts';
import { listenForChanges } from './deployments/live/change-listener.ts';
import { createRulesets, type Rulesets } from './deployments/live/rulesets.ts';
import { memoryCounter, type RequestCounter } from './http/rate-limit-counter.ts';
import { checkGateInThread, createRulesetThread, prepareInThread } from './jobs/ruleset-thread.ts';
import { logError } from './http/log-error.ts';
import type { Clock } from './platform/clock.ts';
import { storeCompiledCode } from './platform/compile-cache.ts';
import type { Config } from './platform/config.ts';
import type { JobThread } from './platform/jobs/thread.ts';
import { createSnapshotWriter } from './deployments/live/write-snapshots.ts';
import { createFront, type Front, snapshotFolder } from './start/front.ts';
import { createMetrics, type MeasuredParts } from './start/metrics.ts';
import { createStops, type Stops } from './start/stops.ts';

/** Time for the whole stop. Writing hits gets what is left of it, at least a second. */
const STOP_MS = 8_800;
const MIN_LAST_HITS_MS = 500;
/** Longest query of requests, polls, deployments and webhooks. Streams, imports and rulesets have no limit. */
const MAX_QUERY_MS = 30_000;

const RESERVED_HOST =
  'a host of this website is reserved for the service (PUBLIC_URL or RESERVED_HOSTS) and does not reach the website; remove it from the hosts of the website, or change these variables';
const RESERVED_BELOW =
  'a wildcard of this website contains a host of the service (PUBLIC_URL or RESERVED_HOSTS), which reaches the service and not the website';

const WENT_BACK =
  'the database went back in time (restored backup, failover to a replica that lagged): it does not have this many live versions of this process, whose rules were loaded from it';

export interface DetourOptions {
  config: Config;
  /** of a migrated database, or of one that `prepare` migrates */
  databaseUrl: string;
  clock: Clock;
  log: FastifyBaseLogger;
  /** a front that may serve snapshots already; `stop` closes it */
  front?: Front;
  /** Runs before the first statement, after what needs no database. */
  prepare?: () => Promise<void>;
  /** shared with the other processes of this machine */
  counter?: RequestCounter;
  /** Receives the metrics of this process. Returns a function that reads those of all processes of this machine. */
  shareMetrics?: (own: Registry) => () => Promise<string>;
}

export interface Detour {
  db: Db;
  /** the address that it listens on, such as http://127.0.0.1:3000 */
  address: string;
  /** Compares the live rules with the database; resolves when everything that was live by then is served. */
  resynchronise(): Promise<void>;
  /**
   * Closes the port, drains requests and webhook attempts for up to 8 s, ends the background work and writes the
   * counted hits.
   */
  stop(): Promise<void>;
}

/**
 * Resolves when every live redirect can be served and the port is open. Throws, with nothing left running except a
 * front that was passed, if the start fails.
 */
export async function startDetour(options: DetourOptions): Promise<Detour> {
  const stops = createStops((error) => logError(options.log, error, 'a part of the process did not stop in order'));
  try {
    return await compose(options, stops);
  } catch (error) {
    await stops.stopAll();
    throw error;
  }
}

async function compose(options: DetourOptions, stops: Stops): Promise<Detour> {
  const { config, databaseUrl, clock, log, front = createFront(options), counter = memoryCounter() } = options;
  let isComplete = false;
  const onError = (error: unknown): void => logError(log, error, 'background work failed; it will retry');
  /** functions to call when the database is back after an outage */
  const wakes: (() => void)[] = [];
  const shared = { databaseUrl, config, clock, front, log, onError, stops, wakes };

  const [db, streams] = openPools(shared);
  const databaseProblem = createDatabaseProbe(db);
  const measured: MeasuredParts = { pools: { main: db, streams }, threads: {}, databaseProblem };
  const metrics = createMetrics(front, measured);
  const readMetrics = options.shareMetrics?.(metrics) ?? (() => metrics.metrics());
  front.offerMetrics({ contentType: metrics.contentType, read: readMetrics });
  // Its modules take longer than everything before, but less than a database that is away.
  const api = config.role === 'edge' ? undefined : await import('./start/api.ts');
  const thread = startRulesetThread(shared, measured);
  const startRulesets = await prepareRulesets(db, shared, { thread, measured });
  await options.prepare?.();
  const rulesets = await startRulesets();
  front.state.rulesets = 'current';
  for (const clash of front.registry.hostClashes())
    log.warn(clash, clash.reserved === clash.hostname ? RESERVED_HOST : RESERVED_BELOW);
  const startQueues = await (api?.composeApi({
    ...shared,
    metrics,
    readMetrics,
    measured,
    db,
    streams,
    log,
    counter,
    rulesets,
    checkGate: checkGateInThread(thread),
    startHits: startHitsOfRole,
  }) ?? startWithoutApi());
  front.state.databaseProblem = databaseProblem;
  storeCompiledCode();
  const address = await front.open();
  startQueues();
  isComplete = true;
  return { db, address, resynchronise: () => rulesets.resynchronise(), stop: stops.stopAll };

  async function startHitsOfRole(): Promise<void> {
    if (config.role === 'api') return;
    const hits = await front.startHits(databaseUrl);
    hits.registerMetrics(metrics);
    stops.add((elapsedMs) => stopHits(elapsedMs));
  }

  /** A front that was passed goes on counting if the start fails. */
  async function stopHits(elapsedMs: number): Promise<void> {
    if (isComplete || !options.front) await front.stopHits(Math.max(MIN_LAST_HITS_MS, STOP_MS - elapsedMs));
  }

  async function startWithoutApi(): Promise<() => void> {
    await startHitsOfRole();
    stops.add(() => front.close());
    return () => {};
  }
}

interface Shared {
  databaseUrl: string;
  config: Config;
  clock: Clock;
  front: Front;
  log: Pick<FastifyBaseLogger, 'warn'>;
  onError: (error: unknown) => void;
  stops: Stops;
  wakes: (() => void)[];
}

/** A separate pool for streamed responses, so that slow clients do not block other requests. */
function openPools({ databaseUrl, config, onError, stops }: Shared): [db: Db, streams: Db] {
  const open = (options: PoolOptions): Db => {
    const pool = openDatabase(databaseUrl, { ...options, onError });
    stops.add(() => pool.$client.end());
    return pool;
  };
  const { main, streams } = poolSizes(config);
  return [open({ max: main, maxQueryMs: MAX_QUERY_MS }), open({ max: streams })];
}

function startRulesetThread({ databaseUrl, config, onError, stops }: Shared, measured: MeasuredParts): JobThread {
  const connections = poolSizes(config).rulesets;
  const thread = createRulesetThread({ databaseUrl, connections }, onError);
  stops.add(() => thread.close());
  measured.threads['rulesets'] = thread;
  thread.start();
  return thread;
}

/** Returns a function that loads all live rules. It listens first, so that no change is lost while they load. */
async function prepareRulesets(
  db: Db,
  shared: Shared,
  { thread, measured }: { thread: JobThread; measured: MeasuredParts },
): Promise<() => Promise<Rulesets>> {
  const { databaseUrl, front, log, onError, stops, wakes } = shared;
  const snapshots = await front.loadSnapshots();
  const startWriter = prepareWriter(db, shared);
  const onLost = (versions: number): void => log.warn({ versions }, WENT_BACK);
  const rulesets = createRulesets(db, prepareInThread(thread), front.registry, snapshots, onLost);
  measured.rulesets = rulesets;
  const onReconnect = (): void => wakes.forEach((wake) => wake());
  const changes = listenForChanges({ url: databaseUrl, rulesets, onReconnect }, onError);
  stops.add(() => changes.stop());
  return async () => {
    await changes.start();
    await rulesets.load();
    // The first deployment must not wait for the start of the thread.
    await thread.run('ready', null);
    startWriter();
    return rulesets;
  };
}

/** Returns a function that starts to write snapshots, of all changes since this call. */
function prepareWriter(db: Db, { config, clock, front, onError, stops }: Shared): () => void {
  if (!config.snapshots) return () => {};
  const { registry } = front;
  const writer = createSnapshotWriter({ db, dir: snapshotFolder(config), registry, clock, onError });
  return () => {
    writer.start();
    stops.add(() => writer.stop());
  };
}
