import { sql } from 'drizzle-orm';
import type { Queryable } from '../../db/client.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { DomainError } from '../../vocabulary/error.ts';
import { filterCondition, type RedirectFilter } from '../list/filter.ts';
import { type RedirectRow, type RawRedirect, rowOf } from '../rule/redirect.ts';

/** Ids that one call may name; a filter may match any number. */
export const MAX_IDS = 10_000;

/** The redirects that a bulk call means: by id, or by the list's filter. */
export type Selection = { ids: number[] } | { filter: RedirectFilter };

/** Rows that a bulk write holds at a time. */
const BATCH = 2_000;

/** The websites that the selection reaches into, in the order in which they must be locked. */
export async function websitesOf(tx: Queryable, actor: Actor, selection: Selection): Promise<number[]> {
  const { rows } = await tx.execute<{ website_id: number }>(
    sql`select distinct r.website_id from redirects r where ${condition(actor, selection)} order by 1`,
  );
  return rows.map((row) => row.website_id);
}

/**
 * The selected redirects of one website, in batches by id. To be read under the website's lock. Ids that are unknown or another
 * account's are not among them.
 */
export async function* selectBatches(
  tx: Queryable,
  actor: Actor,
  websiteId: number,
  selection: Selection,
): AsyncGenerator<RedirectRow[]> {
  let after = 0;
  for (;;) {
    const { rows } = await tx.execute<RawRedirect>(sql`
      select r.* from redirects r where ${condition(actor, selection)} and r.website_id = ${websiteId} and r.id > ${after}
      order by r.id limit ${BATCH}`);
    if (rows.length > 0) yield rows.map(rowOf);
    if (rows.length < BATCH) return;
    after = Number(rows.at(-1)?.id);
  }
}

export async function countSelected(tx: Queryable, actor: Actor, selection: Selection): Promise<number> {
  const { rows } = await tx.execute<{ count: string | number }>(
    sql`select count(*) as count from redirects r where ${condition(actor, selection)}`,
  );
  return Number(rows[0]?.count ?? 0);
}

/** Throws where the list of ids is empty (400) or too long (422). */
export function checkIds(ids: number[]): void {
  if (ids.length === 0) {
    throw new DomainError('INVALID_PARAMETER', 'redirectIds is empty', {
      details: 'redirectIds: name 1 to 10,000 redirects',
    });
  }
  if (ids.length <= MAX_IDS) return;
  const message = `at most 10,000 ids in one call; this list has ${ids.length}`;
  throw new DomainError('TOO_MANY_ITEMS', 'Too many redirects', {
    details: `redirectIds: ${message}`,
    issues: [{ path: 'redirectIds', code: 'TOO_MANY_ITEMS', message }],
  });
}

function condition(actor: Actor, selection: Selection): ReturnType<typeof sql> {
  if ('filter' in selection) return filterCondition(actor, selection.filter);
  return sql`${filterCondition(actor, {})} and r.id = any(${sql.param(selection.ids)}::bigint[])`;
}
