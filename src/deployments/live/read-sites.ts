import type { Queryable } from '../../db/client.ts';
import { sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import { redirectToSql } from '../../websites/website.ts';
import type { Site } from './site-registry.ts';

/** Reads websites with their verified hosts. A deleted website is left out. */
export async function readSites(db: Queryable, ids: number[] | 'all'): Promise<Site[]> {
  return queryRows<Site>(db)`
    select w.id, w.account_id, w.case_sensitive, w.trailing_slash, w.query, w.fallback_url, w.allowed_target_hosts,
      coalesce((select json_agg(json_build_object('hostname', h.hostname, 'environment', h.environment, 'redirectTo', ${redirectToSql}))
        from website_hosts h where h.website_id = w.id and h.verified), '[]') as hosts
    from websites w
    where w.deleting_since is null and ${ids === 'all' ? sql`true` : sql`w.id = any(${sql.param(ids)}::int[])`}`;
}

/** Ids of the websites whose hosts or options (`sites`), or live versions (`rules`), changed in the last `seconds`. */
export async function readChangedSince(db: Queryable, seconds: number): Promise<{ sites: number[]; rules: number[] }> {
  const rows = await queryRows<{ id: number; what: 'site' | 'rules' }>(db)`
    select id, 'site' as what from websites where changed_at > clock_timestamp() - make_interval(secs => ${seconds})
    union
    select website_id, 'rules' from website_environments where changed_at > clock_timestamp() - make_interval(secs => ${seconds})`;
  const ids = (what: 'site' | 'rules'): number[] => rows.filter((row) => row.what === what).map((row) => row.id);
  return { sites: ids('site'), rules: ids('rules') };
}
