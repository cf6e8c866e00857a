/** What has to be done from time to time, on every process, whoever comes first: nobody waits for it. */
import { tidyAccounts } from './accounts/tidy.ts';
import type { Db } from './db/client.ts';
import { forgetRevisions } from './deployments/forget-revisions.ts';
import type { Clock } from './platform/clock.ts';
import { tidyHits } from './hits/retention.ts';
import { makeHitMonthsAhead } from './hits/months.ts';
import { createLoop } from './platform/loop.ts';
import { clearDeadImports } from './redirects/import/clear-dead-imports.ts';
import { dropOldRowTables } from './redirects/import/row-table.ts';
import { makeDays } from './webhooks/days.ts';
import { tidyWebhooks } from './webhooks/retention.ts';
import { purgeDeletedWebsites } from './websites/purge.ts';

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
  await makeDays(db, clock.now());
  await makeHitMonthsAhead(db, clock.now());
  await clearDeadImports(db);
  const days = createLoop(
    async () => {
      await makeDays(db, clock.now());
      await tidyWebhooks(db, clock.now(), retentionDays);
    },
    HOURLY_MS,
    onError,
  );
  const rows = createLoop(
    async () => {
      await clearDeadImports(db);
      await dropOldRowTables(db);
      if (await purgeDeletedWebsites(db)) rows.poke();
    },
    OFTEN_MS,
    onError,
  );
  const accounts = createLoop(() => tidyAccounts(db, clock.now()), HOURLY_MS, onError);
  let website = 0;
  const pasts = createLoop(
    async () => {
      website = await forgetRevisions(db, website);
      if (website > 0) pasts.poke();
    },
    HOURLY_MS,
    onError,
  );
  const hits = createLoop(() => tidyHits(db, clock.now(), hitsRetentionDays), HOURLY_MS, onError);
  const loops = [days, accounts, rows, pasts, hits];
  for (const loop of loops) loop.start();
  return {
    async stop() {
      for (const loop of loops) await loop.stop();
    },
  };
}
