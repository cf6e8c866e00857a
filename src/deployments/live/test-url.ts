import { canonicalPath, splitTarget } from '../../resolver/canonical-path.ts';
import { followHops, type Journey } from '../../resolver/follow.ts';
import type { Candidate, MatchRequest } from '../../resolver/rule.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { invalid } from '../../vocabulary/error.ts';
import { normaliseHostname } from '../../websites/hostname.ts';
import type { LiveSite } from './live-registry.ts';
import { ownHosts } from './site-registry.ts';

export interface TestedAddress {
  environment: Environment;
  version: number;
  path: string;
  query: string | null;
  /** every live rule that matches, in order of precedence; the first with the outcome `fired` wins */
  candidates: Candidate[];
  followed: Journey;
  /** the target of paths that no rule matches; null for a 404 */
  fallbackUrl: string | null;
}

/**
 * Returns the edge's response to an address: the matching rules and the hops to the end. `url` is a path, or a URL on
 * one of the website's hosts in this environment. Throws INVALID_PARAMETER at `url` for any other.
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
    followed: followHops(rules.ruleset, request, site, ownHosts(site, environment)),
    fallbackUrl: site.fallbackUrl,
  };
}

/**
 * Returns the request for a path, or for a URL on one of the website's hosts in this environment. Throws at `field` for
 * any other.
 */
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
  if (host === undefined || !ownHosts(site, environment)(host)) {
    throw invalid(field, `${authority} is not a host of this website in ${environment}`);
  }
  const { path, query } = splitTarget(target.startsWith('/') ? target : `/${target}`);
  return { path: canonicalPath(path), query, host, scheme: scheme.toLowerCase() };
}
