/**
 * The composition of one process on a migrated database: pools, live rules, background work, HTTP server. main.ts
 * starts one; tests start several.
 */
import type { FastifyBaseLogger } from 'fastify';
import type { Registry } from 'prom-client';
import { createLastRequestLoop } from './domains/last-requests.ts';
import { type Db, openDatabase, type PoolOptions } from './db/connection/client.ts';
import { readCheckSecret } from './db/settings.ts';
import { createDatabaseProbe } from './db/migrate.ts';
import { poolSizes } from './db/connection/pool-sizes.ts';
import { MAX_QUERY_MS } from './db/connection/session.ts';
import { listenForChanges } from './deployments/live/change-listener.ts';
import { createRulesets } from './deployments/live/rulesets.ts';
import { memoryCounter, type RequestCounter } from './http/shares/rate-limit-counter.ts';
import { checkGateInThread, createRulesetThread, prepareInThread } from './jobs/ruleset-thread.ts';
import { logError } from './http/errors/log-error.ts';
import type { Clock } from './platform/clock.ts';
import { storeCompiledCode } from './platform/process/compile-cache.ts';
import type { Config } from './platform/config/config.ts';
import { lastHitsMs } from './platform/process/stop-times.ts';
import { createSnapshotWriter } from './deployments/live/snapshots/write-snapshots.ts';
import { createMetrics, type MeasuredParts } from './start/metrics.ts';
import { createRedirectServer, type RedirectServer } from './start/redirect-server.ts';
import { closePort, openPort, readSnapshots, snapshotFolder, startHits, stopHits } from './start/serve-redirects.ts';
import { createStops, type Starting, type Stops } from './start/stops.ts';
import type { DatabaseUrl } from './vocabulary/database-url.ts';

const RESERVED_HOST =
  'a host of this website is reserved for the service (PUBLIC_URL or RESERVED_HOSTS) and does not reach the website; remove it from the hosts of the website, or change these variables';
const RESERVED_BELOW =
  'a wildcard of this website contains a host of the service (PUBLIC_URL or RESERVED_HOSTS), which reaches the service and not the website';

const NO_WEBSITES =
  'no website exists for these ids of EDGE_WEBSITES or EDGE_ACCOUNTS yet; correct the ids unless their websites are still to come';

const WENT_BACK =
  'the database went back in time (restored backup, failover to a replica that lagged): it does not have this many live versions of this process, whose rules were loaded from it';

