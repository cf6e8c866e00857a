import type { Environment } from '../vocabulary/environment.ts';
import type { Site } from './sites.ts';

/** The websites in memory, found by id or by hostname. */
export interface KnownSites {
  ids(): number[];
  get(id: number): Site | undefined;
  byHostname(hostname: string): { websiteId: number; environment: Environment } | undefined;
  /** Takes a website as it is now: its former hosts no longer answer for it. */
  keep(site: Site): void;
  forget(id: number): void;
}

export function createKnownSites(): KnownSites {
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
