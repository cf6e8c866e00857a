/**
 * The composition of one process on a migrated database: pools, live rules, background work, HTTP server. main.ts
 * starts one; tests start several.
 */
import type { FastifyBaseLogger } from 'fastify';
import { Registry } from 'prom-client';
import { buildApp } from './app.ts';
import { type Db, openDatabase } from './db/client.ts';
import { registerInstance } from './db/instance.ts';
import { announceRules, announceSite, listenForChanges } from './deployments/live/change-listener.ts';
import { createRulesets, type Rulesets } from './deployments/live/rulesets.ts';
import { createDeployer } from './deployments/publish/deployer.ts';
import { registerHitMetrics } from './hits/record/hit-metrics.ts';
import { createHitRecorder, type HitRecorder } from './hits/record/recorder.ts';
import { createWorkerAggregator } from './hits/record/worker-client.ts';
import type { AppDeps } from './http/deps.ts';
import type { Jobs } from './http/jobs.ts';
import { drain } from './http/drain.ts';
import { createBulkThread, createJobs, type JobsDeps } from './jobs/bulk-thread.ts';
import { startMaintenance } from './maintenance.ts';
import { type Clock, stopwatch } from './platform/clock.ts';
import type { Config } from './platform/config.ts';
import { createRequestIds } from './platform/ids.ts';
import { createSecretBox } from './platform/secret-box.ts';
import { createClientReader, createSchemeReader } from './surfaces/edge/client.ts';
import { createOutcomeCounter } from './surfaces/edge/count-outcomes.ts';
import { withEdge } from './surfaces/edge/edge.ts';
import { createDispatcher } from './webhooks/queue/dispatcher.ts';

const POOL_SIZE = 20;
const STREAM_POOL_SIZE = 10;
/** Time for webhook attempts in flight. Less than for requests, because a request may wait for an attempt (a test). */
const ATTEMPTS_MS = 7_500;
/** Time for the whole stop. Writing hits gets what is left of it, at least a second. */
const STOP_MS = 9_000;
const MIN_LAST_HITS_MS = 1_000;

export interface DetourOptions {
  config: Config;
  /** of a migrated database */
  databaseUrl: string;
  clock: Clock;
  log: FastifyBaseLogger;
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
 * Resolves when every live redirect can be served and the port is open. Throws, with nothing left running, if the start
 * fails.
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

async function compose({ config, databaseUrl, clock, log }: DetourOptions, stops: Stops): Promise<Detour> {
  if (!config.secretKey) throw new Error('SECRET_KEY is missing');
  const secretBox = createSecretBox(config.secretKey);
  const metrics = new Registry();
  const onError = (error: unknown): void => log.error({ err: error }, 'background work failed; it will retry');
  const shared = { databaseUrl, config, clock, secretBox, metrics, onError, stops };

  const [db, streams] = openPools(shared);
  const instance = await registerInstance(databaseUrl, onError);
  stops.add(() => instance.stop());
  const rulesets = await startRulesets(db, shared);

  const dispatcher = createDispatcher({
    ...shared,
    db,
    instanceId: instance.id,
    isAlive: () => instance.isHeld(),
    egress: config.webhookEgress,
  });
  const deployer = createDeployer({
    db,
    rulesets,
    onPublished: (websiteId, environment) => void announceRules(db, websiteId, environment).catch(onError),
    committed: () => dispatcher.wake(),
    onError,
  });
  stops.add(() => deployer.stop());
  const committed = (): void => {
    deployer.wake();
    dispatcher.wake();
  };
  const jobs = startJobs({ db, instanceId: instance.id, rulesets, clock, committed }, shared);
  const maintenance = await startMaintenance({ db, clock, ...config }, onError);
  stops.add(() => maintenance.stop());
  const hits = await startHits(shared);

  const app = await buildApp({
    db,
    streams,
    jobs,
    config,
    clock,
    log,
    rulesets,
    instanceId: instance.id,
    secretBox,
    sendNow: (deliveryId) => dispatcher.sendNow(deliveryId),
    metrics,
    notReady: async () => [], // The port opens when everything is ready.
    committed,
    async siteChanged(websiteId) {
      await rulesets.refreshSite(websiteId);
      await announceSite(db, websiteId);
    },
    edge: createEdge(config, rulesets, hits),
  });
  // In parallel, so that a slow receiver's time does not add to that of the requests.
  stops.add(() => Promise.all([drain(app), dispatcher.stop(ATTEMPTS_MS)]));
  const address = await app.listen({ host: config.host, port: config.port });
  deployer.start();
  dispatcher.start();
  return { db, address, stop: stops.stopAll };
}

interface Shared {
  databaseUrl: string;
  config: Config;
  clock: Clock;
  metrics: Registry;
  onError: (error: unknown) => void;
  stops: Stops;
}

/** A separate pool for streamed responses, so that slow clients do not block other requests. */
function openPools({ databaseUrl, onError, stops }: Shared): [db: Db, streams: Db] {
  const open = (max: number): Db => {
    const pool = openDatabase(databaseUrl, { max, onError });
    stops.add(() => pool.$client.end());
    return pool;
  };
  return [open(POOL_SIZE), open(STREAM_POOL_SIZE)];
}

/** Loads all live rules. Listens first, so that no change is lost while they load. */
async function startRulesets(db: Db, { databaseUrl, onError, stops }: Shared): Promise<Rulesets> {
  const rulesets = createRulesets(db);
  const changes = listenForChanges({ url: databaseUrl, rulesets }, onError);
  stops.add(() => changes.stop());
  await changes.start();
  await rulesets.load();
  return rulesets;
}

/** The thread starts at its first job. */
function startJobs(deps: Omit<JobsDeps, 'thread'>, { databaseUrl, onError, stops }: Shared): Jobs {
  const thread = createBulkThread({ databaseUrl, instanceId: deps.instanceId }, onError);
  stops.add(() => thread.close());
  return createJobs({ ...deps, thread });
}

/** Starts counting hits. Throws if the country database cannot be read. */
async function startHits({ databaseUrl, config, clock, metrics, onError, stops }: Shared): Promise<HitRecorder> {
  const aggregator = await createWorkerAggregator({
    databaseUrl,
    geoipDb: config.geoipDb,
    onError,
  });
  const hits = createHitRecorder({ aggregator, clock, onError });
  registerHitMetrics(metrics, hits);
  hits.start();
  stops.add((elapsedMs) => hits.stop(Math.max(MIN_LAST_HITS_MS, STOP_MS - elapsedMs)));
  return hits;
}

function createEdge(config: Config, rulesets: Rulesets, hits: HitRecorder): AppDeps['edge'] {
  const options = {
    rulesets,
    requestId: createRequestIds(),
    schemeOf: createSchemeReader(config),
    onOutcome: createOutcomeCounter(hits, createClientReader(config)),
  };
  return (next) => withEdge(options, next);
}

interface Stops {
  /** `stop` receives the milliseconds since the stop signal. */
  add(stop: (elapsedMs: number) => Promise<unknown>): void;
  /** Stops everything, the last added first. */
  stopAll(): Promise<void>;
}

function createStops(): Stops {
  const list: ((elapsedMs: number) => Promise<unknown>)[] = [];
  return {
    add: (stop) => void list.push(stop),
    async stopAll() {
      const startedAt = stopwatch();
      for (const stop of list.toReversed()) await stop(stopwatch() - startedAt);
    },
  };
}
