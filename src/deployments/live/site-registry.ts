import { sql } from 'drizzle-orm';
import type { Queryable } from '../../db/client.ts';
import type { MatchOptions } from '../../resolver/rule.ts';
import type { Environment } from '../../vocabulary/environment.ts';

/** Hosts and options of a website, as requests are answered with them: they are not versioned. */
export interface Site extends MatchOptions {
  id: number;
  accountId: number;
  fallbackUrl: string | null;
  allowedTargetHosts: string[];
  hosts: { hostname: string; environment: Environment }[];
}

interface Row extends Record<string, unknown> {
  id: number;
  account_id: number;
  case_sensitive: boolean;
  trailing_slash: 'ignore' | 'exact';
  query: 'pass' | 'drop' | 'exact';
  fallback_url: string | null;
  allowed_target_hosts: string[];
  hosts: { hostname: string; environment: Environment }[];
}

/** The websites that are there (a deleted one is not), each with its hosts. */
export async function readSites(db: Queryable, ids: number[] | 'all'): Promise<Site[]> {
  const { rows } = await db.execute<Row>(sql`
    select w.id, w.account_id, w.case_sensitive, w.trailing_slash, w.query, w.fallback_url, w.allowed_target_hosts,
      coalesce((select json_agg(json_build_object('hostname', h.hostname, 'environment', h.environment))
        from website_hosts h where h.website_id = w.id), '[]') as hosts
    from websites w
    where w.deleting_since is null and ${ids === 'all' ? sql`true` : sql`w.id = any(${sql.param(ids)}::int[])`}`);
  return rows.map((row) => ({
    id: row.id,
    accountId: row.account_id,
    caseSensitive: row.case_sensitive,
    trailingSlash: row.trailing_slash,
    query: row.query,
    fallbackUrl: row.fallback_url,
    allowedTargetHosts: row.allowed_target_hosts,
    hosts: row.hosts,
  }));
}

/** Ids of the websites whose hosts or options, or whose live versions, changed in the last `seconds`. */
export async function readChangedSince(
  db: Queryable,
  seconds: number,
): Promise<{ sites: number[]; rules: number[] }> {
  const { rows } = await db.execute<{ id: number; what: 'site' | 'rules' }>(sql`
    select id, 'site' as what from websites where changed_at > clock_timestamp() - make_interval(secs => ${seconds})
    union
    select website_id, 'rules' from website_environments where changed_at > clock_timestamp() - make_interval(secs => ${seconds})`);
  const ids = (what: 'site' | 'rules'): number[] =>
    rows.filter((row) => row.what === what).map((row) => row.id);
  return { sites: ids('site'), rules: ids('rules') };
}

/** The websites in memory, found by id or by hostname. */
export interface KnownSites {
  ids(): number[];
  get(id: number): Site | undefined;
  byHostname(hostname: string): { websiteId: number; environment: Environment } | undefined;
  /** Takes a website as it is now: its former hosts no longer answer for it. */
  keep(site: Site): void;
  forget(id: number): void;
}

export function createSiteRegistry(): KnownSites {
  const sites = new Map<number, Site>();
  const hostnames = new Map<string, { websiteId: number; environment: Environment }>();

  function forget(id: number): void {
    for (const { hostname } of sites.get(id)?.hosts ?? []) {
      // It may be another website's by now.
      if (hostnames.get(hostname)?.websiteId === id) hostnames.delete(hostname);
    }
    sites.delete(id);
  }

  return {
    ids: () => [...sites.keys()],
    get: (id) => sites.get(id),
    byHostname: (hostname) => hostnames.get(hostname),
    keep(site) {
      forget(site.id);
      sites.set(site.id, site);
      for (const { hostname, environment } of site.hosts)
        hostnames.set(hostname, { websiteId: site.id, environment });
    },
    forget,
  };
}
