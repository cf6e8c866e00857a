/** Hits of the groups of a website: the hits of the redirects that are in a group now. */
import type { Queryable } from '../../db/connection/client.ts';
import { sql, type SQL } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import { countedHits, type DayRange, type HitScope, inRanges, storedDays } from './hit-rows.ts';

export interface GroupTotal {
  groupId: string;
  /** counted hits */
  hits: number;
  previousHits: number;
}

/** Returns the `limit` groups with the most hits, equal ones by name, those in `before`, and the hits of all groups. */
export async function readGroupHits(
  db: Queryable,
  scope: HitScope,
  { range, before = range, limit }: { range: DayRange; before?: DayRange | undefined; limit: number },
): Promise<{ groups: GroupTotal[]; groupedHits: number }> {
  if (!(await hasGroups(db, scope.websiteId))) return { groups: [], groupedHits: 0 };
  const rows = await queryRows<GroupTotal & { groupedHits: number }>(db)`
    select g.group_id, g.hits, g.previous_hits, sum(g.hits) over ()::bigint as grouped_hits
    from (${groupHitsQuery(scope, range, before)}) g where g.hits > 0 order by g.hits desc, g.group_id limit ${limit}`;
  return {
    groups: rows.map(({ groupId, hits, previousHits }) => ({ groupId, hits, previousHits })),
    groupedHits: Number(rows[0]?.groupedHits ?? 0),
  };
}

/** A website without groups need not sum its redirects. */
async function hasGroups(db: Queryable, websiteId: number): Promise<boolean> {
  const rows = await queryRows(db)`select 1 as found from redirect_groups where website_id = ${websiteId} limit 1`;
  return rows.length > 0;
}

/**
 * `group_id`, `hits`, `bot_hits`, `assistant_hits` and `previous_hits` of each group with requests. Sums by redirect
 * first: of a month without statistics the planner expects few rows, and would look up each one's group.
 */
export function groupHitsQuery(scope: HitScope, range: DayRange, before = range): SQL {
  return sql`
    select r.group_id, sum(h.hits)::bigint as hits, sum(h.bot_hits)::bigint as bot_hits,
      sum(h.assistant_hits)::bigint as assistant_hits, sum(h.previous_hits)::bigint as previous_hits
    from (${redirectHitsQuery(scope, range, before)}) h
    join redirects r on r.website_id = ${scope.websiteId} and r.id = h.redirect_id
    where r.group_id is not null group by r.group_id`;
}

/** `redirect_id` and the same sums of each redirect with requests, deleted ones included. */
export function redirectHitsQuery(scope: HitScope, range: DayRange, before = range): SQL {
  const now = sql`filter (where ${inRanges(range)})`;
  const hits = countedHits(scope.filter);
  return sql`
    select h.redirect_id, coalesce(sum(${hits}) ${now}, 0) as hits, coalesce(sum(h.bot_hits) ${now}, 0) as bot_hits,
      coalesce(sum(h.assistant_hits) ${now}, 0) as assistant_hits,
      coalesce(sum(${hits}) filter (where ${inRanges(before)}), 0) as previous_hits
    ${storedDays(scope, [range, before], true)} group by 1 offset 0`;
}
