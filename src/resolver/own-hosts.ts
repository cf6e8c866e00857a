/** The hosts of a website as the resolver needs them: which serve its rules, and which redirect as a whole. */
import { hostTableOf, isWildcard } from './host-table.ts';
import { fallbackLocation } from './location.ts';

/** A host whose requests are all redirected, before any rule. */
export interface DomainRedirect {
  /** an http or https origin with an optional path */
  url: string;
  statusCode: number;
  /** append the path and the query of the request */
  keepPath: boolean;
}

/** Counts requests of domain redirects. No redirect has this id. */
export const DOMAIN_REDIRECT_ID = 0;

/** A host of a website. `hostname` may be a wildcard such as `*.example.com`. */
export interface Host<Environment extends string = string> {
  hostname: string;
  environment: Environment;
  /** null or undefined: the host serves the rules of the environment */
  redirectTo?: DomainRedirect | null | undefined;
}

/** The hosts of a website in one environment. Names are in lower case, without port and final dot. */
export type OwnHosts = ReturnType<typeof createOwnHosts>;

/**
 * Selects the hosts of an environment, by default of all. A name below a wildcard can be a host of another environment.
 */
export function createOwnHosts(hosts: readonly Host[], environment?: string) {
  const table = hostTableOf(hosts);
  const find = (name: string): Host | undefined => {
    const host = table.find(name);
    return environment === undefined || host?.environment === environment ? host : undefined;
  };
  return {
    has: (name: string) => find(name) !== undefined,
    servesRules(name: string): boolean {
      const host = find(name);
      return host !== undefined && !host.redirectTo;
    },
    /** The domain redirect of a host; undefined for any other host. */
    redirectAt: (name: string): DomainRedirect | undefined => find(name)?.redirectTo ?? undefined,
  };
}

/** Returns a predicate: does a host serve rules, in any environment? */
export const ruleHostsOf = (hosts: readonly Host[]): ((host: string) => boolean) => createOwnHosts(hosts).servesRules;

/** A host that serves the rules of an environment, an exact one if possible; undefined if no host does. */
export function firstHost(hosts: readonly Host[], environment: string): string | undefined {
  const serving = hosts.filter((host) => host.environment === environment && !host.redirectTo);
  return (serving.find(({ hostname }) => !isWildcard(hostname)) ?? serving[0])?.hostname;
}

/**
 * The Location of a domain redirect. `rawPath` and `query` are as the client sent them. A request without a path
 * (`OPTIONS *`) gets the URL itself.
 */
export function domainLocation({ url, keepPath }: DomainRedirect, rawPath: string, query: string | null): string {
  return keepPath && rawPath.startsWith('/') ? fallbackLocation(url, rawPath, query) : url;
}
