import { sql } from '../db/drizzle.ts';
import { isShownAs, type ShownActor, shownActor } from './website-scope.ts';
import type { AuditEntry } from './audit.ts';
import type { Queryable } from '../db/connection/client.ts';
import { queryRows } from '../db/rows.ts';
import { DAY_MS, systemClock } from '../platform/clock.ts';
import { firstIdOf } from '../platform/ids.ts';
import type { Actor } from '../vocabulary/actor.ts';
import type { AuditAction } from '../vocabulary/audit.ts';

/** A change of settings: an entry of the audit log without the client of its request. */
export interface SettingsEntry extends Omit<SettingsRow, 'actorType' | 'actorId' | 'actorName'> {
  actor: ShownActor;
}

type SettingsRow = Omit<AuditEntry, 'address' | 'userAgent'>;

const OF_WEBSITE: AuditAction[] = [
  'website.created',
  'website.updated',
  'website.hosts_changed',
  'host.verified',
  'urls.changed',
  'logs.counted',
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

/**
 * Returns up to `limit` changes of the settings of a website below the entry `before`, newest first, of the last `days`
 * days. Owners, and keys that are not limited to websites, also get those of webhooks and notices.
 */
export async function readSettingsActivity(
  db: Queryable,
  actor: Actor,
  input: { websiteId: number; actor: string | undefined; days: number; before: string | null; limit: number },
): Promise<SettingsEntry[]> {
  const isOfAll = actor.role === 'owner' || (actor.type === 'key' && actor.websiteIds === undefined);
  const actions = isOfAll ? [...OF_WEBSITE, ...OF_ACCOUNT] : OF_WEBSITE;
  const isOfWebsite = sql`case when action in ('host.verified', 'urls.changed', 'logs.counted') then details->>'website_id' = ${String(input.websiteId)}
      when action like 'website.%' then target like ${`% (${input.websiteId})`} else true end`;
  const oldest = firstIdOf(systemClock.now().getTime() - input.days * DAY_MS);
  // The index has one order for each action.
  const rows = await queryRows<Omit<SettingsRow, 'createdAt'> & { createdAt: string }>(db)`
    select e.id, e.created_at, e.action, e.actor_type, e.actor_id, e.actor_name, e.target, e.details
    from unnest(${sql.param(actions)}::text[]) a(name) cross join lateral (
      select * from audit where account_id = ${actor.accountId}::int and action = a.name and id > ${oldest}::uuid
        and (${input.before}::uuid is null or id < ${input.before}::uuid)
        and ${input.actor === undefined ? sql`true` : isShownAs(actor, input.actor, 'audit')} and ${isOfWebsite}
      order by id desc limit ${input.limit}::int) e
    order by e.id desc limit ${input.limit}::int`;
  return rows.map(({ actorType, actorId, actorName, ...row }) => {
    const by = shownActor(actor, { type: actorType, id: actorId, name: actorName });
    return { ...row, actor: by, createdAt: new Date(row.createdAt) };
  });
}
