import type { Queryable } from '../../../db/connection/client.ts';
import { sql } from '../../../db/drizzle.ts';
import { queryRows } from '../../../db/rows.ts';
import type { EdgePart } from '../../../platform/config/config.ts';
import { redirectToSql } from '../../../websites/website.ts';
import { historySql } from './history.ts';
import type { RecentList } from '../recent-changes.ts';
import type { Site } from '../site-registry.ts';

/** SQL for whether website `w` is in the part of a process. */
export const inPart = (part: EdgePart | null) =>
  part
    ? sql`w.${sql.raw(part.of === 'websites' ? 'id' : 'account_id')} = any(${sql.param(part.ids)}::int[])`
    : sql`true`;

/**
 * Reads websites of the part with their verified hosts, the last changed last. A deleted website is left out. Chooses
 * the websites of a process: all else follows from those in its registry.
 */
export async function readSites(
  db: Queryable,
  ids: number[] | 'all',
  part: EdgePart | null = null,
): Promise<(Site & { changedAt: string })[]> {
  return queryRows<Site & { changedAt: string }>(db)`
    select w.id, w.account_id, w.case_sensitive, w.trailing_slash, w.query, w.fallback_url, w.allowed_target_hosts,
      w.changed_at::text as changed_at,
      coalesce((select json_agg(json_build_object('hostname', h.hostname, 'environment', h.environment, 'redirectTo', ${redirectToSql}))
        from website_hosts h where h.website_id = w.id and h.verified), '[]') as hosts
    from websites w
    where w.deleting_since is null and ${inPart(part)} and ${ids === 'all' ? sql`true` : sql`w.id = any(${sql.param(ids)}::int[])`}
    order by w.changed_at`;
}

/** Websites that this process must read again. */
export interface ChangedWebsites {
  /** ids of the websites whose hosts or options changed */
  sites: number[];
  /** ids of the websites with another live version */
  rules: number[];
  /** the database is older than this process */
  wentBack: boolean;
}

/** Reads what changed in the last `seconds`, and what the process learned last and the database has not. */
export async function readChangedSince(db: Queryable, seconds: number, recent: RecentList): Promise<ChangedWebsites> {
  const rows = await queryRows<{ id: number; what: 'site' | 'rules' | 'older site' }>(db, { isConstant: true })`
    select id, 'site' as what from websites where changed_at > clock_timestamp() - make_interval(secs => ${seconds})
    union
    select website_id, 'rules' from website_environments where changed_at > clock_timestamp() - make_interval(secs => ${seconds})
    union
    select s.id, 'older site' from jsonb_to_recordset(${JSON.stringify(recent.sites)}::jsonb) as s(id int, at timestamptz)
      left join websites w on w.id = s.id where w.changed_at >= s.at is not true
    union
    select r.id, 'rules' from jsonb_to_recordset(${JSON.stringify(recent.rules)}::jsonb)
        as r(id int, environment text, version int, history text)
      left join website_environments we on we.website_id = r.id and we.environment = r.environment
      left join versions v on v.website_id = r.id and v.environment = r.environment and v.version = we.live_version
      where (we.live_version, coalesce(${historySql}, '')) is distinct from (r.version, r.history)`;
  const ids = (what: string): number[] => rows.filter((row) => row.what === what).map((row) => row.id);
  return { sites: ids('site'), rules: ids('rules'), wentBack: ids('older site').length > 0 };
}
