import { sql } from '../db/drizzle.ts';
import { isShownAs, type ShownActor, shownActor } from './website-scope.ts';
import type { AuditEntry } from './audit.ts';
import type { Queryable } from '../db/connection/client.ts';
import { queryRows } from '../db/rows.ts';
import { isInRange, type TimeRange } from '../db/time-range.ts';
import { DAY_MS, systemClock } from '../platform/clock.ts';
import { firstIdOf } from '../platform/ids.ts';
import type { Actor } from '../vocabulary/actor.ts';
import type { AuditAction } from '../vocabulary/audit.ts';

/** A change of settings: an entry of the audit log without the client of its request. */
export interface SettingsEntry extends Pick<AuditEntry, 'id' | 'createdAt' | 'action' | 'target' | 'details'> {
  actor: ShownActor;
  /** null: it concerns the account */
  websiteId: number | null;
}

type SettingsRow = Omit<AuditEntry, 'address' | 'userAgent'> & Pick<SettingsEntry, 'websiteId'>;

const OF_WEBSITE: AuditAction[] = [
  'website.created',
  'website.updated',
  'website.hosts_changed',
  'host.verified',
  'urls.changed',
  'logs.counted',
];
/** Only in the activity of all websites. Owners see them. */
const OF_OWNERS: AuditAction[] = [
  'website.deleted',
  'user.added',
  'user.removed',
  'user.role_changed',
  'user.websites_changed',
  'invitation.created',
  'invitation.revoked',
  'invitation.accepted',
  'api_key.created',
  'api_key.renamed',
  'api_key.rolled',
  'api_key.revoked',
  'account.plan_changed',
  'account.exported',
];
/** Webhooks and notices belong to the account. Owners see them, and keys that are not limited. */
const OF_ACCOUNT: AuditAction[] = [
  'webhook.created',
  'webhook.updated',
  'webhook.deleted',
  'webhook.secret_rotated',
  'notice.created',
  'notice.updated',
  'notice.deleted',
];

/** SQL: the website of an entry. */
const WEBSITE = sql`case when action in ('host.verified', 'urls.changed', 'logs.counted') then details->>'website_id'
      when action like 'website.%' then substring(target from '\\((\\d+)\\)$') end`;

/**
 * Returns up to `limit` changes of the settings of a website, or of the account with all its websites, below the entry
 * `before`, newest first, of the last `days` days. Owners, and keys that are not limited to websites, also get those of
 * webhooks and notices.
 */
export async function readSettingsActivity(
  db: Queryable,
  actor: Actor,
  input: TimeRange & {
    websiteId: number | undefined;
    actor: string | undefined;
    days: number;
    before: string | null;
    limit: number;
  },
): Promise<SettingsEntry[]> {
  const isOfAll = actor.role === 'owner' || (actor.type === 'key' && actor.websiteIds === undefined);
  const { websiteId } = input;
  const ofOwners = websiteId === undefined && actor.role === 'owner' ? OF_OWNERS : [];
  const actions = isOfAll ? [...OF_WEBSITE, ...OF_ACCOUNT, ...ofOwners] : OF_WEBSITE;
  const ids = websiteId === undefined ? actor.websiteIds : [websiteId];
  const isReached = ids
    ? sql`coalesce(${WEBSITE} = any(${sql.param(ids.map(String))}::text[]), ${isOfAll})`
    : sql`true`;
  const oldest = firstIdOf(systemClock.now().getTime() - input.days * DAY_MS);
  // The index has one order for each action.
  const rows = await queryRows<Omit<SettingsRow, 'createdAt'> & { createdAt: string }>(db)`
    select e.id, e.created_at, e.action, e.actor_type, e.actor_id, e.actor_name, e.target, e.details,
      (${WEBSITE})::int as website_id
    from unnest(${sql.param(actions)}::text[]) a(name) cross join lateral (
      select * from audit where account_id = ${actor.accountId}::int and action = a.name and id > ${oldest}::uuid
        and (${input.before}::uuid is null or id < ${input.before}::uuid)
        and ${isInRange(sql.raw('created_at'), input)}
        and ${input.actor === undefined ? sql`true` : isShownAs(actor, input.actor, 'audit')} and ${isReached}
      order by id desc limit ${input.limit}::int) e
    order by e.id desc limit ${input.limit}::int`;
  return rows.map(({ actorType, actorId, actorName, ...row }) => {
    const by = shownActor(actor, { type: actorType, id: actorId, name: actorName });
    return { ...row, actor: by, createdAt: new Date(row.createdAt) };
  });
}
