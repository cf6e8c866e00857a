/** The origin at which own addresses of a website are asked. */
import { hostTableOf, isWildcard } from '../../resolver/host-table.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { invalid } from '../../vocabulary/error.ts';
import { normaliseHostname } from '../../websites/hostname.ts';
import type { StoredHost } from '../../websites/website.ts';

/** The exact verified hosts of the environment that serve rules. */
export const ownHosts = (hosts: readonly StoredHost[], environment: Environment): string[] =>
  hosts
    .filter(
      (host) => host.verified && !host.redirectTo && host.environment === environment && !isWildcard(host.hostname),
    )
    .map(({ hostname }) => hostname);

/**
 * Returns the origin: the given one, or https at the first exact verified host of the environment; null without one. A
 * domain redirect serves no rules. Throws VALIDATION_ERROR if the given one is not the origin of a verified host.
 */
export function checkBaseUrl(
  hosts: readonly StoredHost[],
  environment: Environment,
  given: string | undefined,
): string | null {
  if (given === undefined) {
    const [first] = ownHosts(hosts, environment);
    return first === undefined ? null : `https://${first}`;
  }
  const url = /^https?:\/\/[^/?#@]+\/?$/i.test(given) ? URL.parse(given) : null;
  if (!url || url.username !== '' || url.pathname !== '/')
    throw invalid('base_url', 'must be an origin such as https://www.example.com, without a user, path or query');
  const host = normaliseHostname(url.hostname);
  const found = host === undefined ? undefined : hostTableOf(hosts).find(host);
  if (found?.verified && !found.redirectTo) return url.origin;
  throw invalid('base_url', `${url.hostname} is not a verified host of this website; add the host, or verify it`);
}
