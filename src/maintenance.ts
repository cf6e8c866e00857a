/** Runs the periodic maintenance jobs in every process. Each job may run in several processes at a time. */
import type { FastifyBaseLogger } from 'fastify';
import { purgeAudit } from './accounts/audit.ts';
import { purgePasswordRequests } from './accounts/forgot-password.ts';
import { purgeMailCounts } from './accounts/mail/outbox.ts';
import { purgeExpired } from './accounts/sign-in/session.ts';
import type { Db } from './db/connection/client.ts';
import { purgeAgents } from './deployments/agents/report-agent.ts';
import { purgeFailures } from './deployments/gate/failures.ts';
import { pruneRevisions } from './deployments/publish/versions/version-retention.ts';
import { dropOrphanedStages } from './expectations/stage.ts';
import type { Clock } from './platform/clock.ts';
import { purgeHits } from './hits/store/retention.ts';
import { createMonthlyPartitionsAhead } from './hits/store/monthly-partitions.ts';
import { reduceVisitors } from './hits/store/reduce-visitors.ts';
import { auditLogOf } from './platform/log/log.ts';
import { purgeCauses } from './notices/raise.ts';
import { purgeHours } from './notices/watch/bursts.ts';
import { purgeChecks } from './checks/stop-check.ts';
import { purgeMoves } from './moves/delete-move.ts';
import { createLoop, type Loop } from './platform/scheduling/loop.ts';
import { cleanUpImports } from './redirects/import/engine/import-record.ts';
import { purgeChanges } from './redirects/changes/record-change.ts';
import { purgeImports } from './redirects/import/verdicts/purge-imports.ts';
import { dropExpiredVerdicts } from './redirects/import/verdicts/store-verdicts.ts';
import { createDailyPartitions, dropOldPartitions } from './events/daily-partitions.ts';
import { purgeWebhooks } from './webhooks/queue/retention.ts';
import { purgeVisitorUrls } from './urls/known-from-visitors.ts';
import { purgeDownloads } from './http/download-link.ts';
import { purgeLogBodies } from './urls/logs/log-bodies.ts';
import { purgeLogDays } from './urls/logs/log-days.ts';
import { purgeUrlHits } from './urls/logs/write-url-hits.ts';
import { purgeUploads } from './urls/uploads.ts';
import { purgeDeletedAccounts } from './websites/delete-account.ts';
import { purgeDeletedWebsites } from './websites/delete.ts';

const HOURLY_MS = 3_600_000;
const ORPHANS_MS = 5_000;
/** Deletes may work through millions of rows, in small batches. */
const MAX_TICK_MS = 600_000;

export interface MaintenanceOptions {
  db: Db;
  clock: Clock;
  /** retention of events, deliveries, attempts, imports and failures of deployments in days */
  retentionDays: number;
  /** retention of hit statistics in days */
  hitsRetentionDays: number;
  log: FastifyBaseLogger;
}

/**
 * Starts the jobs. Resolves when today's partitions exist and the imports of crashed processes are marked as failed.
 */
export async function startMaintenance(
  options: MaintenanceOptions,
  onError: (error: unknown) => void,
): Promise<{ stop(): Promise<void> }> {
  const { db, clock } = options;
  await createDailyPartitions(db, clock.now());
  await createMonthlyPartitionsAhead(db, clock.now());
  await cleanUpImports(db);
  const loops = createLoops(options, onError);
  for (const loop of loops) loop.start();
  return {
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}

/** Returns a function that creates a job. A tick that returns true is followed by the next one at once. */
const jobCreator =
  (onError: (error: unknown) => void) =>
  (name: string, tick: () => Promise<boolean | void>, everyMs = HOURLY_MS): Loop => {
    const loop = createLoop({
      name,
      everyMs,
      onError,
      maxTickMs: MAX_TICK_MS,
      async tick() {
        if ((await tick()) === true) loop.wake();
      },
    });
    return loop;
  };

function createLoops(
  { db, clock, retentionDays, hitsRetentionDays, log }: MaintenanceOptions,
  onError: (error: unknown) => void,
): Loop[] {
  const writeAudit = (line: Record<string, unknown>): void => auditLogOf(log).info(line, 'audit');
  const createJob = jobCreator(onError);
  let lastWebsiteId = 0;
  return [
    createJob('reducing visitors', () => reduceVisitors(db, clock.now())),
    createJob('cleaning up events', async () => {
      // One moment for all: partitions of a day are dropped only after its deliveries.
      const now = clock.now();
      await createDailyPartitions(db, now);
      await purgeWebhooks(db, now, retentionDays);
      await dropOldPartitions(db, now, retentionDays);
      await purgeFailures(db, now, retentionDays);
    }),
    createJob(
      'cleaning up imports',
      async () => {
        await cleanUpImports(db);
        await dropExpiredVerdicts(db);
        await dropOrphanedStages(db);
        return (await purgeDeletedWebsites(db)) || (await purgeDeletedAccounts(db, writeAudit));
      },
      ORPHANS_MS,
    ),
    createJob('deleting old imports, uploads, hashes of logs, checks, URLs of visitors and rows of moves', async () => {
      await purgeImports(db, retentionDays);
      await purgeChanges(db);
      await purgeUploads(db);
      await purgeVisitorUrls(db);
      await purgeLogBodies(db);
      await purgeLogDays(db, clock.now());
      await purgeUrlHits(db);
      await purgeMoves(db);
      await purgeChecks(db, clock.now());
    }),
    createJob('cleaning up sessions and the audit log', async () => {
      await purgeExpired(db, clock.now());
      await purgeDownloads(db, clock.now());
      await purgePasswordRequests(db, clock.now());
      await purgeMailCounts(db, clock.now());
      await purgeAudit(db, clock.now());
    }),
    createJob('cleaning up revisions', async () => {
      lastWebsiteId = await pruneRevisions(db, lastWebsiteId);
      return lastWebsiteId > 0;
    }),
    createJob('cleaning up hits, agents and what was reported', async () => {
      const now = clock.now();
      await purgeHits(db, now, hitsRetentionDays);
      await purgeAgents(db, now);
      await purgeHours(db, now);
      await purgeCauses(db, now);
    }),
  ];
}
