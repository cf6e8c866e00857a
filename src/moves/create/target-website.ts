/** The other website of the account whose pages are the candidates of a move. */
import type { Queryable } from '../../db/connection/client.ts';
import { isWildcard } from '../../resolver/host-table.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { DomainError } from '../../vocabulary/error.ts';
import { normaliseHostname } from '../../websites/hostname.ts';
import { listWebsites, requireWebsite, type Website, websiteNotFound } from '../../websites/website.ts';

export interface TargetWebsite {
  websiteId: number;
  /** in targets */
  host: string;
}

/**
 * Finds it by its id, by one of its hosts, or by both; without `host`, an allowed one of its hosts is taken. Returns
 * undefined if it is the website itself. Throws WEBSITE_NOT_FOUND for one that the caller does not reach, and
 * TARGET_HOST_NOT_ALLOWED.
 */
export async function findTargetWebsite(
  db: Queryable,
  actor: Actor,
  from: Pick<Website, 'id' | 'allowedTargetHosts'>,
  { id, host: given }: { id?: number | undefined; host?: string | undefined },
): Promise<TargetWebsite | undefined> {
  if (id === undefined && given === undefined) return undefined;
  const name = given === undefined ? undefined : (normaliseHostname(given) ?? given);
  const other = name === undefined ? await requireWebsite(db, actor, id ?? 0) : await websiteOf(db, actor, name, id);
  if (other.id === from.id) return undefined;
  const isAllowed = (host: string): boolean => from.allowedTargetHosts.includes(host);
  const own = other.hosts.filter(({ hostname, redirectTo }) => !redirectTo && !isWildcard(hostname));
  const host = name ?? own.find(({ hostname }) => isAllowed(hostname))?.hostname;
  if (host !== undefined && isAllowed(host)) return { websiteId: other.id, host };
  const named = host ?? own[0]?.hostname ?? `website ${other.id}`;
  throw new DomainError('TARGET_HOST_NOT_ALLOWED', 'The host is not allowed as a target', {
    details: `to_host: ${named} is not in the website's allowed_target_hosts; add it there first`,
  });
}

/** A website with the host itself comes before one with a wildcard above it. */
async function websiteOf(db: Queryable, actor: Actor, host: string, id: number | undefined): Promise<Website> {
  const found = (await listWebsites(db, actor, { host })).filter((website) => id === undefined || website.id === id);
  const exact = found.find(({ hosts }) => hosts.some(({ hostname }) => hostname === host));
  const website = exact ?? found[0];
  if (!website) throw websiteNotFound(`with the host ${host}`);
  return website;
}
