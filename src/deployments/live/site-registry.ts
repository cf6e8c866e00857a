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
  /** Hosts of websites that are reserved for the service. */
  reservedHosts(): { websiteId: number; hostname: string }[];
  /** Adds or replaces a website. Its former hosts stop responding for it. */
  set(site: Site): void;
  remove(id: number): void;
}

/** Creates an empty registry. A reserved hostname belongs to no website. */
export function createSiteRegistry(isReserved: (hostname: string) => boolean): SiteRegistry {
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
    reservedHosts: () =>
      [...sites.values()].flatMap(({ id, hosts }) =>
        hosts.filter(({ hostname }) => isReserved(hostname)).map(({ hostname }) => ({ websiteId: id, hostname })),
      ),
    set(site) {
      remove(site.id);
      sites.set(site.id, site);
      for (const { hostname, environment } of site.hosts)
        if (!isReserved(hostname)) hostnames.set(hostname, { websiteId: site.id, environment });
    },
    remove,
  };
}
