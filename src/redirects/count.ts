import { sql } from '../db/drizzle.ts';
import type { Queryable } from '../db/client.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { filterCondition, type RedirectFilter } from './filter.ts';

/** How many redirects of the account the filter matches, exactly: what a bulk call with the same filter would reach. */
export async function countRedirects(db: Queryable, actor: Actor, filter: RedirectFilter): Promise<number> {
  const { rows } = await db.execute<{ count: string }>(
    sql`select count(*) as count from redirects r where ${filterCondition(actor, filter)}`,
  );
  return Number(rows[0]?.count ?? 0);
}