export interface DetourOptions {
  config: Config;
  /** of a migrated database, or of one that `prepare` migrates */
  databaseUrl: DatabaseUrl;
  clock: Clock;
  log: FastifyBaseLogger;
  /** a server that may serve snapshots already; `stop` closes it */
  redirects?: RedirectServer;
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
 * Resolves when every live redirect can be served and the port is open. Throws, with nothing left running except
 * `redirects`, if the start fails.
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

/** The phases in their order: database, rules, hits, API, port. Snapshots and the port of `redirects` may precede them. */
async function compose(options: DetourOptions, stops: Stops): Promise<Detour> {
  const { config, databaseUrl, clock, log, counter = memoryCounter() } = options;
  const redirects = options.redirects ?? createRedirectServer(options);
  const { state } = redirects;
  const onError = (error: unknown): void => logError(log, error, 'background work failed; it will retry');
  const pools = openPools(options, onError, stops);
  const databaseProblem = createDatabaseProbe(pools.main);
  const measured: MeasuredParts = { pools, threads: {}, databaseProblem };
  const starting: Starting = { config, databaseUrl, clock, log, redirects, measured, onError, stops, wakes: [] };

  const metrics = createMetrics(redirects, measured);
  const readMetrics = options.shareMetrics?.(metrics) ?? (() => metrics.metrics());
  state.metrics = { contentType: metrics.contentType, read: readMetrics };
  // Its modules take longer than everything before, but less than a database that is away.
  const api = config.role === 'edge' ? undefined : await import('./start/api.ts');
  const rules = await openRules(starting);
  await options.prepare?.();
  await rules.load();
  state.checkSecret = await readCheckSecret(pools.main);
  for (const clash of redirects.registry.hostClashes())
    log.warn(clash, clash.reserved === clash.hostname ? RESERVED_HOST : RESERVED_BELOW);
  const ids = withoutWebsites(config.edgePart, redirects.registry);
  if (ids.length > 0) log.warn({ ids }, NO_WEBSITES);

  const { rulesets, thread } = rules;
  const background = await api?.startBackground({
    ...starting,
    metrics,
    rulesets,
    checkGate: checkGateInThread(thread),
  });
  let isComplete = false;
  if (config.role !== 'api') {
    const hits = await startHits(redirects, options, databaseUrl);
    hits.registerMetrics(metrics);
    const lastRequests = createLastRequestLoop(pools.main, redirects.registry, onError);
    lastRequests.start();
    stops.add(() => lastRequests.stop());
    stops.add(async (elapsedMs) => {
      // `redirects` that were passed go on counting if the start fails.
      if (isComplete || !options.redirects) await stopHits(redirects, lastHitsMs(elapsedMs, 'hits'));
    });
  }
  if (api && background) await api.mountApi({ ...starting, metrics, readMetrics, counter, rulesets, background });
  else stops.add(() => closePort(redirects));
  state.databaseProblem = databaseProblem;
  storeCompiledCode();
  const address = await openPort(redirects, config);
  background?.startQueues();
  isComplete = true;
  return { db: pools.main, address, resynchronise: () => rulesets.resynchronise(), stop: stops.stopAll };
}

/** A separate pool for streamed responses, so that slow clients do not block other requests. */
function openPools({ databaseUrl, config }: DetourOptions, onError: (error: unknown) => void, stops: Stops) {
  const open = (options: PoolOptions): Db => {
    const pool = openDatabase(databaseUrl, { ...options, onError });
    stops.add(() => pool.$client.end());
    return pool;
  };
  const { main, streams } = poolSizes(config);
  return { main: open({ max: main, maxQueryMs: MAX_QUERY_MS }), streams: open({ max: streams }) };
}

/** The ids of the part that no website belongs to. */
function withoutWebsites(part: Config['edgePart'], registry: RedirectServer['registry']): number[] {
  const sites = registry.websiteIds().flatMap((id) => registry.live(id, 'production')?.site ?? []);
  const found = new Set(sites.map(({ id, accountId }) => (part?.of === 'accounts' ? accountId : id)));
  return part?.ids.filter((id) => !found.has(id)) ?? [];
}

/** Starts what loads the live rules, and reads nothing yet. */
async function openRules(starting: Starting) {
  const { databaseUrl, config, clock, log, redirects, measured, onError, stops, wakes } = starting;
  const { registry, state } = redirects;
  const db = measured.pools.main;
  const thread = createRulesetThread({ databaseUrl, connections: poolSizes(config).rulesets }, onError);
  stops.add(() => thread.close());
  measured.threads['rulesets'] = thread;
  thread.start();

  const snapshots = await readSnapshots(redirects, starting);
  // It writes all changes since its creation.
  const writer = config.snapshots
    ? createSnapshotWriter({ db, dir: snapshotFolder(config), registry, clock, onError })
    : undefined;
  const onLost = (versions: number): void => log.warn({ versions }, WENT_BACK);
  const rulesets = createRulesets(db, prepareInThread(thread), registry, snapshots, { onLost, part: config.edgePart });
  measured.rulesets = rulesets;
  const onReconnect = (): void => wakes.forEach((wake) => wake());
  const changes = listenForChanges({ url: databaseUrl, rulesets, onReconnect }, onError);
  stops.add(() => changes.stop());
  return {
    rulesets,
    thread,
    /** Loads all live rules, from a database that is prepared. */
    async load() {
      // It listens first, so that no change is lost while the rules load.
      await changes.start();
      await rulesets.load();
      // The first deployment must not wait for the start of the thread.
      await thread.run('ready', null);
      if (writer) {
        writer.start();
        stops.add(() => writer.stop());
      }
      state.rulesets = 'current';
    },
  };
}
