import type { Queryable } from '../db/connection/client.ts';
import { sql } from '../db/drizzle.ts';
import { queryRows } from '../db/rows.ts';
import type { LiveEnvironmentRow } from '../deployments/live/database/live.ts';
import { isServedSql, targetColumn } from '../deployments/live/database/rules-sql.ts';

/**
 * Returns the number of live redirects minus that according to their current targets, by day of creation without days
 * that have no difference, and of the requested groups; it may be negative. Reads only redirects that changed since the
 * oldest served version: all others are live exactly in their target environments. The cost is proportional to the
 * undeployed changes.
 *
 * `serving` are the environments that serve a version. Redirects and revisions are combined by `group by`, because the
 * planner turns a join into nested loops if statistics are outdated.
 */
export async function readLiveDifference(
  db: Queryable,
  website: { id: number; headRev: number },
  serving: LiveEnvironmentRow[],
  groupIds: string[],
) {
  const live = await normalizePointers(db, website, serving);
  const difference = { days: new Map<string, number>(), groups: new Map<string, number>() };
  const oldest = live.toSorted((a, b) => a.rulesRev - b.rulesRev)[0];
  const isAllServed = live.every((at) => at.rulesRev === website.headRev && at.targetHosts === null);
  if (!oldest || isAllServed) return difference;
  const unchanged = live.map((at) => sql`(r.rev <= ${at.rulesRev} and ${sql.raw(isServedSql(at))})`);
  const rows = await queryRows<{ day: string | null; groupId: string | null; difference: number }>(db)`
    with states as (
      select r.id, (r.created_at at time zone 'UTC')::date::text as day, r.group_id, true as is_current,
        ${sql.join(unchanged, sql` or `)} as is_live, ${isTargeted(live)} as is_targeted
      from (${candidates(website.id, oldest, live)}) r
      union all ${sql.join(
        live.map((at) => servedRevisions(website.id, at)),
        sql` union all `,
      )}),
    differing as materialized (
      select max(day) as day, max(group_id) as group_id, bool_or(is_live)::int - bool_or(is_targeted)::int as difference
      from states group by id having bool_or(is_current))
    select day, null as group_id, sum(difference)::int as difference from differing
    where difference <> 0 group by day
    union all
    select null, group_id, sum(difference)::int from differing
    where difference <> 0 and group_id = any(${sql.param(groupIds)}::text[]) group by group_id`;
  for (const row of rows) {
    if (row.day !== null) difference.days.set(row.day, row.difference);
    else if (row.groupId !== null) difference.groups.set(row.groupId, row.difference);
  }
  return difference;
}

/**
 * Moves environments that have deployed every change to the current revision: their rules are the current rules, even
 * if the version is older. With automatic deployment that is the case when no deployment is queued, running or on hold.
 */
async function normalizePointers(
  db: Queryable,
  website: { id: number; headRev: number },
  serving: LiveEnvironmentRow[],
): Promise<LiveEnvironmentRow[]> {
  if (serving.every((at) => at.rulesRev === website.headRev)) return serving;
  const rows = await queryRows<{ environment: string; maxId: number }>(db)`
    select we.environment, (select coalesce(max(id), 0) from redirects where website_id = w.id) as max_id
    from website_environments we join websites w on w.id = we.website_id
    where w.id = ${website.id} and w.auto_deploy and not we.held and we.queued is null and we.running is null
      and we.rules_env = we.environment and we.target_hosts is null
      and (select d.status = 'completed' and d.source_version is null from deployments d
        where d.website_id = w.id and d.environment = we.environment order by d.created_at desc, d.id limit 1)`;
  const maxIds = new Map(rows.map(({ environment, maxId }) => [environment, maxId]));
  return serving.map((at) => {
    const rulesMaxId = maxIds.get(at.environment);
    return rulesMaxId === undefined ? at : { ...at, rulesRev: website.headRev, rulesMaxId };
  });
}

/**
 * Redirects that may differ from what is live: newer ones, changed ones (each change leaves a revision), and ones that
 * a rollback excluded because of their target host. Each is in one of these lists.
 */
function candidates(websiteId: number, oldest: LiveEnvironmentRow, live: LiveEnvironmentRow[]) {
  const { rulesRev, rulesMaxId } = oldest;
  const fields = sql`r.id, r.rev, r.created_at, r.group_id, r.new_path, r.in_prod, r.in_staging, r.in_dev`;
  const changed = sql`
    select ${fields} from redirects r where r.website_id = ${websiteId} and r.id > ${rulesMaxId}
    union all
    select ${fields} from (
      select distinct redirect_id from redirect_revisions
      where website_id = ${websiteId} and rev_to > ${rulesRev} and redirect_id <= ${rulesMaxId} and rev_from < rev_to) touched
    join redirects r on r.website_id = ${websiteId} and r.id = touched.redirect_id`;
  if (live.every((at) => at.targetHosts === null)) return changed;
  return sql`${changed}
    union all
    select ${fields} from redirects r
    where r.website_id = ${websiteId} and r.id <= ${rulesMaxId} and r.rev <= ${rulesRev} and left(r.new_path, 1) <> '/'`;
}

/** Served revisions of redirects that have changed or been deleted since. */
function servedRevisions(websiteId: number, at: LiveEnvironmentRow) {
  return sql`
    select redirect_id, null, null, false, true, false from redirect_revisions
    where website_id = ${websiteId} and rev_to > ${at.rulesRev} and rev_from <= ${at.rulesRev} and ${sql.raw(isServedSql(at))}`;
}

/** Condition that row r targets an environment that is served, which the stored counts consider live. */
function isTargeted(live: LiveEnvironmentRow[]) {
  const columns = [...new Set(live.map((at) => targetColumn(at.rulesEnv)))];
  return sql.raw(columns.map((column) => `r.${column} is not null`).join(' or '));
}
