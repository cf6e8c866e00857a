/** The first line of a feed: the version, and the options that responses depend on. */
import { createHash } from 'node:crypto';
import type { LiveSite } from '../../deployments/live/live-registry.ts';
import type { Site } from '../../deployments/live/site-registry.ts';
import type { FeedHead, FeedOptions } from '../../feed-client/feed-lines.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { domainRedirectWire } from '../../websites/website.ts';

/** A website is replaced as a whole when it changes. With 10,000 hosts, writing its options takes milliseconds. */
const written = new WeakMap<Site, Written>();
type Written = Map<Environment, { options: FeedOptions; checksum: string }>;

export function feedHead(live: LiveSite): FeedHead {
  const { options, checksum } = optionsOf(live);
  const { version, history, ruleset } = live.rules;
  if (ruleset.checksum === undefined) throw new Error('the live rules have no checksum');
  return { version, history, count: ruleset.size, options, options_checksum: checksum, checksum: ruleset.checksum };
}

/** Returns a text that changes with the options of the website in this environment. */
export function optionsChecksum(live: Pick<LiveSite, 'site' | 'environment'>): string {
  return optionsOf(live).checksum;
}

function optionsOf({ site, environment }: Pick<LiveSite, 'site' | 'environment'>) {
  const known: Written = written.get(site) ?? new Map();
  written.set(site, known);
  let found = known.get(environment);
  if (!found) {
    const options = feedOptions(site, environment);
    const checksum = createHash('sha256').update(JSON.stringify(options)).digest('hex').slice(0, 16);
    found = { options, checksum };
    known.set(environment, found);
  }
  return found;
}

/** Hosts come from the database in any order. */
function feedOptions(site: Site, environment: Environment): FeedOptions {
  const hosts = site.hosts
    .filter((host) => host.environment === environment)
    .map(({ hostname, redirectTo }) => ({
      hostname,
      ...(redirectTo && { redirect_to: domainRedirectWire(redirectTo) }),
    }));
  return {
    case_sensitive: site.caseSensitive,
    trailing_slash: site.trailingSlash,
    query: site.query,
    fallback_url: site.fallbackUrl,
    allowed_target_hosts: site.allowedTargetHosts,
    hosts: hosts.toSorted((a, b) => (a.hostname < b.hostname ? -1 : 1)),
  };
}
