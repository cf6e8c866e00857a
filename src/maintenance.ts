/** What has to be done from time to time, on every process, whoever comes first: nobody waits for it. */
import { purgeExpired } from './accounts/session.ts';
import type { Db } from './db/client.ts';
import { pruneRevisions } from './deployments/publish/version-retention.ts';
import type { Clock } from './platform/clock.ts';
import { purgeHits } from './hits/store/retention.ts';
import { createMonthlyPartitionsAhead } from './hits/store/monthly-partitions.ts';
import { createLoop } from './platform/loop.ts';
import { failOrphanedImports } from './redirects/import/import-record.ts';
import { dropExpiredVerdicts } from './redirects/import/verdict-table.ts';
import { createDailyPartitions, dropOldPartitions } from './events/daily-partitions.ts';
import { purgeWebhooks } from './webhooks/queue/retention.ts';
import { purgeDeletedWebsites } from './websites/delete.ts';

const HOURLY_MS = 3_600_000;
const OFTEN_MS = 5_000;

export interface UpkeepOptions {
  db: Db;
  clock: Clock;
  /** days that events, deliveries and attempts are kept */
  retentionDays: number;
  /** days that the roll-ups of hits are kept */
  hitsRetentionDays: number;
}

/** Resolves when what must be there from the start is there: the partitions of today, and no import of a dead process. */
export async function startUpkeep(
  { db, clock, retentionDays, hitsRetentionDays }: UpkeepOptions,
  onError: (error: unknown) => void,
): Promise<{ stop(): Promise<void> }> {
  await createDailyPartitions(db, clock.now());
  await createMonthlyPartitionsAhead(db, clock.now());
  await failOrphanedImports(db);
  const days = createLoop(
    async () => {
      await createDailyPartitions(db, clock.now());
      await purgeWebhooks(db, clock.now(), retentionDays);
      await dropOldPartitions(db, clock.now(), retentionDays);
    },
    HOURLY_MS,
    onError,
  );
  const rows = createLoop(
    async () => {
      await failOrphanedImports(db);
      await dropExpiredVerdicts(db);
      if (await purgeDeletedWebsites(db)) rows.wake();
    },
    OFTEN_MS,
    onError,
  );
  const accounts = createLoop(() => purgeExpired(db, clock.now()), HOURLY_MS, onError);
  let website = 0;
  const pasts = createLoop(
    async () => {
      website = await pruneRevisions(db, website);
      if (website > 0) pasts.wake();
    },
    HOURLY_MS,
    onError,
  );
  const hits = createLoop(() => purgeHits(db, clock.now(), hitsRetentionDays), HOURLY_MS, onError);
  const loops = [days, accounts, rows, pasts, hits];
  for (const loop of loops) loop.start();
  return {
    async stop() {
      for (const loop of loops) await loop.stop();
    },
  };
}
