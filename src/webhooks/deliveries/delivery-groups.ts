/** The log of a webhook by what was queued together: the events of one change are one group. */
import type { Queryable } from '../../db/connection/client.ts';
import { and, desc, eq, sql } from '../../db/drizzle.ts';
import { deliveries } from '../../db/schema/webhooks.ts';
import { queryRows } from '../../db/rows.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { requireWebhook } from '../receivers/webhook.ts';
import { type Delivery, type DeliveryFilter, type DeliveryPage, isListed, SHOWN } from './delivery.ts';

/** Deliveries that a page reads, and the largest group: one change publishes at most 10,000 events of a type. */
const MAX_READ = 10_000;
/** Different answers that a group lists, the most frequent first. */
const MAX_ANSWERS = 10;

/** The newest delivery of a group stands for it. */
export interface DeliveryGroup {
  count: number;
  /** the id of its oldest delivery */
  first: number;
  answers: Answer[];
}

interface Answer extends Pick<Delivery, 'state' | 'lastStatus' | 'lastError'> {
  count: number;
  isAttempted: boolean;
}

/**
 * As listDeliveries, with one entry for consecutive deliveries of one time, event type and kind. A group may go on in the
 * next page.
 */
export async function listDeliveryGroups(
  db: Queryable,
  actor: Actor,
  { webhookId, ...filter }: DeliveryFilter & { webhookId: string },
  { limit, before }: DeliveryPage,
): Promise<{ deliveries: (Delivery & { group: DeliveryGroup })[]; next: number | null }> {
  await requireWebhook(db, actor, webhookId);
  const { id, createdAt, kind, event } = deliveries;
  const isStart = sql`(${createdAt}, ${kind}, ${event}) is distinct from lag((${createdAt}, ${kind}, ${event})) over newer`;
  const groups = await queryRows<DeliveryGroup & { last: number; isEnd: boolean }>(db)`
    with read as (
      select * from deliveries where ${and(eq(deliveries.webhookId, webhookId), isListed(filter, before))}
      order by ${desc(id)} limit ${MAX_READ}),
    marked as (select *, ${isStart} as is_start from read deliveries window newer as (order by id desc)),
    grouped as (select *, count(*) filter (where is_start) over (order by id desc) as place from marked),
    answers as (
      select place, max(id) as last, min(id) as first, count(*) as count, state, attempt_no > 0 as attempted, last_status,
        last_error
      from grouped where place <= ${limit} group by place, state, attempt_no > 0, last_status, last_error)
    select max(last) as last, min(first) as first, sum(count)::int as count,
      min(first) > (select min(id) from read) or (select count(*) from read) = ${MAX_READ} as is_end,
      json_agg(json_build_object('count', count, 'state', state, 'isAttempted', attempted, 'lastStatus', last_status,
        'lastError', last_error) order by count desc) as answers
    from answers group by place order by place`;
  const heads = groups.map(({ last }) => Number(last));
  const rows = await db
    .select(SHOWN)
    .from(deliveries)
    .where(sql`${id} = any(${sql.param(heads)}::bigint[])`);
  const shown = groups.flatMap(({ last, first, count, answers }) => {
    const head = rows.find((row) => row.id === Number(last));
    return head ? [{ ...head, group: { count, first: Number(first), answers: answers.slice(0, MAX_ANSWERS) } }] : [];
  });
  const end = groups.at(-1);
  return { deliveries: shown, next: end?.isEnd ? Number(end.first) : null };
}
