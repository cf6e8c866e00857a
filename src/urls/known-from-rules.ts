/** Adds what rules name to the known URLs: the paths of deleted redirects, and targets on the website's own hosts. */
import { setTimeout as pause } from 'node:timers/promises';
import { ofAccount, readUrlUsage } from '../accounts/quota.ts';
import { type Db, type Queryable, withClient } from '../db/connection/client.ts';
import { copyRows, inlineSql } from '../db/copy/copy-rows.ts';
import { sql, type SQL } from '../db/drizzle.ts';
import { queryRows } from '../db/rows.ts';
import { createTimeSlice } from '../platform/scheduling/time-slice.ts';
import { readUrl, type UrlRules } from '../rules/url-key.ts';
import { type Plan, PLANS } from '../vocabulary/plan.ts';
import { MAX_WEBSITE_URLS, URL_SOURCES, type UrlSource } from '../vocabulary/urls.ts';
import { readHosts } from '../websites/website.ts';
import { addToCounts, lockUrls, unlessLocked } from './lock.ts';
import { urlRulesOf } from './url-rules.ts';

/** Websites of one call. */
const MAX_WEBSITES = 50;

interface Changed {
  id: number;
  accountId: number;
  plan: Plan;
  pageParameters: string[];
  rulesRev: number;
  rulesMaxId: number;
  headRev: number;
}

/** Websites whose redirects changed since the last call. */
const changedWebsites = (limit: number): SQL => sql`
  select w.id, w.account_id, a.plan, w.page_parameters, w.head_rev, coalesce(c.rules_rev, 0) as rules_rev,
    coalesce(c.rules_max_id, 0) as rules_max_id
  from websites w join accounts a on a.id = w.account_id left join url_counts c on c.website_id = w.id
  where w.deleting_since is null and w.head_rev > coalesce(c.rules_rev, 0) order by w.id limit ${limit}`;

/** Returns whether addKnownFromRules has something to do. */
export async function hasNewRules(db: Queryable): Promise<boolean> {
  return (await db.execute(changedWebsites(1))).rows.length > 0;
}

/**
 * Looks at the redirects that changed since the last call. Returns true if more websites wait. URLs for which the website
 * or the plan has no room are not added. Safe to run in several processes at a time.
 */
export async function addKnownFromRules(db: Db): Promise<boolean> {
  const changed = await queryRows<Changed>(db)`${changedWebsites(MAX_WEBSITES)}`;
  for (const website of changed) await unlessLocked(() => addOf(db, website));
  return changed.length === MAX_WEBSITES;
}

async function addOf(db: Db, website: Changed): Promise<void> {
  const { id, rulesRev, rulesMaxId, headRev } = website;
  const rules = urlRulesOf({ hosts: await readHosts(db, website), pageParameters: website.pageParameters });
  const [newest] = await queryRows<{ id: number }>(db)`
    select coalesce(max(id), 0) as id from redirects where website_id = ${id} and id > ${rulesMaxId}`;
  const maxId = Math.max(newest?.id ?? 0, rulesMaxId);
  const changed = sql`select redirect_id from redirect_revisions where website_id = ${id} and rev_to > ${rulesRev}`;
  const targets = (condition: SQL): SQL => sql`select r.new_path from redirects r
    where r.website_id = ${id} and r.new_path is not null and not (r.is_regex and r.new_path like '%$%') and ${condition}`;
  const deleted = sql`select distinct v.old_path from redirect_revisions v
    where v.website_id = ${id} and v.rev_to > ${rulesRev} and not v.is_regex
      and not exists (select from redirects r where r.website_id = ${id} and r.id = v.redirect_id)`;
  await addAll(db, website, 'target', targets(sql`r.id > ${rulesMaxId} and r.id <= ${maxId}`), rules);
  await addAll(db, website, 'target', targets(sql`r.id in (${changed})`), rules);
  await addAll(db, website, 'redirect', deleted, rules);
  await queryRows(db)`
    insert into url_counts (website_id, rules_rev, rules_max_id) values (${id}, ${headRev}, ${maxId})
    on conflict (website_id) do update set rules_rev = excluded.rules_rev, rules_max_id = excluded.rules_max_id`;
}

/**
 * Adds the addresses that a query finds. A repeated call adds nothing twice. Rests as long as each batch takes: a million
 * targets take 8 s of the database, which a next import of the website should have.
 */
async function addAll(db: Db, website: Changed, source: UrlSource, query: SQL, rules: UrlRules): Promise<void> {
  const slice = createTimeSlice();
  await withClient(db, async (client) => {
    for await (const rows of copyRows(client, inlineSql(query))) {
      const urls = new Set<string>();
      for (const [address] of rows) {
        if (slice.isOver()) await slice.yield();
        const read = readUrl(address ?? '', rules);
        if ('url' in read) urls.add(read.url);
      }
      if (urls.size === 0) continue;
      const began = performance.now();
      await addKnown(db, website, source, [...urls]);
      await pause(performance.now() - began);
    }
  });
}

async function addKnown(db: Db, website: Changed, source: UrlSource, urls: string[]): Promise<void> {
  const { id, plan } = website;
  const bit = URL_SOURCES[source];
  await db.transaction(async (tx) => {
    const { urls: total, visitorUrls } = await lockUrls(tx, id);
    const [known] = await queryRows<{ adopted: number }>(tx)`
      with marked as (
        update urls u set sources = u.sources | ${bit}::smallint from unnest(${sql.param(urls)}::text[]) as s(url)
        where u.website_id = ${id} and u.url = s.url and u.sources & ${bit}::smallint = 0 returning u.sources)
      select count(*) filter (where sources = ${URL_SOURCES.visitors | bit})::int as adopted from marked`;
    const used = await readUrlUsage(tx, ofAccount(website));
    const room = Math.min(PLANS[plan].maxUrls - used, MAX_WEBSITE_URLS - (total - visitorUrls));
    // One lookup for each: as an anti-join, a batch would read all URLs of a table of less than about 400,000.
    const { rowCount } = await tx.execute(sql`
      insert into urls (website_id, url, sources)
      select ${id}::int, s.url, ${bit}::smallint from unnest(${sql.param(urls)}::text[]) as s(url)
      left join lateral (select true as exists from urls u where u.website_id = ${id} and u.url = s.url limit 1) known
        on true
      where known.exists is null order by s.url limit ${Math.max(0, room)}`);
    await addToCounts(tx, id, { urls: rowCount ?? 0, visitorUrls: -(known?.adopted ?? 0) });
  });
}
