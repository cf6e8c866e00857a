/**
 * One running Detour on a database that is there and migrated: the pools, what is live in memory, the loops, the listener with the
 * edge before it. main.ts starts one for the process; tests start as many as they like.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import { Registry } from 'prom-client';
import { buildApp } from './app.ts';
import { type Db, openDatabase } from './db/client.ts';
import { type Instance, registerInstance } from './db/instance.ts';
import { createDeployer } from './deployments/publish/deployer.ts';
import { createWorkerAggregator } from './hits/record/worker-client.ts';
import { registerHitMetrics } from './hits/record/hit-metrics.ts';
import { createHitRecorder, type HitRecorder } from './hits/record/recorder.ts';
import { readVisitorKey } from './hits/count/visitor.ts';
import type { AppDeps } from './http/deps.ts';
import { type Clock, stopwatch } from './platform/clock.ts';
import type { Config } from './platform/config.ts';
import type { Loop } from './platform/loop.ts';
import { createSecretBox, type SecretBox } from './platform/secret-box.ts';
import { createClientOf } from './surfaces/edge/client.ts';
import { countOutcomes } from './surfaces/edge/count-outcomes.ts';
import { withEdge } from './surfaces/edge/edge.ts';
import { startUpkeep } from './maintenance.ts';
import { announceRules, announceSite, listenForChanges } from './deployments/live/change-listener.ts';
import { createImportSemaphore, IMPORT_POOL_SIZE } from './redirects/import/import-semaphore.ts';
import { createRulesets, type Rulesets } from './deployments/live/rulesets.ts';
import { createDispatcher, type Dispatcher } from './webhooks/queue/dispatcher.ts';

const POOL_SIZE = 20;
const STREAM_POOL_SIZE = 10;
/** How long requests under way may take once the service is told to stop. */
const DRAIN_MS = 8_000;
/** And webhooks under way: a little less, so that a request that waits for one (a test) is answered before it is cut. */
const ATTEMPTS_MS = 7_500;
const CLOSE_IDLE_EVERY_MS = 50;
/** From then on to the end of it all; what hits are left to write has what is left of that, but not less than the second. */
const STOP_MS = 9_000;
const LAST_HITS_MS = 1_000;

/** Hears how long the whole stop has taken until then. */
type Closer = (elapsedMs: number) => Promise<void>;

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
  /** No new connections; requests under way finish within 8 s or are cut; loops end; what is counted is written. */
  stop(): Promise<void>;
}

