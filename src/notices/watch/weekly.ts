import type { Db } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import { DAY_MS, utcDay } from '../../platform/clock.ts';
import { readDigest } from '../digest.ts';
import { IS_NOTIFIED } from '../notice.ts';
import type { Looked } from '../raise.ts';
import { type MessageDeps, queueMessage, type Receiver } from '../queue-message.ts';
import { nextDigest } from '../write-notice.ts';

/** Queues the weekly digest of one notice, and sets when the next one is due. */
export async function sendDigest(db: Db, deps: MessageDeps): Promise<Looked> {
  const { now } = deps;
  return db.transaction(async (tx) => {
    type Row = Receiver & { websiteIds: number[] | null; timeZone: string; isNotified: boolean };
    const [due] = await queryRows<Row>(tx)`
      select n.id, n.account_id, w.name, w.channel, w.url as address, n.website_ids, n.time_zone, ${IS_NOTIFIED} as is_notified
      from notices n join webhooks w on w.id = n.id join accounts a on a.id = n.account_id
      where n.digest_at <= ${now.toISOString()}::timestamptz order by n.digest_at limit 1 for update of n skip locked`;
    if (!due) return 'idle';
    const { websiteIds, timeZone, isNotified, ...receiver } = due;
    await tx.execute(sql`update notices set digest_at = ${nextDigest(timeZone, now)} where id = ${due.id}`);
    if (!isNotified) return 'more';
    const [from, to] = [utcDay(new Date(now.getTime() - 7 * DAY_MS)), utcDay(new Date(now.getTime() - DAY_MS))];
    const data = await readDigest(tx, receiver, websiteIds, { from, to });
    const place = {
      websiteId: websiteIds?.length === 1 ? (websiteIds[0] ?? null) : null,
      environment: null,
      path: null,
    };
    await queueMessage(tx, receiver, { kind: 'digest.weekly', ...place, data }, { ...deps, more: 0 });
    return 'more';
  });
}
