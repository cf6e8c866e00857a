/** The lock of every writer of a website's URLs, and the counts that it guards. */
import { sql } from '../db/drizzle.ts';
import type { Queryable } from '../db/connection/client.ts';
import { queryRows } from '../db/rows.ts';
import { lockAccount, ofAccount, readUrlUsage } from '../accounts/quota.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { DomainError } from '../vocabulary/error.ts';
import { PLANS } from '../vocabulary/plan.ts';
import { MAX_WEBSITE_URLS } from '../vocabulary/urls.ts';

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

/**
 * Throws TOO_MANY_URLS or PLAN_LIMIT_EXCEEDED if the transaction has added too many. Call it at its end: it locks the
 * account.
 */
export async function assertUrlRoom(tx: Queryable, actor: Actor, { urls, visitorUrls }: UrlCounts): Promise<void> {
  const own = urls - visitorUrls;
  const text = (count: number): string => count.toLocaleString('en');
  if (own > MAX_WEBSITE_URLS) {
    throw new DomainError('TOO_MANY_URLS', 'The website would have too many URLs', {
      details: `body: a website has at most 1,000,000 URLs and would have ${text(own)}, those of earlier lists included; nothing was applied, delete URLs that are not needed (POST .../urls/delete)`,
    });
  }
  const plan = (await lockAccount(tx, actor.accountId)) ?? actor.plan;
  const max = PLANS[plan].maxUrls;
  const used = await readUrlUsage(tx, ofAccount(actor));
  if (used <= max) return;
  const has = actor.websiteIds ? '' : ` and would have ${text(used)}`;
  throw new DomainError('PLAN_LIMIT_EXCEEDED', "The account exceeds the plan's limit of URLs", {
    details: `body: the ${plan} plan has at most ${text(max)} URLs over all websites${has}; nothing was applied, delete URLs that are not needed or change the plan`,
  });
}

/** The column with the time since which a URL lives in no list of the environment. */
export const removedColumn = (environment: 'production' | 'staging' | 'development') =>
  sql.identifier(`removed_${environment}`);
