/** Changes that wait for a deployment, in environments that do not deploy them. */
import { sql, type SQL } from '../db/drizzle.ts';
import { queryRows } from '../db/rows.ts';
import { IS_DIFFERENT, isServedAtSql, isTargetedSql } from '../deployments/live/database/rules-sql.ts';
import type { Environment } from '../vocabulary/environment.ts';
import { itemOf, type OverviewItem, type OverviewScope } from './item.ts';
import { rowsOfEach } from './redirects.ts';

interface Row {
  websiteId: number;
  environment: Environment;
  count: number;
  countIsAtLeast: boolean;
  changedAt: string;
}

/** An environment that is on hold or not deployed automatically, with undeployed changes of the website. */
const CANDIDATES = (ids: number[]): SQL => sql`
  select we.*, w.head_rev from unnest(${sql.param(ids)}::int[]) i (id) join websites w on w.id = i.id
    join website_environments we on we.website_id = i.id
  where (we.held or not w.auto_deploy) and we.queued is null and we.running is null`;

export async function waitingItems(scope: OverviewScope): Promise<OverviewItem[]> {
  const rows = [...(await neverDeployed(scope)), ...(await differing(scope))];
  return rows.map(({ changedAt, ...row }) => itemOf({ ...row, kind: 'changes.waiting', since: new Date(changedAt) }));
}

/**
 * Without a version, every targeted redirect waits: since the first change, or the day of the first redirect if that is
 * later. Triggers count the redirects of a day. Changes of 30 days are stored.
 */
function neverDeployed({ db, ids }: OverviewScope): Promise<Row[]> {
  return queryRows<Row>(db)`
    with c as (${CANDIDATES(ids)})
    select c.website_id, c.environment, d.count, false as count_is_at_least,
      greatest(d.first_day, (select h.created_at from changes h where h.website_id = c.website_id
        order by h.revision limit 1)) as changed_at
    from c cross join lateral (
      select coalesce(sum(n), 0)::int as count, (min(r.day) filter (where n > 0))::timestamptz as first_day
      from redirect_days r, unnest(r.by_targets) with ordinality t (n, bits)
      where r.website_id = c.website_id
        and (bits - 1)::int & case c.environment when 'production' then 1 when 'staging' then 2 else 4 end > 0) d
    where c.live_version = 0 and d.count > 0`;
}

/**
 * Compares the redirects that changed after the live version, the newest first, and no more than a limit. A version of
 * another environment, or without some rules, differs in others too, which only a full comparison finds.
 */
async function differing(scope: OverviewScope): Promise<Row[]> {
  const { db, ids } = scope;
  // Materialized, or the planner compares the redirects of all environments first.
  const changed = sql`c as materialized (
    select * from (${CANDIDATES(ids)}) e where live_version > 0 and head_rev > rules_rev)`;
  const [places] = await queryRows<{ count: number }>(db)`
    with ${changed} select count(*)::int as count from c`;
  const limit = rowsOfEach(places?.count ?? 0);
  if (!places?.count) return [];
  return queryRows<Row>(db)`
    with ${changed}
    select c.website_id, c.environment, c.changed_at, d.count,
      d.is_cut or c.rules_env <> c.environment or c.target_hosts is not null as count_is_at_least
    from c cross join lateral (
      select (count(*) filter (where ${sql.raw(IS_DIFFERENT)}))::int as count,
        coalesce(bool_or(t.is_cut), false) as is_cut
      from (
        select distinct on (id) id, count(*) over (partition by is_new) >= ${limit}::int as is_cut from (
          (select redirect_id as id, false as is_new from redirect_revisions
            where website_id = c.website_id and rev_to > c.rules_rev and redirect_id <= c.rules_max_id
              and rev_from < rev_to order by rev_to desc limit ${limit}::int)
          union all
          (select id, true from redirects where website_id = c.website_id and id > c.rules_max_id
            order by id desc limit ${limit}::int)) u
        order by id) t
      left join lateral (
        select v.* from redirect_revisions v
        where v.website_id = c.website_id and v.redirect_id = t.id and v.rev_to > c.rules_rev and v.rev_from <= c.rules_rev
          and v.rev_from < v.rev_to and ${sql.raw(isServedAtSql('v', 'c'))}
        order by v.rev_to limit 1) b on true
      left join lateral (
        select r.* from redirects r where r.website_id = c.website_id and r.id = t.id and ${sql.raw(isTargetedSql('r', 'c.environment'))}) a on true) d
    where d.count > 0`;
}
