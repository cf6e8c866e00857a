import type { Queryable } from '../db/connection/client.ts';
import { hostTableOf } from '../resolver/host-table.ts';
import type { UrlRules } from '../rules/url-key.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { validationError } from '../vocabulary/error.ts';
import { normaliseHostname } from '../websites/hostname.ts';
import { requireWebsite, type WebsiteHost } from '../websites/website.ts';

const MAX_FROM_HOSTS = 100;

/**
 * Reads what decides about the addresses of a website. Throws WEBSITE_NOT_FOUND, and VALIDATION_ERROR for a name in
 * `fromHosts` that is no hostname.
 */
export async function readUrlRules(
  db: Queryable,
  actor: Actor,
  { websiteId, fromHosts }: { websiteId: number; fromHosts: readonly string[] },
): Promise<UrlRules> {
  const { hosts, pageParameters } = await requireWebsite(db, actor, websiteId);
  return urlRulesOf({ hosts, pageParameters, fromHosts: checkFromHosts(fromHosts) });
}

/** The rules of these hosts and parameters. */
export function urlRulesOf(site: {
  hosts: readonly WebsiteHost[];
  pageParameters: readonly string[];
  fromHosts?: readonly string[];
}): UrlRules {
  const table = hostTableOf(site.hosts);
  return {
    redirectAt: (host) => {
      const found = table.find(host);
      return found && (found.redirectTo ?? null);
    },
    fromHosts: new Set(site.fromHosts),
    pageParameters: new Set(site.pageParameters),
  };
}

function checkFromHosts(names: readonly string[]): string[] {
  if (names.length > MAX_FROM_HOSTS) {
    throw validationError([
      { path: 'from_hosts', code: 'TOO_MANY_ITEMS', message: `at most ${MAX_FROM_HOSTS}; send fewer names` },
    ]);
  }
  return names.map((name) => {
    const host = normaliseHostname(name);
    if (host !== undefined) return host;
    const message = `${JSON.stringify(name)} is not a hostname: write it without scheme, port and path, such as old.example.com`;
    throw validationError([{ path: 'from_hosts', code: 'VALIDATION_ERROR', message }]);
  });
}
