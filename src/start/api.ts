/** The composition of the API: background work, the worker threads, Fastify. A process of the role `edge` has none. */
import type { Registry } from 'prom-client';
import { answerPasswordRequest } from '../accounts/forgot-password.ts';
import { buildApp } from '../app.ts';
import type { Db } from '../db/connection/client.ts';
import { poolSizes } from '../db/connection/pool-sizes.ts';
import { registerInstance } from '../db/instance.ts';
import { announceRules, announceSite } from '../deployments/live/change-listener.ts';
import type { CheckGate } from '../deployments/gate/gate.ts';
import type { Rulesets } from '../deployments/live/rulesets.ts';
import { createDeployer } from '../deployments/publish/deployer.ts';
import type { RequestCounter } from '../http/shares/rate-limit-counter.ts';
import type { Jobs } from '../http/jobs.ts';
import { removeLeftUploads } from '../http/body/spool.ts';
import { type BulkWorkerData, createBulkThread, createJobs } from '../jobs/bulk-thread.ts';
import { startMaintenance } from '../maintenance.ts';
import type { Config } from '../platform/config/config.ts';
import { extendTargeting } from '../redirects/write/extend-targeting.ts';
import { auditLogOf } from '../platform/log/log.ts';
import { STOP_TIMES } from '../platform/process/stop-times.ts';
import type { JobThread } from '../platform/jobs/thread.ts';
import { createLoop, type Loop } from '../platform/scheduling/loop.ts';
import { createSecretBox, type SecretBox } from '../platform/secret-box.ts';
import { createDispatcher } from '../webhooks/queue/dispatcher.ts';
import { closePort } from './serve-redirects.ts';
import { createAutomaticChecks } from './automatic-checks.ts';
import { createCheckLoop } from './check-loop.ts';
import { createMoveLoop } from './move-loop.ts';
import { openReads } from './standby.ts';
import { createNoticeLoops } from './notice-loops.ts';
import { createUrlLoops } from './url-loops.ts';
import type { Starting } from './stops.ts';

export interface BackgroundOptions extends Starting {
  metrics: Registry;
  rulesets: Rulesets;
  checkGate: CheckGate;
}

type Background = Awaited<ReturnType<typeof startBackground>>;

/** Starts what works beside requests: queues, the bulk thread, maintenance. */
export async function startBackground(options: BackgroundOptions) {
  const { config, databaseUrl, clock, metrics, rulesets, measured, onError, stops, wakes } = options;
  const db = measured.pools.main;
  const secretBox = openSecretBox(config);
  const instance = await registerInstance(databaseUrl, onError);
  stops.add(() => instance.stop());

  const dispatcher = createDispatcher({
    ...options,
    db,
    secretBox,
    instanceId: instance.id,
    isAlive: () => instance.isHeld(),
    egress: config.webhookEgress,
    isSending: config.webhookSending,
    mail: config.mail,
  });
  const deployer = createDeployer({
    ...options,
    db,
    extendTargeting,
    onPublished: (websiteId, environment) => void announceRules(db, websiteId, environment).catch(onError),
    committed: () => dispatcher.wake(),
  });
  stops.add(() => deployer.stop());
  const committed = (): void => {
    deployer.wake();
    dispatcher.wake();
  };
  wakes.push(committed);
  const thread = bulkThreadOf(options, instance.id);
  measured.threads['bulk'] = thread;
  stops.add(() => thread.close());
  const maintenance = await startMaintenance({ db, clock, log: options.log, ...config }, onError);
  stops.add(() => maintenance.stop());
  const jobs = createJobs({ thread, db, rulesets, clock, committed, metrics });
  const loops = createLoops(options, { db, jobs, secretBox, committed });
  for (const loop of loops) loop.start();
  stops.add(() => Promise.all(loops.map((loop) => loop.stop())));
  return {
    secretBox,
    instanceId: instance.id,
    dispatcher,
    jobs,
    /** Wakes the queues; to be called after each commit that may have queued something. */
    committed,
    /** Starts the work of the queues; call it when the port is open. */
    startQueues() {
      deployer.start();
      dispatcher.start();
    },
  };
}

/** The thread starts at its first job. */
function bulkThreadOf({ config, databaseUrl, onError }: BackgroundOptions, instanceId: number): JobThread {
  const { geoipDb, secretKey, previousSecretKey, hitsRetentionDays: retentionDays } = config;
  const workerData: BulkWorkerData = {
    databaseUrl,
    readUrl: config.databaseReadUrl,
    instanceId,
    pools: poolSizes(config).bulk,
    hits: { geoipDb, secretKey, previousSecretKey, retentionDays },
    egress: config.webhookEgress,
    checks: { egress: config.checkEgress, publicUrl: config.publicUrl },
  };
  return createBulkThread(workerData, onError, new URL('./bulk-worker.ts', import.meta.url));
}

function createLoops(
  { config: { publicUrl, mail, webhookSending }, clock, log, metrics, onError }: BackgroundOptions,
  { db, jobs, secretBox, committed }: { db: Db; jobs: Jobs; secretBox: SecretBox; committed: () => void },
): Pick<Loop, 'start' | 'stop'>[] {
  const message = () => ({ secretBox, publicUrl, now: clock.now() });
  const loops = [
    ...createUrlLoops(db, jobs, onError),
    createMoveLoop(db, jobs, onError),
    createCheckLoop({ db, jobs, clock, committed, metrics }, onError),
    createAutomaticChecks({ db, jobs, clock }, onError),
    ...createNoticeLoops({ db, jobs, message, committed }, onError),
  ];
  if (!mail || !webhookSending) return loops;
  const passwords = createLoop({
    name: 'answering requests for a password',
    everyMs: 1_000,
    onError,
    async tick() {
      const audited = await answerPasswordRequest(db, { publicUrl, mail: secretBox, now: clock.now() });
      if (!audited) return;
      for (const line of audited) auditLogOf(log).info(line, 'audit');
      committed();
      passwords.wake();
    },
  });
  return [...loops, passwords];
}

export interface ApiOptions extends Starting {
  metrics: Registry;
  readMetrics: () => Promise<string>;
  /** counts requests if there is no Redis */
  counter: RequestCounter;
  rulesets: Rulesets;
  background: Background;
}

/** Builds the API and passes the requests of the redirect server to it. */
export async function mountApi({ redirects, background, ...options }: ApiOptions): Promise<void> {
  const { clock, rulesets, measured, onError, stops } = options;
  const { main: db, streams } = measured.pools;
  const { dispatcher } = background;
  const { server, state } = redirects;
  void removeLeftUploads(clock.now()).catch(onError);
  let handler = state.api;
  const app = await buildApp({
    ...options,
    ...background,
    db,
    streams,
    reads: openReads(options, options.metrics),
    sendNow: (deliveryId) => dispatcher.sendNow(deliveryId),
    state,
    async siteChanged(websiteId) {
      await rulesets.refreshSite(websiteId);
      await announceSite(db, websiteId);
    },
    serve(created) {
      handler = created;
      return server;
    },
    closePort: () => closePort(redirects),
  });
  state.api = handler;
  // In parallel, so that a slow receiver's time does not add to that of the requests.
  stops.add(() => Promise.all([app.close(), dispatcher.stop(STOP_TIMES.attempts)]), STOP_TIMES.requests);
}

function openSecretBox({ secretKey, previousSecretKey }: Config): SecretBox {
  if (!secretKey) throw new Error('SECRET_KEY is missing');
  return createSecretBox({ secretKey, previousSecretKey });
}
