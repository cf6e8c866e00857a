import { sql } from '../../db/drizzle.ts';
import { isOwnWebsite, isShownAs, type ShownActor, shownActor } from '../../accounts/website-scope.ts';
import type { Queryable } from '../../db/connection/client.ts';
import { queryRows } from '../../db/rows.ts';
import { isInRange, type TimeRange } from '../../db/time-range.ts';
import { decodeCursor, encodeCursor, isCount } from '../../platform/cursor.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { CHANGE_RETENTION_DAYS, type ChangeKind } from '../../vocabulary/kinds.ts';
import { DomainError } from '../../vocabulary/error.ts';
import { requireWebsiteRow } from '../../websites/website.ts';
import type { ChangeCounts } from './record-change.ts';
import { revisionsOfPath } from './revisions.ts';
import { type RawStates, STATES, type States, toStates } from './states.ts';

/** A recorded write of the redirects of a website. */
export interface Change {
  id: string;
  websiteId: number;
  revision: number;
  kind: ChangeKind;
  actor: ShownActor;
  counts: ChangeCounts;
  createdAt: Date;
  /** of an update: the names of the changed fields in the API; null for other kinds, and before fields were recorded */
  fields: string[] | null;
  /** of an undo: the change that it took back */
  undoes: string | null;
  /** the change that took this one back */
  undoneBy: string | null;
  /** the redirects that it created have ids of its website in (firstId, lastId] */
  firstId: number;
  lastId: number;
}

/** `before` and `after`: the states of the redirect of a change of a single one; null for others. */
export interface ShownChange extends Change, ChangeOrigin, States {
  /** who took it back, and when; null if `undoneBy` is null */
  undone: { actor: Change['actor']; at: Date } | null;
  /** of a change of a single redirect: its path after the change, or before its deletion; null for others */
  oldPath: string | null;
}

/** The file that an import read, and the change that an undo took back. */
export interface ChangeOrigin {
  /** of an import: the name of its file; null without one, and once the import is deleted */
  fileName: string | null;
  /** of an undo: what it took back; null if that is no longer stored */
  undid: (Pick<Change, 'kind' | 'counts' | 'fields'> & { fileName: string | null }) | null;
}

/** A change as a query returns it. Its actor is not for every viewer. */
export interface ChangeRow extends Omit<Change, 'createdAt'>, ChangeOrigin {
  createdAt: string;
}

const countsOf = (change: string): string =>
  `json_build_object('created', ${change}.created, 'updated', ${change}.updated, 'deleted', ${change}.deleted)`;
const actorOf = (change: string): string =>
  `json_build_object('type', ${change}.actor_type, 'id', ${change}.actor_id, 'name', ${change}.actor_name)`;
/** The name of the file of a change. An account keeps 1,000 imports. */
const fileNameOf = (change: string): string => `case when ${change}.kind = 'import' then (
      select file_name from imports where website_id = ${change}.website_id and change_id = ${change}.id limit 1) end`;

/** SQL columns of a ChangeRow, from the change `c` and the join that they need. */
export const CHANGE_COLUMNS =
  sql.raw(`c.id, c.website_id, c.revision, c.kind, c.first_id, c.last_id, c.created_at, c.fields,
      c.undoes, c.undone_by, ${countsOf('c')} as counts, ${actorOf('c')} as actor, ${fileNameOf('c')} as file_name,
      case when o.id is not null then json_build_object('kind', o.kind, 'counts', ${countsOf('o')}, 'fields', o.fields,
        'fileName', ${fileNameOf('o')}) end as undid`);
export const JOIN_UNDONE = sql.raw('left join changes o on o.id = c.undoes');

/**
 * SQL column `single` of a ShownChange: the states of the only redirect of change `c` before and after it. The orders let
 * the planner use no other way than their indexes, whatever the statistics say.
 */
const SINGLE = sql`case when c.created + c.updated + c.deleted = 1 then (
      select row_to_json(s) from (select ${STATES}
      from (select coalesce(
        (select redirect_id from redirect_revisions where website_id = c.website_id and rev_to >= c.revision
          and rev_to <= c.revision order by website_id, rev_to, redirect_id limit 1),
        (select id from redirects where website_id = c.website_id and id > c.first_id and id <= c.last_id
          order by website_id, id limit 1),
        (select redirect_id from redirect_revisions
          where website_id = c.website_id and redirect_id > c.first_id and redirect_id <= c.last_id
          order by website_id, redirect_id limit 1)) as id offset 0) t
      left join redirect_revisions b on b.website_id = c.website_id and b.rev_to = c.revision and b.redirect_id = t.id
      left join lateral (
        select * from redirect_revisions n where n.website_id = c.website_id and n.redirect_id = t.id
          and n.rev_to > c.revision order by n.rev_to limit 1) a on true
      left join redirects r on r.website_id = c.website_id and r.id = t.id) s) end as single`;

