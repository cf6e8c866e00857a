/** Hits of the groups of a website: the hits of the redirects that are in a group now. */
import type { Queryable } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import type { DayRange } from './hit-summary.ts';

export interface GroupTotal {
  groupId: string;
  /** human hits */
  hits: number;
}

export interface GroupScope {
  websiteId: number;
  environment: Environment;
}

/** Returns the `limit` groups with the most hits, equal ones by name, and the hits of all groups. */
export async function readGroupHits(
  db: Queryable,
  scope: GroupScope,
  range: DayRange,
  limit: number,
): Promise<{ groups: GroupTotal[]; groupedHits: number }> {
  if (!(await hasGroups(db, scope.websiteId))) return { groups: [], groupedHits: 0 };
  const rows = await queryRows<GroupTotal & { groupedHits: number }>(db)`
    select g.*, sum(g.hits) over ()::bigint as grouped_hits from (${sql.raw(groupHitsQuery(scope, range))}) g
    order by g.hits desc, g.group_id limit ${limit}`;
  return {
    groups: rows.map(({ groupId, hits }) => ({ groupId, hits: Number(hits) })),
    groupedHits: Number(rows[0]?.groupedHits ?? 0),
  };
}

/** A website without groups need not sum its redirects. */
async function hasGroups(db: Queryable, websiteId: number): Promise<boolean> {
  const rows = await queryRows(db)`select 1 as found from redirect_groups where website_id = ${websiteId} limit 1`;
  return rows.length > 0;
}

/**
 * SQL text for a COPY, which takes no parameters: `group_id`, `hits`, `bot_hits` and `assistant_hits` of each group with
 * requests. Sums by redirect first: of a month without statistics the planner expects few rows, and would look up each one's group.
 */
export function groupHitsQuery(scope: GroupScope, range: DayRange): string {
  return `
    select r.group_id, sum(h.hits)::bigint as hits, sum(h.bot_hits)::bigint as bot_hits,
      sum(h.assistant_hits)::bigint as assistant_hits
    from (${redirectHitsQuery(scope, range)}) h
    join redirects r on r.website_id = ${scope.websiteId} and r.id = h.redirect_id
    where r.group_id is not null group by r.group_id`;
}

/** SQL text for a COPY: `redirect_id`, `hits`, `bot_hits` and `assistant_hits` of each redirect with requests, deleted ones included. */
export function redirectHitsQuery({ websiteId, environment }: GroupScope, { from, to }: DayRange): string {
  return `
    select redirect_id, sum(hits) as hits, sum(bot_hits) as bot_hits, sum(assistant_hits) as assistant_hits
    from redirect_hits
    where website_id = ${websiteId} and environment = '${environment}' and day between '${from}' and '${to}'
    group by redirect_id offset 0`;
}
