import type { Queryable } from '../../db/connection/client.ts';
import { sql, type SQL } from '../../db/drizzle.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { invalid, wrongParameter } from '../../vocabulary/error.ts';
import { filterCondition, type RedirectFilter } from '../list/filter.ts';
import { type RawRedirect, rowOf } from '../rule/redirect.ts';

/** Maximum ids in one call. A filter may match any number of redirects. */
export const MAX_IDS = 10_000;

/** The redirects of a bulk call. Unknown ids, and ids of other accounts or of another website, are ignored. */
export type Selection = { ids: number[]; websiteId?: number | undefined } | { filter: RedirectFilter };

/** Rows in memory during a bulk write. */
const BATCH_SIZE = 2_000;

/** Throws INVALID_PARAMETER (400) at `field` if the list of ids is empty, and TOO_MANY_ITEMS (422) if it is too long. */
export function checkIds(ids: readonly unknown[], field: string): void {
  if (ids.length === 0) throw wrongParameter(field, 'send 1 to 10,000 ids');
  if (ids.length <= MAX_IDS) return;
  const message = `at most 10,000 ids in one call; this list has ${ids.length}`;
  throw invalid(field, message, 'TOO_MANY_ITEMS');
}

/** Returns the ids of the websites with selected redirects, in the order in which to lock them. */
export async function selectWebsites(tx: Queryable, actor: Actor, selection: Selection): Promise<number[]> {
  const { rows } = await tx.execute<{ id: number }>(
    sql`select distinct r.website_id as id from redirects r where ${selectionCondition(actor, selection)} order by 1`,
  );
  return rows.map(({ id }) => id);
}

/** Yields the selected redirects of one website in batches, by id. Call it with the website locked. */
export async function* selectBatches(tx: Queryable, actor: Actor, websiteId: number, selection: Selection) {
  let lastId = 0;
  for (;;) {
    const { rows } = await tx.execute<RawRedirect>(sql`
      select r.* from redirects r where ${selectionCondition(actor, selection)} and r.website_id = ${websiteId} and r.id > ${lastId}
      order by r.id limit ${BATCH_SIZE}`);
    if (rows.length > 0) yield rows.map(rowOf);
    if (rows.length < BATCH_SIZE) return;
    lastId = Number(rows.at(-1)?.id);
  }
}

/** SQL condition on `redirects r`. */
export function selectionCondition(actor: Actor, selection: Selection): SQL {
  return filterCondition(actor, 'filter' in selection ? selection.filter : selection);
}