/** Resolves when every live redirect can be answered and the port is open; throws what keeps it from that, with nothing left running. */
export async function startDetour({ config, databaseUrl, clock, log }: DetourOptions): Promise<Detour> {
  if (!config.secretKey) throw new Error('SECRET_KEY is not known');
  const secretBox = createSecretBox(config.secretKey);
  const onError = (error: unknown): void =>
    log.error({ err: error }, 'background work failed; it is tried again');
  const { db, streams, imports } = openPools(databaseUrl, onError);
  const closers: Closer[] = [db, streams, imports].map((pool) => () => pool.$client.end());
  const stopAll = async (): Promise<void> => {
    const start = stopwatch();
    for (const close of closers.toReversed()) await close(stopwatch() - start);
  };
  try {
    const instance = await registerInstance(databaseUrl, onError);
    closers.push(() => instance.stop());

    const rulesets = createRulesets(db);
    const changes = listenForChanges({ url: databaseUrl, rulesets }, onError);
    closers.push(() => changes.stop());
    await changes.start();
    const waitingFor = new Set(['the rules are loading']);
    await rulesets.load();
    waitingFor.clear();
    const metrics = new Registry();
    const work = { db, config, clock, rulesets, instance, secretBox, metrics, onError };
    const { deployer, dispatcher, committed } = createWorkers(work);
    closers.push(() => deployer.stop());
    const upkeep = await startUpkeep({ db, clock, ...config }, onError);
    closers.push(() => upkeep.stop());

    const hits = await startHits(work, databaseUrl, closers);

    const app = await buildApp({
      db,
      streams,
      withImportPermit: createImportSemaphore(imports),
      config,
      clock,
      log,
      rulesets,
      instanceId: instance.id,
      secretBox,
      sendNow: (deliveryId) => dispatcher.sendNow(deliveryId),
      metrics,
      notReady: async () => [...waitingFor],
      committed,
      async siteChanged(websiteId) {
        await rulesets.refreshSite(websiteId);
        await announceSite(db, websiteId);
      },
      edge: createEdge(config, rulesets, hits),
    });
    closers.push(async () => {
      // At the same time, from the same signal: a receiver that hangs must not have its seconds after those of the requests.
      await Promise.all([drain(app.close(), app.server), dispatcher.stop(ATTEMPTS_MS)]);
    });
    const address = await app.listen({ host: config.host, port: config.port });
    deployer.start();
    dispatcher.start();
    return { db, address, stop: stopAll };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

function openPools(url: string, onError: (error: unknown) => void): { db: Db; streams: Db; imports: Db } {
  return {
    db: openDatabase(url, { max: POOL_SIZE, onError }),
    streams: openDatabase(url, { max: STREAM_POOL_SIZE, onError }),
    imports: openDatabase(url, { max: IMPORT_POOL_SIZE, onError }),
  };
}

interface Work {
  db: Db;
  config: Config;
  clock: Clock;
  rulesets: Rulesets;
  instance: Instance;
  secretBox: SecretBox;
  metrics: Registry;
  onError: (error: unknown) => void;
}

/** Counts the responses of the edge. Throws if the country database cannot be read. */
async function startHits(
  { db, config, clock, metrics, onError }: Work,
  databaseUrl: string,
  closers: Closer[],
): Promise<HitRecorder> {
  const aggregator = await createWorkerAggregator({
    databaseUrl,
    visitorKey: await readVisitorKey(db),
    geoipDb: config.geoipDb,
    onError,
  });
  const hits = createHitRecorder({ aggregator, clock, onError });
  registerHitMetrics(metrics, hits);
  hits.start();
  closers.push((elapsedMs) => hits.stop(Math.max(LAST_HITS_MS, STOP_MS - elapsedMs)));
  return hits;
}

/** What works off what requests have queued. */
function createWorkers(work: Work): { deployer: Loop; dispatcher: Dispatcher; committed: () => void } {
  const { db, config, rulesets, instance, onError } = work;
  const dispatcher = createDispatcher({
    ...work,
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
  const committed = (): void => {
    deployer.wake();
    dispatcher.wake();
  };
  return { deployer, dispatcher, committed };
}

function createEdge(config: Config, rulesets: Rulesets, hits: HitRecorder): AppDeps['edge'] {
  const options = {
    rulesets,
    requestId: createRequestIds(),
    schemeOf: trustedScheme(config),
    onOutcome: countOutcomes(hits, createClientOf(config)),
  };
  return (next) => withEdge(options, next);
}

/** Waits for the requests under way, and cuts what is left after the time that they have. */
async function drain(closed: PromiseLike<unknown>, server: Server): Promise<void> {
  const timer = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  // A connection whose request was under way at the signal stays open after its answer, for a next one that must not come.
  const idle = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
  await closed;
  clearInterval(idle);
  clearTimeout(timer);
}

/** Ids that cost the edge nothing: a random beginning for the process, then a count. */
function createRequestIds(): () => string {
  const prefix = randomBytes(6).toString('base64url');
  let count = 0;
  return () => `${prefix}-${(count++).toString(36)}`;
}

/** The scheme that the client used is known only from a proxy that is trusted. */
function trustedScheme(config: Config): (request: IncomingMessage) => string | undefined {
  if (config.trustProxy === false) return () => undefined;
  return (request) => {
    const header = request.headers['x-forwarded-proto'];
    return typeof header === 'string' && /^https?$/.test(header) ? header : undefined;
  };
}
