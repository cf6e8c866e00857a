/**
 * Hosts and what belongs to them, by the name that a visitor requests: an exact hostname takes precedence, then the
 * longest wildcard. `*.example.com` stands for every name below example.com at any depth, not for example.com.
 */

/** Longer names are not valid, so they match no wildcard. The bound keeps a lookup short for any Host header. */
const MAX_NAME = 253;
/** Also a wildcard: a proxy may ask for its certificate. */
const NAME = /^(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/;
const WILDCARD = '*.';

export type HostTable<T> = ReturnType<typeof createHostTable<T>>;

export function createHostTable<T>() {
  const exact = new Map<string, T>();
  /** by the name after `*.` */
  const wildcards = new Map<string, T>();

  function findWildcard(host: string): T | undefined {
    if (host.length > MAX_NAME || !NAME.test(host)) return undefined;
    for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1)) {
      const found = wildcards.get(host.slice(dot + 1));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  const tableOf = (hostname: string) => (isWildcard(hostname) ? wildcards : exact);
  return {
    /** The value for a requested host (lower case, no port, no final dot). Takes one lookup per label at most. */
    find: (host: string): T | undefined => exact.get(host) ?? (wildcards.size === 0 ? undefined : findWildcard(host)),
    /** The value of exactly this hostname or wildcard. */
    get: (hostname: string) => tableOf(hostname).get(baseOf(hostname)),
    set(hostname: string, value: T): void {
      tableOf(hostname).set(baseOf(hostname), value);
    },
    delete(hostname: string): void {
      tableOf(hostname).delete(baseOf(hostname));
    },
  };
}

export function hostTableOf<T extends { hostname: string }>(hosts: readonly T[]): HostTable<T> {
  const table = createHostTable<T>();
  for (const host of hosts) table.set(host.hostname, host);
  return table;
}

/** The names that these hosts stand for. */
export function hostNames(hosts: readonly { hostname: string }[]): { has(host: string): boolean } {
  const table = hostTableOf(hosts);
  return { has: (host) => table.find(host) !== undefined };
}

/** Their names without wildcards and domain redirects: the hosts whose rules answer every request. */
export function ruleHostNames(hosts: readonly { hostname: string; redirectTo?: unknown }[]): Set<string> {
  return new Set(hosts.flatMap(({ hostname, redirectTo }) => (redirectTo || isWildcard(hostname) ? [] : [hostname])));
}

export const isWildcard = (hostname: string): boolean => hostname.startsWith(WILDCARD);

/** The name above all names of a wildcard; an exact hostname itself. */
export const baseOf = (hostname: string): string => (isWildcard(hostname) ? hostname.slice(WILDCARD.length) : hostname);

/** The wildcards that contain a hostname or another wildcard, the longest first. */
export function wildcardsAbove(hostname: string): string[] {
  const labels = baseOf(hostname).split('.');
  return labels.slice(1).map((_, index) => WILDCARD + labels.slice(index + 1).join('.'));
}
