/** The groups of a website with their redirects, from the counts that triggers maintain (`redirect_groups`). */
import { containing, sql, type SQL } from '../../db/drizzle.ts';
import type { Queryable } from '../../db/connection/client.ts';
import { queryRows } from '../../db/rows.ts';
import { decodeCursor, encodeCursor, isCount } from '../../platform/cursor.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { requireWebsiteRow } from '../../websites/website.ts';

export interface Group {
  groupId: string;
  /** number of redirects, at least 1 */
  redirects: number;
}

interface GroupQuery {
  websiteId: number;
  /** text anywhere in the name, ignoring case; undefined: all groups */
  q: string | undefined;
  limit: number;
  cursor: string | undefined;
}

/** How well a name fits the search: 0 is the text itself, 1 begins with it, 2 contains it. */
type Rank = 0 | 1 | 2;
type Position = [rank: Rank, redirects: number, groupId: string];

/**
 * Lists groups by fit to `q`, then by size, then by name in byte order. Without `q` a page reads as many entries of
 * `redirect_groups_largest_idx` as it has groups; with it, all those of the website (0.1 s for 100,000 groups). Throws
 * WEBSITE_NOT_FOUND, and INVALID_PARAMETER for a cursor of another list.
 */
export async function listGroups(db: Queryable, actor: Actor, { websiteId, q, limit, cursor }: GroupQuery) {
  await requireWebsiteRow(db, actor, websiteId);
  const list = `groups ${websiteId} ${q ?? ''}`;
  const after = cursor === undefined ? undefined : decodeCursor(cursor, list, positionOf);
  const rank =
    q === undefined
      ? undefined
      : sql`case when group_id = ${q} then 0 when ${NAME} ilike ${containing(q).slice(1)} then 1 else 2 end`;
  // The same order as the index, nulls included, or PostgreSQL does not use it.
  const order = sql`redirects desc nulls last, group_id`;
  const rows = await queryRows<Group & { rank: Rank }>(db)`
    select group_id, redirects, ${rank ?? sql`0`} as rank from redirect_groups
    where website_id = ${websiteId} and redirects > 0
      ${q === undefined ? sql`` : sql`and ${NAME} ilike ${containing(q)}`} ${after ? beyond(after, rank) : sql``}
    order by ${rank ? sql`rank, ${order}` : order} limit ${limit + 1}`;
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return {
    groups: page.map(({ groupId, redirects }) => ({ groupId, redirects })),
    nextCursor: last ? encodeCursor(list, [last.rank, last.redirects, last.groupId]) : null,
  };
}

/** In the collation of the database: in "C" only ASCII letters have a case. */
const NAME = sql`group_id collate "default"`;

function beyond([rank, redirects, groupId]: Position, rankSql: SQL | undefined): SQL {
  // `redirects <=` bounds the range of the index.
  const next = sql`(redirects <= ${redirects} and (redirects < ${redirects} or group_id > ${groupId}))`;
  return rankSql ? sql`and (${rankSql} > ${rank} or (${rankSql} = ${rank} and ${next}))` : sql`and ${next}`;
}

function positionOf([rank, redirects, groupId, ...others]: unknown[]): Position | undefined {
  const isRank = rank === 0 || rank === 1 || rank === 2;
  const isText = typeof groupId === 'string' && !groupId.includes('\0');
  // A count is an int4.
  const isPosition = isRank && isCount(redirects) && redirects < 2 ** 31 && isText;
  return isPosition && others.length === 0 ? [rank, redirects, groupId] : undefined;
}
