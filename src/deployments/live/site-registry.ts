import { sql } from 'drizzle-orm';
import type { Queryable } from '../../db/client.ts';
import { queryRows } from '../../db/rows.ts';
import type { MatchOptions } from '../../resolver/rule.ts';
import type { Environment } from '../../vocabulary/environment.ts';

/** Hosts and options of a website. They are not versioned: a change applies at once. */
export interface Site extends MatchOptions {
  id: number;
  accountId: number;
  fallbackUrl: string | null;
  allowedTargetHosts: string[];
  hosts: { hostname: string; environment: Environment }[];
}

/** Reads websites with their hosts. A deleted website is left out. */
export async function readSites(db: Queryable, ids: number[] | 'all'): Promise<Site[]> {
  return queryRows<Site>(db)`
    select w.id, w.account_id, w.case_sensitive, w.trailing_slash, w.query, w.fallback_url, w.allowed_target_hosts,
      coalesce((select json_agg(json_build_object('hostname', h.hostname, 'environment', h.environment))
        from website_hosts h where h.website_id = w.id), '[]') as hosts
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

/** Returns whether a host is the website's in this environment. */
export function ownHosts({ hosts }: Pick<Site, 'hosts'>, environment: Environment): (host: string) => boolean {
  const own = new Set(hosts.filter((host) => host.environment === environment).map((host) => host.hostname));
  return (host) => own.has(host);
}

/** The websites in memory, by id and by hostname. */
export interface SiteRegistry {
  ids(): number[];
  get(id: number): Site | undefined;
  byHostname(hostname: string): { websiteId: number; environment: Environment } | undefined;
  /** Adds or replaces a website. Its former hosts stop responding for it. */
  set(site: Site): void;
  remove(id: number): void;
}

export function createSiteRegistry(): SiteRegistry {
  const sites = new Map<number, Site>();
  const hostnames = new Map<string, { websiteId: number; environment: Environment }>();

  function remove(id: number): void {
    for (const { hostname } of sites.get(id)?.hosts ?? []) {
      // The host may belong to another website already.
      if (hostnames.get(hostname)?.websiteId === id) hostnames.delete(hostname);
    }
    sites.delete(id);
  }

  return {
    ids: () => [...sites.keys()],
    get: (id) => sites.get(id),
    byHostname: (hostname) => hostnames.get(hostname),
    set(site) {
      remove(site.id);
      sites.set(site.id, site);
      for (const { hostname, environment } of site.hosts) hostnames.set(hostname, { websiteId: site.id, environment });
    },
    remove,
  };
}
