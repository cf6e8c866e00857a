/** The lock of every writer of a website's URLs, and the counts that it guards. */
import { eq, sql } from '../db/drizzle.ts';
import type { Queryable } from '../db/connection/client.ts';
import { isLockTimeout } from '../db/errors.ts';
import { queryRows } from '../db/rows.ts';
import { lostUrlWatches } from '../db/schema/notices.ts';
import { lockAccount, ofAccount, readUrlUsage } from '../accounts/quota.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { DomainError } from '../vocabulary/error.ts';
import { type Plan, PLANS } from '../vocabulary/plan.ts';
import { MAX_WEBSITE_URLS, URL_SOURCES } from '../vocabulary/urls.ts';

export interface UrlCounts {
  urls: number;
  visitorUrls: number;
}

/** Waits for other writers of the website's URLs, until the transaction ends. */
export async function lockUrls(tx: Queryable, websiteId: number): Promise<UrlCounts> {
  await queryRows(tx)`insert into url_counts (website_id) values (${websiteId}) on conflict do nothing`;
  const [counts] = await queryRows<UrlCounts>(tx)`
    select urls, visitor_urls from url_counts where website_id = ${websiteId} for update`;
  return counts ?? { urls: 0, visitorUrls: 0 };
}

/** Runs background work that locks URLs. If a push holds them for longer than it may wait, a later run does it. */
export async function unlessLocked(work: () => Promise<void>): Promise<void> {
  await work().catch((error: unknown) => {
    if (!isLockTimeout(error)) throw error;
  });
}

/** Adds to the counts of a locked website. */
export async function addToCounts(
  tx: Queryable,
  websiteId: number,
  { urls, visitorUrls }: UrlCounts,
): Promise<UrlCounts> {
  const [counts] = await queryRows<UrlCounts>(tx)`
    update url_counts set urls = urls + ${urls}::int, visitor_urls = visitor_urls + ${visitorUrls}::int
    where website_id = ${websiteId} returning urls, visitor_urls`;
  return counts ?? { urls: 0, visitorUrls: 0 };
}

/** Counts URLs that a file has created, or adopted from visitors. Call it at the end of the transaction: it locks the account. */
export async function countWritten(
  tx: Queryable,
  actor: Actor,
  websiteId: number,
  { created, adopted }: { created: number; adopted: number },
): Promise<void> {
  if (created + adopted === 0) return;
  const counts = await addToCounts(tx, websiteId, { urls: created, visitorUrls: -adopted });
  await assertUrlRoom(tx, actor, websiteId, counts);
}

/**
 * Makes room for what the transaction has added. URLs that only the service added by itself give way. Throws
 * TOO_MANY_URLS or PLAN_LIMIT_EXCEEDED if these are too few.
 */
async function assertUrlRoom(
  tx: Queryable,
  actor: Actor,
  websiteId: number,
  { urls, visitorUrls }: UrlCounts,
): Promise<void> {
  const plan = (await lockAccount(tx, actor.accountId)) ?? actor.plan;
  const max = PLANS[plan].maxUrls;
  const [own, used] = [urls - visitorUrls, await readUrlUsage(tx, ofAccount(actor))];
  const over = Math.max(own - MAX_WEBSITE_URLS, used - max);
  if (over <= 0) return;
  const freed = await deleteImplied(tx, websiteId, over);
  if (own - freed > MAX_WEBSITE_URLS) throw tooManyUrls(own - freed);
  if (used - freed > max) throw overQuota(actor, plan, used - freed);
}

/** Deletes up to `count` URLs that only rules name. Returns their number. */
async function deleteImplied(tx: Queryable, websiteId: number, count: number): Promise<number> {
  const byRules = URL_SOURCES.redirect | URL_SOURCES.target;
  const { rowCount } = await tx.execute(sql`
    delete from urls where id in (select id from urls where website_id = ${websiteId} and lists = '{}'
      and sources & ${byRules}::smallint > 0 and sources & ~${byRules | URL_SOURCES.visitors | URL_SOURCES.log}::smallint = 0
      limit ${count})`);
  await addToCounts(tx, websiteId, { urls: -(rowCount ?? 0), visitorUrls: 0 });
  return rowCount ?? 0;
}

const text = (count: number): string => count.toLocaleString('en');

function tooManyUrls(count: number): DomainError {
  return new DomainError('TOO_MANY_URLS', 'The website would have too many URLs', {
    details: `body: a website has at most 1,000,000 URLs and would have ${text(count)}, those of earlier lists included; nothing was applied, delete URLs that are not needed (POST .../urls/delete)`,
  });
}

function overQuota(actor: Actor, plan: Plan, used: number): DomainError {
  // A limited actor does not learn how much other websites have.
  const has = actor.websiteIds ? '' : ` and would have ${text(used)}`;
  return new DomainError('PLAN_LIMIT_EXCEEDED', "The account exceeds the plan's limit of URLs", {
    details: `body: the ${plan} plan has at most ${text(PLANS[plan].maxUrls)} URLs over all websites${has}; nothing was applied, delete URLs that are not needed or change the plan`,
  });
}

/** The column with the time since which a URL lives in no list of the environment. */
export const removedColumn = (environment: 'production' | 'staging' | 'development') =>
  sql.identifier(`removed_${environment}`);

/** Marks the counts of lost URLs of a website as stale, so that they are counted again at once. */
export async function recountLostUrls(tx: Queryable, websiteId: number): Promise<void> {
  await tx
    .update(lostUrlWatches)
    .set({ seen: null, claimedUntil: null })
    .where(eq(lostUrlWatches.websiteId, websiteId));
}
