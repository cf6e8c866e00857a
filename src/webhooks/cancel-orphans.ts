import { sql } from 'drizzle-orm';
import type { Queryable } from '../db/client.ts';

const BATCH = 5_000;

/**
 * Ends the waiting deliveries of webhooks that are no more: of the one that is named, or all there are (one may have been queued in the
 * moment of the deletion). A batch is a statement of its own, so that nothing waits for a long one. Answers how many it ended.
 */
export async function cancelOrphans(db: Queryable, now: Date, webhookId?: string): Promise<number> {
  const ofOne = webhookId === undefined ? sql`true` : sql`d.webhook_id = ${webhookId}`;
  let canceled = 0;
  for (;;) {
    const { rowCount } = await db.execute(sql`
      update deliveries set state = 'canceled', finished_at = ${now.toISOString()}::timestamptz
      where id in (
        select d.id from deliveries d
        where d.state = 'pending' and ${ofOne} and not exists (select 1 from webhooks w where w.id = d.webhook_id)
        limit ${BATCH} for update of d skip locked)`);
    canceled += rowCount ?? 0;
    if ((rowCount ?? 0) < BATCH) return canceled;
  }
}
