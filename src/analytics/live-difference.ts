import { sql } from 'drizzle-orm';
import type { Queryable } from '../db/client.ts';
import type { LiveEnvironmentRow } from '../deployments/live/live.ts';
import { isAllowedSql, targetColumn } from '../deployments/live/rules-sql.ts';

/** How many more redirects (or fewer: negative) are live than their targets say. */
export interface LiveDifference {
  /** by the day of creation; days without a difference are absent */
  days: Map<string, number>;
  /** of the groups that were asked for */
  groups: Map<string, number>;
}

/**
 * Looks at the redirects that have changed since the oldest rules that are served, and at no other one: the rest is live exactly where
 * it is targeted. So the cost follows what is not deployed, and is nothing where all is. Rows and pasts meet in a group rather than a
 * join: with statistics that are behind, a join is planned as a loop in a loop. `serving`: environments that serve a
 * version.
 */
export async function readLiveDifference(
  db: Queryable,
  website: { id: number; headRev: number },
  serving: LiveEnvironmentRow[],
  groupIds: string[],
): Promise<LiveDifference> {
  const live = await broughtUp(db, website, serving);
  const difference: LiveDifference = { days: new Map(), groups: new Map() };
  const oldest = live.toSorted((a, b) => a.rulesRev - b.rulesRev)[0];
  const isAllServed = live.every((at) => at.rulesRev === website.headRev && at.targetHosts === null);
  if (!oldest || isAllServed) return difference;
  const { rows } = await db.execute<{ day: string | null; group_id: string | null; difference: number }>(sql`
    with states as (
      select r.id, (r.created_at at time zone 'UTC')::date::text as day, r.group_id, true as is_current,
        ${sql.join(live.map(isLiveAsItIs), sql` or `)} as is_live, ${isTargeted(live)} as is_targeted
      from (${suspects(website.id, oldest, live)}) r
      union all ${sql.join(
        live.map((at) => pasts(website.id, at)),
        sql` union all `,
      )}),
    differing as materialized (
      select max(day) as day, max(group_id) as group_id, bool_or(is_live)::int - bool_or(is_targeted)::int as difference
      from states group by id having bool_or(is_current))
    select day, null as group_id, sum(difference)::int as difference from differing
    where difference <> 0 group by day
    union all
    select null, group_id, sum(difference)::int from differing
    where difference <> 0 and group_id = any(${sql.param(groupIds)}::text[]) group by group_id`);
  for (const row of rows) {
    if (row.day !== null) difference.days.set(row.day, row.difference);
    else if (row.group_id !== null) difference.groups.set(row.group_id, row.difference);
  }
  return difference;
}

/**
 * The same, but that an environment which has deployed all that touches it stands at the working state: its rules are no others, even
 * where the revision that they were taken at is long past. Where changes are deployed by themselves, that is so when nothing waits.
 */
async function broughtUp(
  db: Queryable,
  website: { id: number; headRev: number },
  serving: LiveEnvironmentRow[],
): Promise<LiveEnvironmentRow[]> {
  if (serving.every((at) => at.rulesRev === website.headRev)) return serving;
  const { rows } = await db.execute<{ environment: string; max_id: number }>(sql`
    select we.environment, (select coalesce(max(id), 0) from redirects where website_id = w.id) as max_id
    from website_environments we join websites w on w.id = we.website_id
    where w.id = ${website.id} and w.auto_deploy and not we.held and we.queued is null and we.running is null
      and we.rules_env = we.environment and we.target_hosts is null
      and (select d.status = 'completed' and d.source_version is null from deployments d
        where d.website_id = w.id and d.environment = we.environment order by d.created_at desc, d.id limit 1)`);
  const settled = new Map(rows.map((row) => [row.environment, row.max_id]));
  return serving.map((at) => {
    const rulesMaxId = settled.get(at.environment);
    return rulesMaxId === undefined ? at : { ...at, rulesRev: website.headRev, rulesMaxId };
  });
}

/**
 * Redirects whose row may say something else than what is live: newer by id, changed (what changes leaves a revision, a restored
 * redirect too), or left out for where they lead. Each stands in one of these lists.
 */
function suspects(websiteId: number, oldest: LiveEnvironmentRow, live: LiveEnvironmentRow[]) {
  const { rulesRev, rulesMaxId } = oldest;
  const fields = sql`r.id, r.rev, r.created_at, r.group_id, r.new_path, r.in_prod, r.in_staging, r.in_dev`;
  const changed = sql`
    select ${fields} from redirects r where r.website_id = ${websiteId} and r.id > ${rulesMaxId}
    union all
    select ${fields} from (
      select distinct redirect_id from redirect_revisions
      where website_id = ${websiteId} and rev_to > ${rulesRev} and redirect_id <= ${rulesMaxId}) touched
    join redirects r on r.website_id = ${websiteId} and r.id = touched.redirect_id`;
  if (live.every((at) => at.targetHosts === null)) return changed;
  return sql`${changed}
    union all
    select ${fields} from redirects r
    where r.website_id = ${websiteId} and r.id <= ${rulesMaxId} and r.rev <= ${rulesRev} and left(r.new_path, 1) <> '/'`;
}

/** True where row r is among the environment's rules as it is now. */
function isLiveAsItIs(at: LiveEnvironmentRow) {
  return sql`(r.rev <= ${at.rulesRev} and ${isServed(at)})`;
}

/** What has changed since and is served as it was; of redirects that are gone too. */
function pasts(websiteId: number, at: LiveEnvironmentRow) {
  return sql`
    select redirect_id, null, null, false, true, false from redirect_revisions
    where website_id = ${websiteId} and rev_to > ${at.rulesRev} and rev_from <= ${at.rulesRev} and ${isServed(at)}`;
}

/** Of a row or a past: true where it is among the environment's rules. */
function isServed(at: LiveEnvironmentRow) {
  return sql.raw(`(${targetColumn(at.rulesEnv)} is not null and ${isAllowedSql(at.targetHosts)})`);
}

/** True where row r is targeted at rules that are served somewhere: what the kept counts take for live. */
function isTargeted(live: LiveEnvironmentRow[]) {
  const columns = [...new Set(live.map((at) => targetColumn(at.rulesEnv)))];
  return sql.raw(columns.map((column) => `r.${column} is not null`).join(' or '));
}
