/** Quotas of a plan: how many websites an account has, and how many redirects over all of them. */
import type { Queryable } from '../db/connection/client.ts';
import { sql, type SQL } from '../db/drizzle.ts';
import { queryRows } from '../db/rows.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { DomainError } from '../vocabulary/error.ts';
import { type Plan, PLAN_NAMES, PLANS } from '../vocabulary/plan.ts';

export interface QuotaUsage {
  /** deleted ones excluded */
  websites: number;
  /** of these websites, undeployed ones included */
  redirects: number;
}

/**
 * Locks the account until the transaction ends, and returns its current plan. Then each check counts what the previous
 * one admitted. Foreign keys to the account do not wait. Lock it last: other writes of the account wait.
 */
export async function lockAccount(tx: Queryable, accountId: number): Promise<Plan | undefined> {
  const [row] = await queryRows<{ plan: Plan }>(tx)`
    select plan from accounts where id = ${accountId} for no key update`;
  return row?.plan;
}

/** Counts the websites that match. Reads one row for each, so it costs the same for any number of redirects. */
export async function readUsage(db: Queryable, condition: SQL): Promise<QuotaUsage> {
  const [row] = await queryRows<QuotaUsage>(db)`
    select count(*) as websites, coalesce(sum(redirects), 0) as redirects from websites where ${condition}`;
  return row ?? { websites: 0, redirects: 0 };
}

/** Counts the URLs of the websites that match, without those that only visitors added, which count to no quota. */
export async function readUrlUsage(db: Queryable, condition: SQL): Promise<number> {
  const [row] = await queryRows<{ urls: number }>(db)`
    select coalesce(sum(urls - visitor_urls), 0)::int as urls from url_counts
    where website_id in (select id from websites where ${condition})`;
  return row?.urls ?? 0;
}

/** All websites of the account: a quota counts also those that a limited key does not reach. */
export const ofAccount = ({ accountId }: Pick<Actor, 'accountId'>): SQL =>
  sql`account_id = ${accountId} and deleting_since is null`;

/**
 * Throws PLAN_LIMIT_EXCEEDED if the account has too many websites or redirects, after the transaction has added some.
 * Call it at the end of the transaction, and only if it adds some: an account that is over its quota can still change
 * and delete.
 */
export async function assertQuota(tx: Queryable, actor: Actor, added: Partial<QuotaUsage>): Promise<void> {
  const plan = (await lockAccount(tx, actor.accountId)) ?? actor.plan;
  // A statement after the lock, so that it sees what others committed while this one waited.
  const usage = await readUsage(tx, ofAccount(actor));
  for (const kind of ['websites', 'redirects'] as const) {
    const { [kind]: count = 0 } = added;
    assertWithin(actor, plan, kind, usage[kind] - count, count);
  }
}

/** As assertQuota, for a dry run that would add `redirects`. */
export async function assertRoomFor(db: Queryable, actor: Actor, redirects: number): Promise<void> {
  assertWithin(actor, actor.plan, 'redirects', (await readUsage(db, ofAccount(actor))).redirects, redirects);
}

const LIMITS = { websites: 'maxWebsites', redirects: 'maxRedirects' } as const;

function assertWithin(actor: Actor, plan: Plan, kind: keyof QuotaUsage, existing: number, added: number): void {
  const limit = LIMITS[kind];
  const max = PLANS[plan][limit];
  if (added <= 0 || existing + added <= max) return;
  const text = (count: number): string => count.toLocaleString('en');
  const next = PLAN_NAMES.find((name) => PLANS[name][limit] > max);
  // A limited actor does not learn how much other websites have.
  const has = actor.websiteIds ? 'the account has too few left' : `the account has ${text(existing)}`;
  const remedy = `delete ${kind} that are no longer needed${next ? `, or change to the ${next} plan` : ''}`;
  throw new DomainError('PLAN_LIMIT_EXCEEDED', `The account exceeds the plan's limit of ${kind}`, {
    details: `The ${plan} plan has at most ${text(max)} ${kind}; ${has} and this adds ${text(added)}, so nothing was applied; ${remedy}`,
  });
}
