import type { Db, Queryable } from '../db/connection/client.ts';
import { sql, type SQL } from '../db/drizzle.ts';
import { queryRows } from '../db/rows.ts';
import { statedUrls } from '../deployments/gate/urls/url-weight.ts';
import type { Actor } from '../vocabulary/actor.ts';
import type { Environment } from '../vocabulary/environment.ts';
import { URL_SOURCES } from '../vocabulary/urls.ts';
import { requireEditableRow } from '../websites/website.ts';
import { writeTransaction } from '../websites/write-website.ts';
import { closeList } from './list.ts';
import { addToCounts, lockUrls, recountLostUrls } from './lock.ts';
import { takeOut, type TargetList, useListMemory } from './merge-list.ts';
import { urlCondition, type UrlFilter } from './url-filter.ts';

export type UrlSelection = { urlIds: number[] } | { filter: Omit<UrlFilter, 'websiteId'> };

/**
 * Deletes URLs, also from every list that holds them until its next push. Unknown ids are ignored. Returns their number.
 * Throws WEBSITE_NOT_FOUND, INSUFFICIENT_ROLE and BUSY.
 */
export async function deleteUrls(
  db: Db,
  actor: Actor,
  { websiteId, selection }: { websiteId: number; selection: UrlSelection },
): Promise<number> {
  return writeTransaction(db, actor, async (tx) => {
    await requireEditableRow(tx, actor, websiteId);
    await useListMemory(tx);
    await lockUrls(tx, websiteId);
    await tx.execute(sql`create temporary table deleted_urls (id bigint primary key) on commit drop`);
    await tx.execute(sql`insert into deleted_urls ${selected(websiteId, selection)}`);
    await leaveLists(tx, actor, websiteId);
    const [deleted] = await queryRows<{ urls: number; visitorUrls: number }>(tx)`
      with gone as (delete from urls u using deleted_urls d where u.id = d.id returning u.sources)
      select count(*)::int as urls, count(*) filter (where sources = ${URL_SOURCES.visitors})::int as visitor_urls from gone`;
    const { urls = 0, visitorUrls = 0 } = deleted ?? {};
    await addToCounts(tx, websiteId, { urls: -urls, visitorUrls: -visitorUrls });
    // Lost URLs are in no list, whose version would change.
    await recountLostUrls(tx, websiteId);
    return urls;
  });
}

function selected(websiteId: number, selection: UrlSelection): SQL {
  if ('urlIds' in selection) {
    return sql`select id from urls where website_id = ${websiteId}
      and id = any(${sql.param([...new Set(selection.urlIds)])}::bigint[])`;
  }
  const filter = { websiteId, ...selection.filter };
  return sql`select v.id from (${statedUrls(filter)}) v where ${urlCondition(filter)}`;
}

/** Each list becomes a new version, so its earlier states can still be restored as far as their URLs exist. */
async function leaveLists(tx: Queryable, actor: Actor, websiteId: number): Promise<void> {
  const lists = await queryRows<TargetList & { environment: Environment }>(tx)`
    select l.id, l.website_id, l.environment, l.name, l.version, l.total from url_lists l
    where l.website_id = ${websiteId} and exists (
      select from urls u join deleted_urls d on d.id = u.id where l.id = any(u.lists))`;
  for (const list of lists) {
    const removed = await takeOut(tx, list, sql`u.id in (select id from deleted_urls)`);
    await closeList(tx, actor, list, { total: list.total - removed, added: 0, removed });
  }
}
