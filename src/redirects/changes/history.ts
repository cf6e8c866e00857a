import { sql } from '../../db/drizzle.ts';
import { isOwnWebsite } from '../../accounts/website-scope.ts';
import type { Queryable } from '../../db/connection/client.ts';
import { queryRows } from '../../db/rows.ts';
import { encodeCursor } from '../../platform/cursor.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { redirectNotFound } from '../rule/redirect.ts';
import {
  type Change,
  CHANGE_COLUMNS,
  type ChangeOrigin,
  type ChangeRow,
  IS_RECENT,
  JOIN_UNDONE,
  readPosition,
  toChange,
} from './find-changes.ts';
import { revisionsOf } from './revisions.ts';
import { joinStates, type RawStates, STATES, type States, toStates } from './states.ts';

export interface HistoryEntry extends States {
  change: Change & ChangeOrigin;
}

/**
 * Returns a page of the changes of one redirect in the last 30 days, newest first, imports included. Works for a deleted
 * redirect as long as its last state is stored. Throws REDIRECT_NOT_FOUND, and INVALID_PARAMETER for a wrong cursor.
 */
export async function readHistory(
  db: Queryable,
  actor: Actor,
  id: number,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<{ history: HistoryEntry[]; nextCursor: string | null }> {
  const websiteId = await findWebsite(db, actor, id);
  const list = `history ${id}`;
  const before = readPosition(cursor, list) ?? null;
  const rows = await queryRows<ChangeRow & RawStates>(db)`
    select ${CHANGE_COLUMNS}, ${STATES}
    from (select ${id}::bigint as id, revision from (${revisionsOf(websiteId, sql`${id}::bigint`, { before, limit: limit + 1 })}) revisions) t
    join changes c on c.website_id = ${websiteId}::int and c.revision = t.revision and ${IS_RECENT}
    ${JOIN_UNDONE}
    ${joinStates(websiteId)}
    order by c.revision desc limit ${limit + 1}::int`;
  const history = rows.slice(0, limit).map(({ before: former, after, ...row }) => ({
    change: toChange(actor, row),
    ...toStates({ before: former, after }),
  }));
  const last = history.at(-1);
  return { history, nextCursor: rows.length > limit && last ? encodeCursor(list, [last.change.revision]) : null };
}

/** The website of the account that has the redirect, or had it. */
async function findWebsite(db: Queryable, actor: Actor, id: number): Promise<number> {
  const [row] = await queryRows<{ id: number }>(db)`
    select w.id from websites w
    where ${isOwnWebsite(actor, 'w')}
      and (exists (select from redirects r where r.website_id = w.id and r.id = ${id}::bigint)
        or exists (select from redirect_revisions v where v.website_id = w.id and v.redirect_id = ${id}::bigint))
    limit 1`;
  if (!row) throw redirectNotFound(id);
  return row.id;
}
