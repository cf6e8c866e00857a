/** The lists of a website with the states that can be restored, and the restore itself. */
import type { Db, Queryable } from '../db/connection/client.ts';
import { sql } from '../db/drizzle.ts';
import { queryRows, timeOf } from '../db/rows.ts';
import type { Actor } from '../vocabulary/actor.ts';
import type { Environment } from '../vocabulary/environment.ts';
import { requireEditableRow, requireWebsiteRow } from '../websites/website.ts';
import { writeTransaction } from '../websites/write-website.ts';
import { shownActor } from '../accounts/website-scope.ts';
import { assertListVersion, closeList, findList, type ListName, listNotFound } from './list.ts';
import { lockUrls, removedColumn } from './lock.ts';
import { takeOut, type TargetList } from './merge-list.ts';

export interface ListVersion {
  listVersion: number;
  total: number;
  added: number;
  removed: number;
  actor: { type: Actor['type']; id: string | null; name: string };
  createdAt: Date;
}

export interface UrlList {
  list: string;
  environment: Environment;
  listVersion: number;
  total: number;
  /** the last push, also one that changed nothing */
  pushedAt: Date;
  /** of a list of a sitemap: the last fetch, and why it failed */
  fetchedAt: Date | null;
  problem: string | null;
  /** states that can be restored, newest first */
  versions: ListVersion[];
}

type ListRow = Omit<UrlList, 'versions' | 'pushedAt' | 'fetchedAt'> & {
  id: number;
  pushedAt: string;
  fetchedAt: string | null;
};
type VersionRow = Omit<ListVersion, 'actor' | 'createdAt'> & {
  listId: number;
  actorType: Actor['type'];
  actorId: string;
  actorName: string;
  createdAt: string;
};

/** Lists by environment and name. Throws WEBSITE_NOT_FOUND. */
export async function listUrlLists(
  db: Queryable,
  actor: Actor,
  { websiteId, environment }: { websiteId: number; environment?: Environment | undefined },
): Promise<UrlList[]> {
  await requireWebsiteRow(db, actor, websiteId);
  const rows = await queryRows<ListRow>(db)`
    select id, name as list, environment, version as list_version, total, pushed_at, fetched_at, problem from url_lists
    where website_id = ${websiteId} ${environment === undefined ? sql`` : sql`and environment = ${environment}`}
    order by environment, name`;
  const versions = await queryRows<VersionRow>(db)`
    select list_id, version as list_version, total, added, removed, actor_type, actor_id, actor_name, created_at
    from url_list_versions where website_id = ${websiteId} order by version desc`;
  return rows.map(({ id, pushedAt, fetchedAt, ...row }) => ({
    ...row,
    pushedAt: new Date(pushedAt),
    fetchedAt: timeOf(fetchedAt),
    versions: versions.filter(({ listId }) => listId === id).map((version) => shownVersion(actor, version)),
  }));
}

function shownVersion(reader: Actor, { listId: _, actorType, actorId, actorName, createdAt, ...version }: VersionRow) {
  const actor = shownActor(reader, { type: actorType, id: actorId, name: actorName });
  return { ...version, actor, createdAt: new Date(createdAt) };
}

export interface Restored {
  total: number;
  added: number;
  removed: number;
  listVersion: number;
}

export interface RestoreInput extends ListName {
  listVersion: number;
  ifListVersion?: number | undefined;
}

/**
 * Gives the list the URLs that it had at a version, as a new version. Those that were deleted since stay away. Throws
 * LIST_NOT_FOUND, REVISION_CHANGED, WEBSITE_NOT_FOUND, INSUFFICIENT_ROLE and BUSY.
 */
export async function restoreList(db: Db, actor: Actor, input: RestoreInput): Promise<Restored> {
  return writeTransaction(db, actor, async (tx) => {
    await requireEditableRow(tx, actor, input.websiteId);
    await tx.execute(sql`set local work_mem = '128MB'`);
    await lockUrls(tx, input.websiteId);
    const list = await findList(tx, input);
    if (!list) throw listNotFound(`list: there is no list ${input.list} in ${input.environment}`);
    assertListVersion(list, input.ifListVersion);
    await requireVersion(tx, list, input.listVersion);
    // The first change after the version says whether the URL was in the list then.
    const before = sql`(select distinct on (url_id) url_id, added from url_list_changes
      where list_id = ${list.id} and version > ${input.listVersion} order by url_id, version)`;
    const removed = await takeOut(tx, list, sql`u.id in (select url_id from ${before} b where added = 1)`);
    const added = await putBack(tx, list, before);
    const total = list.total + added - removed;
    return { total, added, removed, listVersion: await closeList(tx, actor, list, { total, added, removed }) };
  });
}

async function requireVersion(tx: Queryable, list: TargetList, version: number): Promise<void> {
  const [found] = await queryRows(tx)`
    select version from url_list_versions where list_id = ${list.id} and version = ${version}`;
  if (!found)
    throw listNotFound(
      `list_version: version ${version} of the list is not retained; GET .../urls/lists has those that are`,
    );
}

async function putBack(tx: Queryable, list: TargetList, before: ReturnType<typeof sql>): Promise<number> {
  const removed = removedColumn(list.environment);
  const { rowCount } = await tx.execute(sql`
    with written as (
      update urls u set lists = array_append(u.lists, ${list.id}::int), last_seen_at = now(), ${removed} = null
      from ${before} b where u.id = b.url_id and b.added = 0 and u.website_id = ${list.websiteId}
        and not ${list.id} = any(u.lists) returning u.id),
    recorded as (
      insert into url_list_changes (list_id, version, url_id, website_id, added)
      select ${list.id}::int, ${list.version + 1}::int, id, ${list.websiteId}::int, 1 from written)
    select id from written`);
  return rowCount ?? 0;
}
