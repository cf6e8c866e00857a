/** The lists of a website with the states that can be restored, and the restore itself. */
import type { Db, Queryable } from '../db/connection/client.ts';
import { and, asc, desc, eq, sql } from '../db/drizzle.ts';
import { queryRows } from '../db/rows.ts';
import { urlLists, urlListVersions } from '../db/schema/urls.ts';
import type { Actor } from '../vocabulary/actor.ts';
import type { Environment } from '../vocabulary/environment.ts';
import { requireEditableRow, requireWebsiteRow } from '../websites/website.ts';
import { writeTransaction } from '../websites/write-website.ts';
import { shownActor } from '../accounts/website-scope.ts';
import { assertListVersion, closeList, findList, type ListName, listNotFound } from './list.ts';
import { lockUrls, removedColumn } from './lock.ts';
import { takeOut, type TargetList, useListMemory } from './merge-list.ts';

export type UrlList = Awaited<ReturnType<typeof listUrlLists>>[number];

/** Lists by environment and name, with the states that can be restored, newest first. Throws WEBSITE_NOT_FOUND. */
export async function listUrlLists(
  db: Queryable,
  actor: Actor,
  { websiteId, environment }: { websiteId: number; environment?: Environment | undefined },
) {
  await requireWebsiteRow(db, actor, websiteId);
  const ofWebsite = eq(urlLists.websiteId, websiteId);
  const ofEnvironment = environment && eq(urlLists.environment, environment);
  const lists = db.select().from(urlLists).where(and(ofWebsite, ofEnvironment));
  const versions = await db
    .select()
    .from(urlListVersions)
    .where(eq(urlListVersions.websiteId, websiteId))
    .orderBy(desc(urlListVersions.version));
  return (await lists.orderBy(asc(urlLists.environment), asc(urlLists.name))).map(({ id, name, version, ...list }) => ({
    ...list,
    list: name,
    listVersion: version,
    versions: versions
      .filter(({ listId }) => listId === id)
      .map(({ actorType: type, actorId, actorName, ...state }) => ({
        ...state,
        listVersion: state.version,
        actor: shownActor(actor, { type, id: actorId, name: actorName }),
      })),
  }));
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
    await useListMemory(tx);
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
