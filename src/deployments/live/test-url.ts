import { canonicalPath, splitTarget } from '../../resolver/canonical-path.ts';
import { followHops, type Journey } from '../../resolver/follow.ts';
import type { Candidate, MatchRequest } from '../../resolver/rule.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { invalid } from '../../vocabulary/error.ts';
import { normaliseHostname } from '../../websites/hostname.ts';
import type { LiveSite } from './rulesets.ts';

export interface TestedAddress {
  environment: Environment;
  version: number;
  path: string;
  query: string | null;
  /** every live rule that matches, in order of precedence; the first that is not passed over wins */
  candidates: Candidate[];
  followed: Journey;
  /** where a path goes that no rule matches; null where it is 404 */
  fallbackUrl: string | null;
}

/**
 * What the edge would answer to this address now, by the same engine: the rule that wins, those that it beats, and the hops to the
 * end. `url` is a path of the website or an address on one of its hosts in this environment; another one is 422.
 */
export function testAddress(live: LiveSite, url: string): TestedAddress {
  const request = requestOf(live, url, 'url');
  const { site, environment, rules } = live;
  return {
    environment,
    version: rules.version,
    path: request.path,
    query: request.query,
    candidates: rules.ruleset.candidates(request, site),
    followed: followHops(rules.ruleset, request, site, isOwnHost(live)),
    fallbackUrl: site.fallbackUrl,
  };
}

/** Says of a host whether it is the website's in this environment. */
export function isOwnHost({ site, environment }: LiveSite): (host: string) => boolean {
  const own = site.hosts.filter((host) => host.environment === environment).map((host) => host.hostname);
  const names = new Set(own);
  return (host) => names.has(host);
}

/** The request for a path, or for an address on one of the website's hosts in this environment; 422 at `field` for another one. */
export function requestOf({ site, environment }: LiveSite, url: string, field: string): MatchRequest {
  const bare = url.split('#', 1)[0] ?? '';
  if (bare.startsWith('/')) {
    const { path, query } = splitTarget(bare);
    return { path: canonicalPath(path), query };
  }
  const parts = /^(https?):\/\/([^/?]+)(.*)$/i.exec(bare);
  if (!parts) throw invalid(field, 'must be a path that begins with "/", or an http or https address');
  const [, scheme = '', authority = '', target = ''] = parts;
  const host = normaliseHostname(authority.replace(/:\d+$/, ''));
  if (
    host === undefined ||
    !site.hosts.some((own) => own.hostname === host && own.environment === environment)
  ) {
    throw invalid(field, `${authority} is not a host of this website in ${environment}`);
  }
  const { path, query } = splitTarget(target.startsWith('/') ? target : `/${target}`);
  return { path: canonicalPath(path), query, host, scheme: scheme.toLowerCase() };
}
