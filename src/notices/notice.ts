/** Notices of an account: who is notified of what. */
import type { Queryable } from '../db/connection/client.ts';
import { sql, type SQL } from '../db/drizzle.ts';
import { queryRows, timeOf } from '../db/rows.ts';
import { SENDING_PLANS } from '../events/outbox.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { DomainError } from '../vocabulary/error.ts';
import type { NoticeChannel, NoticeKind, NoticeStatus } from '../vocabulary/notices.ts';

export interface Notice {
  id: string;
  name: string;
  channel: NoticeChannel;
  /** the email, or the masked URL */
  address: string;
  kinds: NoticeKind[];
  websiteIds: number[] | null;
  isActive: boolean;
  status: NoticeStatus;
  timeZone: string;
  lastSuccessAt: Date | null;
  failingSince: Date | null;
  /** the last message was a test, and failed */
  testFailedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

/** True for a notice `n` with receiver `w` whose email belongs to a user of the account, or was confirmed. */
const IS_CONFIRMED = sql`(w.channel <> 'email' or n.confirmed_at is not null
  or exists (select from users u where u.account_id = n.account_id and u.email = w.url))`;

/** True for a notice `n` with receiver `w` of account `a` that is sent messages now. */
export const IS_NOTIFIED = sql`(n.unsubscribed_at is null and w.deactivated_reason is null and ${IS_CONFIRMED}
  and (w.channel = 'email' or a.plan = any (${SENDING_PLANS}::text[])))`;

type Row = Omit<Notice, 'lastSuccessAt' | 'failingSince' | 'testFailedAt' | 'createdAt' | 'updatedAt'> &
  Record<string, string | null>;

async function selectNotices(db: Queryable, condition: SQL): Promise<Notice[]> {
  const rows = await queryRows<Row>(db)`
    select n.id, w.name, w.channel, w.url as address, n.kinds, n.website_ids, n.time_zone,
      w.deactivated_reason is distinct from 'user' as is_active,
      case when n.unsubscribed_at is not null then 'unsubscribed' when not ${IS_CONFIRMED} then 'unconfirmed'
        when w.deactivated_reason in ('gone', 'failing') then 'failing' else 'active' end as status,
      w.last_success_at, w.failing_since, n.created_at, n.updated_at,
      case when d.kind = 'test' and d.state = 'failed' then d.created_at end as test_failed_at
    from notices n join webhooks w on w.id = n.id left join lateral (
      select kind, state, created_at from deliveries where webhook_id = n.id order by id desc limit 1) d on true
    where ${condition} order by n.created_at desc, n.id desc`;
  return rows.map((row) => ({
    ...row,
    lastSuccessAt: timeOf(row['lastSuccessAt'] ?? null),
    failingSince: timeOf(row['failingSince'] ?? null),
    testFailedAt: timeOf(row['testFailedAt'] ?? null),
    createdAt: new Date(row['createdAt'] ?? 0),
    updatedAt: new Date(row['updatedAt'] ?? 0),
  }));
}

/** Lists all notices of the account, newest first. */
export async function listNotices(db: Queryable, { accountId }: Pick<Actor, 'accountId'>): Promise<Notice[]> {
  return selectNotices(db, sql`n.account_id = ${accountId}`);
}

/** Notices whose messages do not arrive, also those that ended for that reason; longest failing first. */
export async function failingNotices(
  db: Queryable,
  { accountId }: Pick<Actor, 'accountId'>,
): Promise<Pick<Notice, 'id' | 'name' | 'failingSince'>[]> {
  const rows = await queryRows<{ id: string; name: string; failingSince: string | null }>(db)`
    select n.id, w.name, coalesce(w.failing_since, w.deactivated_at) as failing_since
    from notices n join webhooks w on w.id = n.id
    where n.account_id = ${accountId} and n.unsubscribed_at is null
      and (w.deactivated_reason in ('gone', 'failing') or (w.deactivated_reason is null and w.failing_since is not null))
    order by 3, n.id`;
  return rows.map((row) => ({ ...row, failingSince: timeOf(row.failingSince) }));
}

/** Returns the notice. Throws NOTICE_NOT_FOUND if it does not exist or belongs to another account. */
export async function requireNotice(db: Queryable, actor: Pick<Actor, 'accountId'>, id: string): Promise<Notice> {
  const [found] = await selectNotices(db, sql`n.account_id = ${actor.accountId} and n.id = ${id}`);
  if (found) return found;
  throw new DomainError('NOTICE_NOT_FOUND', 'Notice not found', { details: `id: there is no notice ${id}` });
}

/** A notice in the audit log. */
export const noticeTarget = ({ id, name }: Pick<Notice, 'id' | 'name'>): string => `${name} (${id})`;