const JOIN_UNDO = sql.raw('left join changes u on u.id = c.undone_by');
/** SQL query without its conditions: the rows of ShownChanges. */
const SHOWN = sql`
    select ${CHANGE_COLUMNS}, ${SINGLE},
      case when u.id is not null then json_build_object('actor', ${sql.raw(actorOf('u'))}, 'at', u.created_at) end as undone
    from changes c ${JOIN_UNDO} ${JOIN_UNDONE}`;

interface ShownRow extends ChangeRow {
  undone: { actor: ShownActor; at: string } | null;
  single: RawStates | null;
}

const NO_STATES: States = { before: null, after: null };

function toShownChange(viewer: Actor, { undone, single, ...row }: ShownRow): ShownChange {
  const shown = undone && { actor: shownActor(viewer, undone.actor), at: new Date(undone.at) };
  const states = single ? toStates(single) : NO_STATES;
  const oldPath = (states.after ?? states.before)?.oldPath ?? null;
  return { ...toChange(viewer, row), ...states, oldPath, undone: shown };
}

const CREATED_AT = sql.raw('c.created_at');
/** SQL condition: change `c` is still listed and can be undone. Uses the clock of the database. */
export const IS_RECENT = sql.raw(`c.created_at > clock_timestamp() - interval '${CHANGE_RETENTION_DAYS} days'`);

export function toChange<Row extends ChangeRow>(viewer: Actor, row: Row) {
  return { ...row, actor: shownActor(viewer, row.actor), createdAt: new Date(row.createdAt) };
}

/** Decodes a cursor of one number; undefined without a cursor. */
export function readPosition(cursor: string | undefined, list: string): number | undefined {
  if (cursor === undefined) return undefined;
  return decodeCursor(cursor, list, ([position]) => (isCount(position) ? position : undefined));
}

/** Conditions on changes; all must hold. */
export interface ChangeFilter extends TimeRange {
  kind?: ChangeKind | undefined;
  /** the name of the actor: the email of a user, or the name of a key */
  actor?: string | undefined;
  /** a path, in any spelling, or a pattern: changes of the redirects that have it or had it */
  oldPath?: string | undefined;
}

/**
 * Lists the changes of a website, newest first, of the last 30 days. Throws WEBSITE_NOT_FOUND, and INVALID_PARAMETER
 * for a wrong cursor.
 */
export async function listChanges(db: Queryable, actor: Actor, { websiteId, filter = {}, limit, cursor }: ListInput) {
  await requireWebsiteRow(db, actor, websiteId);
  const { kind = null, actor: name = null, oldPath = null } = filter;
  const list = JSON.stringify(['changes', websiteId, kind, name, oldPath]);
  const before = readPosition(cursor, list) ?? null;
  const changes = await readChanges(db, actor, { websiteId, filter, limit: limit + 1, before });
  const shown = changes.slice(0, limit);
  const last = shown.at(-1);
  return { changes: shown, nextCursor: changes.length > limit && last ? encodeCursor(list, [last.revision]) : null };
}

interface ListInput {
  websiteId: number;
  filter?: ChangeFilter;
  limit: number;
  cursor: string | undefined;
}

/** Returns up to `limit` changes of the last 30 days below the revision `before`, newest first. */
export async function readChanges(
  db: Queryable,
  viewer: Actor,
  {
    websiteId,
    filter,
    before,
    limit,
  }: { websiteId: number; filter: ChangeFilter; before: number | null; limit: number },
): Promise<ShownChange[]> {
  const { kind, actor, oldPath, since, until } = filter;
  const conditions = [
    sql`c.website_id = ${websiteId}::int and (${before}::int is null or c.revision < ${before}::int)`,
  ];
  if (kind !== undefined) conditions.push(sql`c.kind = ${kind}`);
  if (actor !== undefined) conditions.push(isShownAs(viewer, actor, 'c'));
  if (since ?? until) conditions.push(isInRange(CREATED_AT, filter));
  if (oldPath !== undefined) {
    // With another condition, the first revisions may not meet it.
    const page = { before, limit: (kind ?? actor ?? since ?? until) ? null : limit };
    conditions.push(sql`c.revision = any(array(${revisionsOfPath(websiteId, oldPath, page)}))`);
  }
  const rows = await queryRows<ShownRow>(db)`
    ${SHOWN} where ${sql.join(conditions, sql` and `)} and ${IS_RECENT}
    order by c.revision desc limit ${limit}::int`;
  return rows.map((row) => toShownChange(viewer, row));
}

