import { sql } from 'drizzle-orm';
import { isOwnWebsite } from '../../accounts/website-scope.ts';
import type { Queryable } from '../../db/client.ts';
import { queryRows } from '../../db/rows.ts';
import { decodeCursor, encodeCursor, isCount } from '../../platform/cursor.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { CHANGE_RETENTION_DAYS, type ChangeKind } from '../../vocabulary/change.ts';
import { DomainError } from '../../vocabulary/error.ts';
import { requireWebsiteRow } from '../../websites/website.ts';
import type { ChangeCounts } from './record-change.ts';

/** A recorded write of the redirects of a website. */
export interface Change {
  id: string;
  websiteId: number;
  revision: number;
  kind: ChangeKind;
  actor: Pick<Actor, 'type' | 'id' | 'name'>;
  counts: ChangeCounts;
  createdAt: Date;
  /** of an undo: the change that it took back */
  undoes: string | null;
  /** the change that took this one back */
  undoneBy: string | null;
  /** the redirects that it created have ids of its website in (firstId, lastId] */
  firstId: number;
  lastId: number;
}

export interface ShownChange extends Change {
  /** of a change of a single redirect: its path after the change, or before its deletion; null for others */
  oldPath: string | null;
}

export interface ChangeRow extends Omit<Change, 'actor' | 'counts' | 'createdAt'>, ChangeCounts {
  actorType: Actor['type'];
  actorId: string;
  actorName: string;
  createdAt: string;
}

/** The columns of a ChangeRow. */
export const CHANGE_COLUMNS = sql.raw(
  `c.id, c.website_id, c.revision, c.kind, c.created, c.updated, c.deleted, c.first_id, c.last_id,
      c.actor_type, c.actor_id, c.actor_name, c.created_at, c.undoes, c.undone_by`,
);

/** SQL column `old_path` of a ShownChange: the last state that change `c` left of its redirect, else the former one. */
const OLD_PATH = sql.raw(`case when c.created + c.updated + c.deleted = 1 then (
      select coalesce(case when a.rev_to is null then r.old_path when a.created_at is not null then a.old_path end, b.old_path)
      from (select coalesce(
        (select redirect_id from redirect_revisions where website_id = c.website_id and rev_to = c.revision limit 1),
        (select id from redirects where website_id = c.website_id and id > c.first_id and id <= c.last_id limit 1),
        (select redirect_id from redirect_revisions
          where website_id = c.website_id and redirect_id > c.first_id and redirect_id <= c.last_id limit 1)) as id) t
      left join redirect_revisions b on b.website_id = c.website_id and b.rev_to = c.revision and b.redirect_id = t.id
      left join lateral (
        select * from redirect_revisions n where n.website_id = c.website_id and n.redirect_id = t.id
          and n.rev_to > c.revision order by n.rev_to limit 1) a on true
      left join redirects r on r.website_id = c.website_id and r.id = t.id) end as old_path`);

/** SQL condition: change `c` is still listed and can be undone. Uses the clock of the database. */
export const IS_RECENT = sql.raw(`c.created_at > clock_timestamp() - interval '${CHANGE_RETENTION_DAYS} days'`);

export function toChange<Row extends ChangeRow>(row: Row) {
  const { created, updated, deleted, actorType, actorId, actorName, createdAt, ...fields } = row;
  return {
    ...fields,
    actor: { type: actorType, id: actorId, name: actorName },
    counts: { created, updated, deleted },
    createdAt: new Date(createdAt),
  };
}

/** Decodes a cursor of one number; undefined without a cursor. */
export function readPosition(cursor: string | undefined, list: string): number | undefined {
  if (cursor === undefined) return undefined;
  return decodeCursor(cursor, list, ([position]) => (isCount(position) ? position : undefined));
}

/**
 * Lists the changes of a website, newest first, of the last 30 days. Throws WEBSITE_NOT_FOUND, and INVALID_PARAMETER
 * for a wrong cursor.
 */
export async function listChanges(
  db: Queryable,
  actor: Actor,
  { websiteId, limit, cursor }: { websiteId: number; limit: number; cursor: string | undefined },
): Promise<{ changes: ShownChange[]; nextCursor: string | null }> {
  await requireWebsiteRow(db, actor, websiteId);
  const list = `changes ${websiteId}`;
  const before = readPosition(cursor, list) ?? null;
  const rows = await queryRows<ChangeRow & Pick<ShownChange, 'oldPath'>>(db, { isConstant: true })`
    select ${CHANGE_COLUMNS}, ${OLD_PATH} from changes c
    where c.website_id = ${websiteId}::int and (${before}::int is null or c.revision < ${before}::int) and ${IS_RECENT}
    order by c.revision desc limit ${limit + 1}::int`;
  const changes = rows.slice(0, limit).map(toChange);
  const last = changes.at(-1);
  return { changes, nextCursor: rows.length > limit && last ? encodeCursor(list, [last.revision]) : null };
}

/** Returns the account's change. Throws CHANGE_NOT_FOUND if it does not exist, or is older than 30 days. */
export async function requireChange(db: Queryable, actor: Actor, id: string): Promise<ShownChange> {
  const [row] = await queryRows<ChangeRow & Pick<ShownChange, 'oldPath'>>(db, { isConstant: true })`
    select ${CHANGE_COLUMNS}, ${OLD_PATH} from changes c join websites w on w.id = c.website_id
    where c.id = ${id} and ${isOwnWebsite(actor, 'w')} and ${IS_RECENT}`;
  if (row) return toChange(row);
  throw new DomainError('CHANGE_NOT_FOUND', 'Change not found', {
    details: `id: there is no change ${id}; changes are kept for ${CHANGE_RETENTION_DAYS} days`,
  });
}
