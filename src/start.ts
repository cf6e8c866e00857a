/**
 * The composition of one process on a migrated database: pools, live rules, background work, HTTP server. main.ts
 * starts one; tests start several.
 */
import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { Registry } from 'prom-client';
import { type Db, openDatabase } from './db/client.ts';
import { createDatabaseProbe } from './db/migrate.ts';
import { poolSizes } from './db/pool-sizes.ts';
import { listenForChanges } from './deployments/live/change-listener.ts';
import { loadSnapshots } from './deployments/live/read-snapshots.ts';
import { createRulesets, type Rulesets } from './deployments/live/rulesets.ts';
import { createSnapshotWriter } from './deployments/live/write-snapshots.ts';
import { registerHitMetrics } from './hits/record/hit-metrics.ts';
import { createHitRecorder } from './hits/record/recorder.ts';
import { createWorkerAggregator } from './hits/record/worker-client.ts';
import { memoryCounter, type RequestCounter } from './http/rate-limit-counter.ts';
import { createRulesetThread, prepareInThread } from './jobs/ruleset-thread.ts';
import type { Clock } from './platform/clock.ts';
import type { Config } from './platform/config.ts';
import { createFront, type Front } from './start/front.ts';
import { createStops, type Stops } from './start/stops.ts';
import { createClientReader } from './surfaces/edge/client.ts';
import { createOutcomeCounter } from './surfaces/edge/count-outcomes.ts';

/** Time for the whole stop. Writing hits gets what is left of it, at least a second. */
const STOP_MS = 9_000;
const MIN_LAST_HITS_MS = 1_000;

export interface DetourOptions {
  config: Config;
  /** of a migrated database */
  databaseUrl: string;
  clock: Clock;
  log: FastifyBaseLogger;
  /** a front that may serve snapshots already; `stop` closes it */
  front?: Front;
  /** shared with the other processes of this machine */
  counter?: RequestCounter;
  /** The metrics of all processes of this machine, given those of this one. */
  readMetrics?: (own: Registry) => Promise<string>;
}

export interface Detour {
  db: Db;
  /** the address that it listens on, such as http://127.0.0.1:3000 */
  address: string;
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
  const stops = createStops();
  try {
    return await compose(options, stops);
  } catch (error) {
    await stops.stopAll();
    throw error;
  }
}

async function compose(options: DetourOptions, stops: Stops): Promise<Detour> {
  const { config, databaseUrl, clock, log, front = createFront(options), counter = memoryCounter() } = options;
  const metrics = new Registry();
  const onError = (error: unknown): void => log.error({ err: error }, 'background work failed; it will retry');
  const shared = { databaseUrl, config, clock, metrics, front, onError, stops };
  const readMetrics = (): Promise<string> => options.readMetrics?.(metrics) ?? metrics.metrics();

  const [db, streams] = openPools(shared);
  const rulesets = await startRulesets(db, shared);
  front.state.rulesets = 'current';
  const startQueues = config.role === 'edge' ? await startWithoutApi() : await startApi();
  front.state.databaseProblem = createDatabaseProbe(db);
  front.offerMetrics({ contentType: metrics.contentType, read: readMetrics });
  const address = await front.open();
  startQueues();
  return { db, address, stop: stops.stopAll };

  async function startWithoutApi(): Promise<() => void> {
    await startHits(shared);
    stops.add(() => front.close());
    return () => {};
  }

  /** Loads its modules only now, because they take longer than everything before. */
  async function startApi(): Promise<() => void> {
    const { composeApi } = await import('./start/api.ts');
    const startHitsOfRole = async (): Promise<void> => {
      if (config.role === 'all') await startHits(shared);
    };
    return composeApi({ ...shared, db, streams, log, readMetrics, counter, rulesets, startHits: startHitsOfRole });
  }
}

interface Shared {
  databaseUrl: string;
  config: Config;
  clock: Clock;
  metrics: Registry;
  front: Front;
  onError: (error: unknown) => void;
  stops: Stops;
}

/** A separate pool for streamed responses, so that slow clients do not block other requests. */
function openPools({ databaseUrl, config, onError, stops }: Shared): [db: Db, streams: Db] {
  const open = (max: number): Db => {
    const pool = openDatabase(databaseUrl, { max, onError });
    stops.add(() => pool.$client.end());
    return pool;
  };
  const sizes = poolSizes(config.processes);
  return [open(sizes.main), open(sizes.streams)];
}

/** Loads all live rules, from snapshots first. Listens before, so that no change is lost while they load. */
async function startRulesets(db: Db, shared: Shared): Promise<Rulesets> {
  const { databaseUrl, config, front, onError, stops } = shared;
  const thread = createRulesetThread({ databaseUrl }, onError);
  stops.add(() => thread.close());
  const dir = join(config.dataDir, 'rulesets');
  const snapshots = config.snapshots ? await loadSnapshots(dir, front.registry, onError) : undefined;
  const writer = config.snapshots ? createSnapshotWriter({ ...shared, db, dir, registry: front.registry }) : undefined;
  stops.add(async () => writer?.stop());
  const rulesets = createRulesets(db, prepareInThread(thread), front.registry, snapshots);
  const changes = listenForChanges({ url: databaseUrl, rulesets }, onError);
  stops.add(() => changes.stop());
  await changes.start();
  await rulesets.load();
  writer?.start();
  return rulesets;
}

/** Starts counting hits. Throws if the country database cannot be read. */
async function startHits(shared: Shared): Promise<void> {
  const { databaseUrl, config, clock, metrics, front, onError, stops } = shared;
  const aggregator = await createWorkerAggregator({
    databaseUrl,
    geoipDb: config.geoipDb,
    onError,
  });
  const hits = createHitRecorder({ aggregator, clock, onError });
  registerHitMetrics(metrics, hits);
  hits.start();
  stops.add((elapsedMs) => hits.stop(Math.max(MIN_LAST_HITS_MS, STOP_MS - elapsedMs)));
  front.countWith(createOutcomeCounter(hits, createClientReader(config)));
}