/** The place of a change in the list of all websites. `at`: in microseconds. */
export interface ChangePlace {
  at: number;
  websiteId: number;
  revision: number;
}

/**
 * Returns up to `limit` changes of all websites that the viewer reaches, below a place. Each website keeps the order of
 * its revisions. Writers wait for each other, so times may go back along them: the `at` of a change is the earliest
 * time of the changes that are listed before it. A page reads the index of a website up to its place.
 */
export async function readAllChanges(
  db: Queryable,
  viewer: Actor,
  { filter, before, limit }: { filter: ChangeFilter; before: ChangePlace | null; limit: number },
): Promise<{ change: ShownChange; place: ChangePlace }[]> {
  const { kind, actor, oldPath } = filter;
  const matches = sql.join(
    [
      sql`c.website_id = w.id and ${IS_RECENT} and ${isInRange(CREATED_AT, filter)}`,
      ...(kind === undefined ? [] : [sql`c.kind = ${kind}`]),
      ...(actor === undefined ? [] : [isShownAs(viewer, actor, 'c')]),
      ...(oldPath === undefined
        ? []
        : [sql`c.revision = any(array(${revisionsOfPath(sql`w.id`, oldPath, { before: null, limit: null })}))`]),
    ],
    sql` and `,
  );
  const last = sql`timestamptz 'epoch' + ${before?.at ?? null}::bigint * interval '1 microsecond'`;
  const isBelow = before
    ? sql`case when w.id = ${before.websiteId}::int then c.revision < ${before.revision}::int
        when w.id > ${before.websiteId}::int then c.created_at <= ${last} else c.created_at < ${last} end`
    : sql`true`;
  const rows = await queryRows<ShownRow & { place: number }>(db)`
    with heads as (
      select w.id, h.revision from websites w cross join lateral (
        select c.revision, c.created_at from changes c where ${matches} and ${isBelow}
        order by c.revision desc limit 1) h
      where ${isOwnWebsite(viewer, 'w')} order by least(h.created_at, ${last}) desc, w.id limit ${limit}::int),
    listed as (
      select e.id, w.id as website, e.revision, least(${last},
        min(e.created_at) over (partition by w.id order by e.revision desc)) as at
      from heads w cross join lateral (
        select c.id, c.revision, c.created_at from changes c where ${matches} and c.revision <= w.revision
        order by c.revision desc limit ${limit}::int) e
      order by at desc, website, e.revision desc limit ${limit}::int)
    select shown.*, (extract(epoch from l.at) * 1000000)::bigint as place
    from listed l join (${SHOWN} where c.id = any(array(select id from listed))) shown on shown.id = l.id
    order by l.at desc, l.website, l.revision desc`;
  return rows.map(({ place, ...row }) => {
    const { websiteId, revision } = row;
    return { change: toShownChange(viewer, row), place: { at: Number(place), websiteId, revision } };
  });
}

/** Returns the last change of the last 30 days of each of the websites, by one query. */
export async function lastChanges(db: Queryable, viewer: Actor, websiteIds: number[]): Promise<ShownChange[]> {
  const rows = await queryRows<ShownRow>(db)`
    ${SHOWN} where c.id = any(array(
      select l.id from unnest(${sql.param(websiteIds)}::int[]) i (id) cross join lateral (
        select id from changes where website_id = i.id order by website_id desc, revision desc limit 1) l))
      and ${IS_RECENT}`;
  return rows.map((row) => toShownChange(viewer, row));
}

/** Returns the account's change. Throws CHANGE_NOT_FOUND if it does not exist, or is older than 30 days. */
export async function requireChange(db: Queryable, actor: Actor, id: string): Promise<ShownChange> {
  const [row] = await queryRows<ShownRow>(db, { isConstant: true })`
    ${SHOWN} join websites w on w.id = c.website_id
    where c.id = ${id} and ${isOwnWebsite(actor, 'w')} and ${IS_RECENT}`;
  if (row) return toShownChange(actor, row);
  throw new DomainError('CHANGE_NOT_FOUND', 'Change not found', {
    details: `id: there is no change ${id}; changes are kept for ${CHANGE_RETENTION_DAYS} days`,
  });
}
