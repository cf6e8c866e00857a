import type { Queryable } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import { encodeCursor } from '../../platform/cursor.ts';
import { type Change, readPosition } from './find-changes.ts';
import { joinStates, type RawStates, STATES, type States, toStates } from './states.ts';

/** A redirect of a change: its states before and after. */
export interface ChangeItem extends States {
  redirectId: number;
}

/**
 * Returns a page of what a change did, by redirect id. Costs a page, whatever the size of the change. Throws
 * INVALID_PARAMETER for a wrong cursor.
 */
export async function readChangeItems(
  db: Queryable,
  change: Change,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<{ items: ChangeItem[]; nextCursor: string | null }> {
  const list = `change ${change.id}`;
  const items = await readItems(db, change, readPosition(cursor, list) ?? 0, limit + 1);
  const shown = items.slice(0, limit);
  const last = shown.at(-1);
  return { items: shown, nextCursor: items.length > limit && last ? encodeCursor(list, [last.redirectId]) : null };
}

async function readItems(db: Queryable, change: Change, after: number, limit: number): Promise<ChangeItem[]> {
  const { websiteId, revision, counts, firstId, lastId } = change;
  // Hidden from statistics that do not know the website, as in states.ts.
  const website = sql`website_id = (select ${websiteId}::int)`;
  const created = counts.created > 0 ? sql`${website} and` : sql`false and`;
  const range = sql`between ${Math.max(after, firstId) + 1}::bigint and ${lastId}::bigint`;
  // The created redirects are those of the range: the ones that exist, and the ones that have changed or gone since.
  const touched = sql`
    (select redirect_id as id from redirect_revisions
      where ${website} and (rev_to, redirect_id) > (${revision}::int, ${after}::bigint) and rev_to <= ${revision}::int
      order by rev_to, redirect_id limit ${limit}::int)
    union (select id from redirects where ${created} id ${range} order by id limit ${limit}::int)
    union (select distinct redirect_id from redirect_revisions
      where ${created} redirect_id ${range} order by redirect_id limit ${limit}::int)
    order by id limit ${limit}::int`;
  const rows = await queryRows<RawStates & { id: number }>(db)`
    select t.id, ${STATES} from (select id, ${revision}::int as revision from (${touched}) ids) t ${joinStates(websiteId)}
    order by t.id`;
  return rows.map(({ id, ...states }) => ({ redirectId: id, ...toStates(states) }));
}
