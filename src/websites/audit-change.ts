import { isDeepStrictEqual } from 'node:util';
import { findLastAudit, recordAudit } from '../accounts/audit.ts';
import { shownActor } from '../accounts/website-scope.ts';
import type { Tx } from '../db/connection/client.ts';
import { and, eq, like, or, sql } from '../db/drizzle.ts';
import { audit } from '../db/schema/accounts.ts';
import type { LastChange } from '../platform/changed-since.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { domainRedirectWire, type Website, type WebsiteHost } from './website.ts';

/** A website in the audit log. */
export const websiteTarget = ({ id, name }: Pick<Website, 'id' | 'name'>): string => `${name} (${id})`;

type Options = Pick<Website, (typeof WEBSITE_OPTIONS)[number][1] | 'checkSchedule'>;
type Audited = Options & { hosts: WebsiteHost[] };

/** Records changed hosts and changed options, each in an entry with the values before and after. */
export async function auditChange(
  tx: Tx,
  actor: Actor,
  before: Audited & Pick<Website, 'id'>,
  after: Audited,
): Promise<void> {
  const target = websiteTarget(before);
  await auditHosts(tx, actor, before, before.hosts, after.hosts);
  const [had, has] = [websiteOptions(before), websiteOptions(after)];
  const changed = Object.keys(has).filter((name) => JSON.stringify(had[name]) !== JSON.stringify(has[name]));
  if (changed.length === 0) return;
  const valuesOf = (all: Record<string, unknown>) => Object.fromEntries(changed.map((name) => [name, all[name]]));
  const details = { before: valuesOf(had), after: valuesOf(has) };
  await recordAudit(tx, actor, { action: 'website.updated', target, details });
}

/** Records the hosts before and after, if they differ. */
export async function auditHosts(
  tx: Tx,
  actor: Actor,
  website: Pick<Website, 'id' | 'name'>,
  before: readonly WebsiteHost[],
  after: readonly WebsiteHost[],
): Promise<void> {
  const details = hostsDetails(before, after);
  if (details)
    await recordAudit(tx, actor, { action: 'website.hosts_changed', target: websiteTarget(website), details });
}

/** Time from the arrival of a request, which is the time of its audit entry, to its commit: more than any write waits. */
const MAX_WRITE_MS = 60_000;

/** Returns the last change of the website that the audit log has; null if it has none. */
export async function lastChangeOf(
  tx: Tx,
  actor: Actor,
  { id, updatedAt }: Pick<Website, 'id' | 'updatedAt'>,
): Promise<LastChange | null> {
  const since = new Date(updatedAt.getTime() - MAX_WRITE_MS);
  const condition = or(
    and(like(audit.action, 'website.%'), like(audit.target, `% (${id})`)),
    and(eq(audit.action, 'host.verified'), sql`${audit.details}->>'website_id' = ${String(id)}`),
  );
  const entry = await findLastAudit(tx, actor, { condition, since });
  if (!entry) return null;
  const { actorType: type, actorId, actorName: name } = entry;
  return { actor: shownActor(actor, { type, id: actorId, name }), at: updatedAt };
}

/** Hosts that an entry lists. */
const MAX_LISTED = 100;

/** Hosts of a created or deleted website: the first 100, and the number of more. */
export function listedHosts(hosts: readonly WebsiteHost[]) {
  const more = hosts.length - MAX_LISTED;
  return { hosts: hosts.slice(0, MAX_LISTED).map(hostOf), ...(more > 0 && { more_hosts: more }) };
}

/**
 * Both lists, or of lists that are too long their difference: removed hosts and new or changed ones, the first 100 each.
 * Undefined if they are equal.
 */
function hostsDetails(before: readonly WebsiteHost[], after: readonly WebsiteHost[]) {
  const texts = [before, after].map((hosts) => hosts.map((host) => JSON.stringify(hostOf(host))));
  const [textsBefore = [], textsAfter = []] = texts;
  if (isDeepStrictEqual(textsBefore, textsAfter)) return undefined;
  if (Math.max(before.length, after.length) <= MAX_LISTED)
    return { before: before.map(hostOf), after: after.map(hostOf) };
  const [had, has] = [new Set(textsBefore), new Set(textsAfter)];
  const removed = before.filter((_, index) => !has.has(textsBefore[index] ?? ''));
  const added = after.filter((_, index) => !had.has(textsAfter[index] ?? ''));
  return {
    before: removed.slice(0, MAX_LISTED).map(hostOf),
    after: added.slice(0, MAX_LISTED).map(hostOf),
    removed_count: removed.length,
    added_count: added.length,
  };
}

const hostOf = ({ hostname, environment, redirectTo }: WebsiteHost) => ({
  hostname,
  environment,
  ...(redirectTo && { redirect_to: domainRedirectWire(redirectTo) }),
});

const WEBSITE_OPTIONS = [
  ['name', 'name'],
  ['case_sensitive', 'caseSensitive'],
  ['trailing_slash', 'trailingSlash'],
  ['query', 'query'],
  ['fallback_url', 'fallbackUrl'],
  ['allowed_target_hosts', 'allowedTargetHosts'],
  ['auto_deploy', 'autoDeploy'],
  ['on_loop', 'onLoop'],
  ['gated_environments', 'gatedEnvironments'],
  ['url_gate', 'urlGate'],
  ['page_parameters', 'pageParameters'],
  ['sitemap_urls', 'sitemapUrls'],
  ['check_after_deployment', 'checkAfterDeployment'],
] as const;

/** The name and the options of a website, as the API names them. */
export function websiteOptions(website: Options): Record<string, unknown> {
  const { every, hour, weekday, timeZone } = website.checkSchedule;
  return {
    ...Object.fromEntries(WEBSITE_OPTIONS.map(([name, field]) => [name, website[field]])),
    check_schedule: { every, hour, weekday, time_zone: timeZone },
  };
}
