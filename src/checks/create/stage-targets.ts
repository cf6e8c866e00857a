/** Writes the targets of a new check, by falling weight, and the redirects that each concerns. */
import type { Tx } from '../../db/connection/client.ts';
import { sql, type SQL } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import { targetColumn } from '../../deployments/live/database/rules-sql.ts';
import { weightedUrls } from '../../deployments/gate/urls/url-weight.ts';
import { type RedirectFilter, rowCondition } from '../../redirects/list/filter.ts';
import { urlCondition, type UrlFilter } from '../../urls/url-filter.ts';
import type { CheckKind } from '../../vocabulary/checks.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { at } from '../check.ts';

const HIT_DAYS = 30;

export interface NewCheck {
  id: string;
  websiteId: number;
  environment: Environment;
  kind: CheckKind;
  baseUrl: string | null;
  /** exact hosts of the environment, whose addresses are asked at `baseUrl` */
  ownHosts: readonly string[];
  now: Date;
}

/** The host of a URL, without port. */
const HOST = sql.raw(String.raw`lower(substring(t.url from '^[a-zA-Z]+://(?:[^/?#]*@)?(\[[^\]]*\]|[^/?#:]*)'))`);

/** The last confirmed state that a check of the kind found for the URL of a row `t`. */
export const before = ({ websiteId, kind }: NewCheck): SQL => sql`
  (select p.state from check_targets p join checks pc on pc.id = p.check_id
    where p.website_id = ${websiteId} and hashtextextended(p.url, 0) = hashtextextended(t.url, 0) and p.url = t.url
      and pc.kind = ${kind} and p.confirmed and p.state <> 'skipped'
    order by p.checked_at desc limit 1)`;

/** Redirects `r` that are asked for: of the environment, found by the filter, not over. `hits` are of 30 days. */
export const filteredRules = (check: NewCheck, filter: RedirectFilter, joins = sql``): SQL => sql`
  redirects r left join (
    select redirect_id, sum(hits)::bigint as hits from redirect_hits
    where website_id = ${check.websiteId} and environment = ${check.environment}
      and day > (${at(check.now)} at time zone 'UTC')::date - ${sql.raw(String(HIT_DAYS))}
    group by redirect_id) h on h.redirect_id = r.id ${joins}
  where r.website_id = ${check.websiteId} and r.${sql.identifier(targetColumn(check.environment))} is not null
    and coalesce(r.active_until > ${at(check.now)}, true) and ${rowCondition(filter)}`;

/** Which of its targets a check has: the heaviest `limit`, and none that the cycle of this start has asked. */
interface Cut {
  limit?: number;
  cycle?: string;
}

/** Condition on targets `g`. Its subquery runs once, whatever PostgreSQL knows about the new rows. */
const wasAsked = ({ websiteId }: NewCheck, cycle: string): SQL => sql`g.url in (
  select p.url from check_targets p where p.state is not null and p.check_id = any(array(
    select id from checks where website_id = ${websiteId} and cycle_started_at = ${cycle}::timestamptz)))`;

export interface StagedTargets {
  staged: number;
  /** redirects without a URL to ask: the target of a pattern that holds groups, or an own path without a host */
  skipped: number;
  /** targets above the limit */
  postponed: number;
}

/** The path of a target of a redirect `r` on the website itself; null for one elsewhere. */
const ownPath = (hosts: readonly string[]): SQL => sql`
  case when r.new_path like '/%' then r.new_path
    when lower(substring(r.new_path from '^https?://([^/?#]+)')) = any(${sql.param(hosts)}::text[])
      then regexp_replace(r.new_path, '^https?://[^/?#]+', '') end`;

/**
 * Writes the distinct targets of redirects. Joins none of them: PostgreSQL expects few redirects of a website that is
 * newer than its statistics, and would compare each target with every redirect.
 */
export async function stageTargets(
  tx: Tx,
  check: NewCheck,
  filter: RedirectFilter,
  { limit, cycle }: Cut = {},
): Promise<StagedTargets> {
  const fits = limit === undefined ? sql`true` : sql`t.n <= ${limit}::int`;
  const [counts] = await queryRows<StagedTargets>(tx)`
    with found as materialized (
      select id, target, hits, url, is_own, not (is_regex and target like '%$%') and url ~* '^https?://' as is_asked
      from (
        select r.id, r.new_path as target, r.is_regex, coalesce(h.hits, 0) as hits,
          split_part(coalesce(${check.baseUrl}::text || o.path, r.new_path), '#', 1) as url,
          o.path is not null as is_own
        from ${filteredRules(check, filter, sql`cross join lateral (select ${ownPath(check.ownHosts)} as path) o`)}
          and r.new_path is not null) r),
    asked as materialized (
      select g.*, dense_rank() over (order by weight desc, url)::int as n
      from (
        select id, target, url, bool_or(is_own) over same as is_own, (sum(hits) over same)::bigint as weight
        from found where is_asked window same as (partition by url)) g
      where ${cycle === undefined ? sql`true` : sql`not ${wasAsked(check, cycle)}`}),
    t as materialized (select n, url, is_own, weight from asked group by n, url, is_own, weight),
    written as (
      insert into check_targets (check_id, n, website_id, url, host, is_own, weight, before, due_at)
      select ${check.id}, t.n, ${check.websiteId}, t.url, ${HOST}, t.is_own, t.weight, ${before(check)}, ${at(check.now)}
      from t where ${fits}),
    concerned as (
      insert into check_rules (check_id, n, redirect_id, website_id, target)
      select ${check.id}, t.n, t.id, ${check.websiteId}, t.target from asked t where ${fits})
    select (select count(*)::int from t where ${fits}) as staged,
      (select count(*)::int from found where not is_asked) as skipped,
      (select count(*)::int from t where not ${fits}) as postponed`;
  return counts ?? { staged: 0, skipped: 0, postponed: 0 };
}

/** Writes the living URLs that the filter finds. */
export async function stageUrls(
  tx: Tx,
  check: NewCheck,
  filter: Omit<UrlFilter, 'websiteId' | 'environment'>,
): Promise<void> {
  const place = { websiteId: check.websiteId, environment: check.environment };
  await queryRows(tx)`
    insert into check_targets (check_id, n, website_id, url, host, is_own, weight, before, due_at)
    select ${check.id}, (row_number() over (order by t.weight desc, t.url))::int, ${check.websiteId}, t.url, ${HOST}, true,
      t.weight, ${before(check)}, ${at(check.now)}
    from (
      select ${check.baseUrl}::text || v.url as url, v.weight::bigint as weight from (${weightedUrls(place)}) v
      where v.state = 0 and ${urlCondition({ ...filter, ...place })}) t`;
}
