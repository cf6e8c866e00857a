import type { Db, Queryable } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { deleteInBatches, queryRows } from '../../db/rows.ts';
import { DAY_MS } from '../../platform/clock.ts';
import type { Deployment } from '../publish/deployment.ts';

/** Rows of one page: each may be some KiB of text. */
const PAGE_SIZE = 100;

/** Yields the failed expectations of a deployment as JSON texts (`failureJson`), in pages; none if it met all. */
export async function* failuresOf(
  db: Queryable,
  { websiteId, id, status }: Pick<Deployment, 'websiteId' | 'id' | 'status'>,
): AsyncGenerator<string[]> {
  // A try that a crash ended may have stored failures of rules that are published later.
  if (status !== 'failed') return;
  for (let after = 0; ; after += PAGE_SIZE) {
    const rows = await queryRows<{ failure: string }>(db)`
      select failure from deployment_failures
      where website_id = ${websiteId} and deployment_id = ${id} and position > ${after}
      order by position limit ${PAGE_SIZE}`;
    if (rows.length > 0) yield rows.map(({ failure }) => failure);
    if (rows.length < PAGE_SIZE) return;
  }
}

/** Deletes failures that are older than `retentionDays`. Their deployments stay, with the first failures in `error`. */
export async function purgeFailures(db: Db, now: Date, retentionDays: number): Promise<void> {
  const before = new Date(now.getTime() - retentionDays * DAY_MS).toISOString();
  await deleteInBatches(db, 'deployment_failures', sql`t.created_at < ${before}::timestamptz`);
}
