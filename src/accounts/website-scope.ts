/**
 * Which websites an actor reaches, what it may do there, and what it sees of other actors. Every query that an actor's
 * account scopes uses one of these conditions, so that a key or a person limited to websites sees no other one.
 * test/house/scope.test.ts holds the code to it.
 */
import type { Queryable } from '../db/connection/client.ts';
import { containing, sql, type SQL } from '../db/drizzle.ts';
import { queryRows } from '../db/rows.ts';
import type { Actor, Role, WebsiteRole, WebsiteRoles } from '../vocabulary/actor.ts';
import { DomainError } from '../vocabulary/error.ts';
import { requireRole } from './permissions.ts';

/** SQL condition: the website `alias` is the account's, is not deleted, and the actor is not limited to others. */
export function isOwnWebsite(
  { accountId, websiteIds }: Pick<Actor, 'accountId' | 'websiteIds'>,
  alias = 'websites',
): SQL {
  const website = sql.identifier(alias);
  return sql`(${website}.account_id = ${accountId} and ${website}.deleting_since is null${isAmong(website, websiteIds)})`;
}

/** As isOwnWebsite, only websites where a limited person may write. */
export function isEditableWebsite(actor: Actor): SQL {
  return sql`(${isOwnWebsite(actor)}${isAmong(sql.identifier('websites'), actor.editableIds)})`;
}

function isAmong(website: ReturnType<typeof sql.identifier>, ids: readonly number[] | undefined): SQL {
  // An empty list matches nothing.
  return ids ? sql` and ${website}.id = any(${sql.param([...ids])}::int[])` : sql``;
}

/**
 * SQL condition: the row `alias` is the account's and, if the actor is limited, of a website that it reaches. A row
 * without a website is not.
 */
export function isOwnRow(actor: Actor, alias: string): SQL {
  const row = sql.identifier(alias);
  const isReached = sql` and ${row}.website_id = any(array(select id from websites where ${isOwnWebsite(actor)}))`;
  return sql`(${row}.account_id = ${actor.accountId}${actor.websiteIds ? isReached : sql``})`;
}

/** Throws INSUFFICIENT_SCOPE or INSUFFICIENT_ROLE if the actor is limited: `what` concerns the whole account. */
export function requireAllWebsites({ websiteIds, type }: Actor, what: string): void {
  if (websiteIds === undefined) return;
  if (type === 'key')
    throw new DomainError('INSUFFICIENT_SCOPE', 'This API key is limited to websites', {
      details: `Authorization: ${what}; use a key without website_ids`,
    });
  throw new DomainError('INSUFFICIENT_ROLE', 'You are limited to websites', {
    details: `${what.charAt(0).toUpperCase()}${what.slice(1)}; an owner of the account can do it`,
  });
}

/**
 * Throws INSUFFICIENT_ROLE if a user has a lower role than `least` at a website that the actor reaches. False if the user
 * no longer reaches it. Reads the role again: it may have changed while the body arrived, or while the call waited.
 */
export async function hasRoleAt(db: Queryable, actor: Actor, websiteId: number, least: WebsiteRole): Promise<boolean> {
  if (actor.type !== 'user') return true;
  const [row] = await queryRows<{ role: Role | null }>(db)`
    select case when u.is_limited then w.role else u.role end as role
    from users u left join user_websites w on w.user_id = u.id and w.website_id = ${websiteId}
    where u.id = ${Number(actor.id)}`;
  if (!row?.role) return false;
  requireRole({ ...actor, role: row.role }, least);
  return true;
}

/** The parts of an actor that limit a person to these websites. */
export function limitsOf(roles: WebsiteRoles): Pick<Actor, 'role' | 'websiteIds' | 'editableIds'> {
  const websiteIds = Object.keys(roles).map(Number);
  const editableIds = websiteIds.filter((id) => roles[id] === 'editor');
  return { role: editableIds.length > 0 ? 'editor' : 'viewer', websiteIds, editableIds };
}

/** SQL: the roles of the user `alias` by website, without deleted ones, as JSON; null if the user is not limited. */
export function websiteRolesOf(alias: string): SQL<WebsiteRoles | null> {
  const user = sql.identifier(alias);
  return sql`case when ${user}.is_limited then (
    select coalesce(json_object_agg(r.website_id, r.role order by r.website_id), '{}') from user_websites r
    join websites w on w.id = r.website_id and w.deleting_since is null where r.user_id = ${user}.id) end`;
}

/** Returns those of the ids that are websites which the actor reaches. */
export async function ownWebsiteIds(db: Queryable, actor: Actor, ids: number[]): Promise<Set<number>> {
  const rows = await queryRows<{ id: number }>(db)`
    select id from websites where ${isOwnWebsite(actor)} and id = any(${sql.param(ids)}::bigint[])`;
  return new Set(rows.map(({ id }) => id));
}

/** The actor of a change or event as a viewer may see it. */
export interface ShownActor extends Pick<Actor, 'type' | 'name'> {
  /** null for a colleague whom the viewer may not know */
  id: string | null;
}

const COLLEAGUE: ShownActor = { type: 'user', id: null, name: 'a colleague' };

const isSelf = (viewer: Actor, { type, id }: ShownActor): boolean => type === viewer.type && id === viewer.id;

/** Returns the actor, or for a limited person `a colleague` unless it is the person or the service itself. */
export function shownActor(viewer: Actor, actor: ShownActor): ShownActor {
  if (viewer.editableIds === undefined || actor.type === 'system' || isSelf(viewer, actor)) return actor;
  return COLLEAGUE;
}

/**
 * SQL condition: shownActor has this name for the row `alias`, which has the columns of an actor. `*text*` selects names
 * with the text, ignoring case.
 */
export function isShownAs(viewer: Actor, name: string, alias: string): SQL {
  const column = (field: string): SQL => sql`${sql.identifier(alias)}.${sql.identifier(`actor_${field}`)}`;
  const [, part] = /^\*(.+)\*$/s.exec(name) ?? [];
  const isFound = part === undefined ? sql`= ${name}` : sql`ilike ${containing(part)}`;
  if (viewer.editableIds === undefined) return sql`${column('name')} ${isFound}`;
  return sql`case when ${column('type')} = 'system' or (${column('type')} = ${viewer.type} and ${column('id')} = ${viewer.id})
    then ${column('name')} else ${COLLEAGUE.name} end ${isFound}`;
}
