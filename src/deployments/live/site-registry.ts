import { createHostTable, isWildcard } from '../../resolver/host-table.ts';
import { createOwnHosts, type DomainRedirect, type Host, type OwnHosts } from '../../resolver/own-hosts.ts';
import type { MatchOptions } from '../../resolver/rule.ts';
import type { Environment } from '../../vocabulary/environment.ts';

/** Hosts and options of a website. They are not versioned: a change applies at once. */
export interface Site extends MatchOptions {
  id: number;
  accountId: number;
  fallbackUrl: string | null;
  allowedTargetHosts: string[];
  hosts: Host<Environment>[];
}

/** The website's hosts in this environment. */
export const ownHosts = ({ hosts }: Pick<Site, 'hosts'>, environment: Environment): OwnHosts =>
  createOwnHosts(hosts, environment);

/** The website, environment or domain redirect that responds for a host. */
export interface HostEntry {
  /** the host or the wildcard */
  hostname: string;
  websiteId: number;
  environment: Environment;
  /** null: the rules of the environment respond */
  redirectTo: DomainRedirect | null;
}

/** A host of a website that a host of the service overrides. */
export interface HostClash {
  websiteId: number;
  hostname: string;
  /** the host of the service: `hostname` itself, or a name below the wildcard `hostname` */
  reserved: string;
}

/** Hosts of a website that another process serves, below wildcards of this one. */
export interface HostsElsewhere {
  id: number;
  hostnames: string[];
}

/** Creates an empty registry. A reserved hostname belongs to no website, also below a wildcard. */
export function createSiteRegistry(reserved: ReadonlySet<string>) {
  const sites = new Map<number, Site>();
  const entries = createHostTable<HostEntry>();
  /** websites that are not in `sites`, so that a lookup of their hosts finds no website */
  const elsewhere = new Map<number, HostsElsewhere>();

  /** The host may belong to another website already. */
  function release(hostname: string, id: number): void {
    if (entries.get(hostname)?.websiteId === id) entries.delete(hostname);
  }

  function remove(id: number): void {
    for (const { hostname } of sites.get(id)?.hosts ?? []) release(hostname, id);
    sites.delete(id);
  }

  return {
    ids: () => [...sites.keys()],
    get: (id: number) => sites.get(id),
    /** The entry of a requested host, exact or of the longest wildcard above it. */
    byHostname: (hostname: string) => (reserved.has(hostname) ? undefined : entries.find(hostname)),
    /** Hosts and wildcards of websites that contain a host of the service. */
    clashes: () =>
      [...sites.values()].flatMap(({ id, hosts }) =>
        hosts.flatMap(({ hostname }) => clashesOf(hostname, reserved).map((name) => clash(id, hostname, name))),
      ),
    /** Adds or replaces a website. Its former hosts stop responding for it. */
    set(site: Site) {
      remove(site.id);
      sites.set(site.id, site);
      for (const { hostname, environment, redirectTo = null } of site.hosts)
        entries.set(hostname, { hostname, websiteId: site.id, environment, redirectTo });
    },
    remove,
    elsewhere: () => [...elsewhere.values()],
    /** Replaces the hosts that these websites have elsewhere. A website of this process keeps its hosts. */
    setElsewhere(ids: number[] | 'all', found: HostsElsewhere[]) {
      for (const id of ids === 'all' ? [...elsewhere.keys()] : ids) {
        for (const hostname of elsewhere.get(id)?.hostnames ?? []) release(hostname, id);
        elsewhere.delete(id);
      }
      for (const one of found) {
        elsewhere.set(one.id, one);
        for (const hostname of one.hostnames) {
          if (sites.has(entries.get(hostname)?.websiteId ?? 0)) continue;
          entries.set(hostname, { hostname, websiteId: one.id, environment: 'production', redirectTo: null });
        }
      }
    },
    /** The wildcards of all websites, in no order. */
    wildcards: () =>
      [...sites.values()].flatMap(({ hosts }) => hosts.map(({ hostname }) => hostname).filter(isWildcard)),
  };
}

function clashesOf(hostname: string, reserved: ReadonlySet<string>): string[] {
  if (!isWildcard(hostname)) return reserved.has(hostname) ? [hostname] : [];
  return [...reserved].filter((name) => name.endsWith(hostname.slice(1)));
}

const clash = (websiteId: number, hostname: string, reserved: string): HostClash => ({ websiteId, hostname, reserved });
