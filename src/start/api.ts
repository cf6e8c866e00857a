/** The composition of the API: background work, the worker threads, Fastify. A process of the role `edge` has none. */
import type { RequestListener } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import type { Registry } from 'prom-client';
import { buildApp } from '../app.ts';
import type { Db } from '../db/client.ts';
import { poolSizes } from '../db/pool-sizes.ts';
import { registerInstance } from '../db/instance.ts';
import { announceRules, announceSite } from '../deployments/live/change-listener.ts';
import type { CheckGate } from '../deployments/gate/gate.ts';
import type { Rulesets } from '../deployments/live/rulesets.ts';
import { createDeployer } from '../deployments/publish/deployer.ts';
import type { RequestCounter } from '../http/rate-limit-counter.ts';
import { removeLeftUploads } from '../http/spool.ts';
import { createBulkThread, createJobs } from '../jobs/bulk-thread.ts';
import { startMaintenance } from '../maintenance.ts';
import type { Clock } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import { createSecretBox, type SecretBox } from '../platform/secret-box.ts';
import { createDispatcher } from '../webhooks/queue/dispatcher.ts';
import type { Front } from './front.ts';
import type { MeasuredParts } from './metrics.ts';
import type { Stops } from './stops.ts';

/** Time for webhook attempts in flight. Less than for requests, because a request may wait for an attempt (a test). */
const ATTEMPTS_MS = 7_500;
/** Time for requests, and for what they left to do in the database. */
const REQUESTS_MS = 8_200;

export interface ApiOptions {
  config: Config;
  databaseUrl: string;
  db: Db;
  /** a separate pool for streamed responses, so that slow clients do not block other requests */
  streams: Db;
  clock: Clock;
  log: FastifyBaseLogger;
  metrics: Registry;
  /** receives the bulk thread */
  measured: MeasuredParts;
  /** the text of GET /metrics */
  readMetrics: () => Promise<string>;
  /** counts requests if there is no Redis */
  counter: RequestCounter;
  rulesets: Rulesets;
  /** checks a version before it is published */
  checkGate: CheckGate;
  /** Starts to count redirects. Its stop writes the last hits, after the last request and before slower stops. */
  startHits: () => Promise<void>;
  front: Front;
  onError: (error: unknown) => void;
  stops: Stops;
  /** Functions to call when the database is back after an outage. */
  wakes: (() => void)[];
}

/**
 * Builds the API and passes the requests of the front to it. Resolves to a function that starts the work of the queues;
 * call it when the port is open.
 */
export async function composeApi(options: ApiOptions): Promise<() => void> {
  const { config, databaseUrl, db, clock, metrics, rulesets, front, onError, stops, wakes } = options;
  const secretBox = openSecretBox(config);
  const instance = await registerInstance(databaseUrl, onError);
  stops.add(() => instance.stop());

  const dispatcher = createDispatcher({
    ...options,
    secretBox,
    instanceId: instance.id,
    isAlive: () => instance.isHeld(),
    egress: config.webhookEgress,
    isSending: config.webhookSending,
  });
  const deployer = createDeployer({
    ...options,
    onPublished: (websiteId, environment) => void announceRules(db, websiteId, environment).catch(onError),
    committed: () => dispatcher.wake(),
  });
  stops.add(() => deployer.stop());
  const committed = (): void => {
    deployer.wake();
    dispatcher.wake();
  };
  wakes.push(committed);
  // The thread starts at its first job.
  const { bulk: pools } = poolSizes(config);
  const { geoipDb, secretKey, previousSecretKey, hitsRetentionDays: retentionDays } = config;
  const hits = { geoipDb, secretKey, previousSecretKey, retentionDays };
  const entry = new URL('./bulk-worker.ts', import.meta.url);
  const thread = createBulkThread({ databaseUrl, instanceId: instance.id, pools, hits }, onError, entry);
  options.measured.threads['bulk'] = thread;
  stops.add(() => thread.close());
  const maintenance = await startMaintenance({ db, clock, log: options.log, ...config }, onError);
  stops.add(() => maintenance.stop());
  await options.startHits();

  void removeLeftUploads(clock.now()).catch(onError);
  let handler: RequestListener | undefined;
  const app = await buildApp({
    ...options,
    jobs: createJobs({ thread, db, rulesets, clock, committed, metrics }),
    instanceId: instance.id,
    secretBox,
    sendNow: (deliveryId) => dispatcher.sendNow(deliveryId),
    state: front.state,
    committed,
    async siteChanged(websiteId) {
      await rulesets.refreshSite(websiteId);
      await announceSite(db, websiteId);
    },
    serve(created) {
      handler = created;
      return front.server;
    },
    closePort: () => front.close(),
  });
  if (handler) front.mount(handler);
  // In parallel, so that a slow receiver's time does not add to that of the requests.
  stops.add(() => Promise.all([app.close(), dispatcher.stop(ATTEMPTS_MS)]), REQUESTS_MS);
  return () => {
    deployer.start();
    dispatcher.start();
  };
}

function openSecretBox({ secretKey, previousSecretKey }: Config): SecretBox {
  if (!secretKey) throw new Error('SECRET_KEY is missing');
  return createSecretBox({ secretKey, previousSecretKey });
}
