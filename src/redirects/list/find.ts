import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Queryable } from '../../db/client.ts';
import { redirects, websites } from '../../db/schema.ts';
import { createDeployedTimes } from '../../deployments/live/deployed-at.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { type ListedRedirect, redirectNotFound, redirectOf, type RedirectRow } from '../rule/redirect.ts';
import { filterCondition, type RedirectFilter } from './filter.ts';

/** The account's redirect; REDIRECT_NOT_FOUND where it is another's or none. */
export async function requireRedirectRow(db: Queryable, actor: Actor, id: number): Promise<RedirectRow> {
  const [found] = await db
    .select({ redirect: redirects })
    .from(redirects)
    .innerJoin(websites, eq(websites.id, redirects.websiteId))
    .where(
      and(eq(redirects.id, id), eq(websites.accountId, actor.accountId), isNull(websites.deletingSince)),
    );
  if (!found) throw redirectNotFound(id);
  return found.redirect;
}

/** The account's redirect with the times at which it was deployed. */
export async function findRedirect(db: Queryable, actor: Actor, id: number): Promise<ListedRedirect> {
  const row = await requireRedirectRow(db, actor, id);
  const [deployed] = await createDeployedTimes(db)([row]);
  if (!deployed) throw new Error('a row has its times');
  return { ...redirectOf(row), deployed };
}

/** How many redirects of the account the filter matches, exactly: what a bulk call with the same filter would reach. */
export async function countRedirects(db: Queryable, actor: Actor, filter: RedirectFilter): Promise<number> {
  const { rows } = await db.execute<{ count: string }>(
    sql`select count(*) as count from redirects r where ${filterCondition(actor, filter)}`,
  );
  return Number(rows[0]?.count ?? 0);
}
