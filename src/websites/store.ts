import { isDeepStrictEqual } from 'node:util';
import { and, eq, inArray, ne, sql } from 'drizzle-orm';
import type { Db, Tx } from '../db/client.ts';
import { websiteEnvironments, websites, websiteHosts } from '../db/schema.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { ENVIRONMENTS } from '../vocabulary/environment.ts';
import { recordAudit } from '../accounts/audit.ts';
import { requireAllWebsites } from '../accounts/website-scope.ts';
import { assertQuota } from '../accounts/quota.ts';
import { auditChange, websiteTarget } from './audit-change.ts';
import { checkFallbackIsElsewhere, checkWebsite, type WebsiteInput } from './check-website.ts';
import type { HostRules } from './service-hosts.ts';
import { requireWebsite, type StoredHost, type Website } from './website.ts';
import { writeTransaction, lockWebsite, releaseRevision } from './write-website.ts';
import { omitUndefined } from '../vocabulary/omit-undefined.ts';
import { DomainError } from '../vocabulary/error.ts';

/**
 * Creates a website with nothing deployed. Throws INSUFFICIENT_SCOPE for a limited key, and as checkWebsite, storeHosts
 * and assertQuota.
 */
export async function createWebsite(
  db: Db,
  actor: Actor,
  input: WebsiteInput & { name: string },
  rules: HostRules,
): Promise<Website> {
  requireAllWebsites(actor, 'it cannot create websites');
  const { hosts = [], ...options } = checkWebsite(input, rules);
  checkFallbackIsElsewhere(options.fallbackUrl ?? null, hosts);
  return writeTransaction(db, actor, async (tx) => {
    const [row] = await tx
      .insert(websites)
      .values({ ...options, name: input.name, accountId: actor.accountId })
      .returning({ id: websites.id });
    if (!row) throw new Error('insert returned nothing');
    const verified = !rules.needsProof;
    await storeHosts(
      tx,
      row.id,
      hosts.map((host) => ({ ...host, verified })),
    );
    await tx
      .insert(websiteEnvironments)
      .values(ENVIRONMENTS.map((environment) => ({ websiteId: row.id, environment, rulesEnv: environment })));
    const created = await requireWebsite(tx, actor, row.id);
    await recordAudit(tx, actor, { action: 'website.created', target: websiteTarget(created), details: { hosts } });
    await assertQuota(tx, actor, { websites: 1 });
    return created;
  });
}

/**
 * Changes the given fields; `hosts` replaces the whole list. Without a difference updated_at stays. `alongside` runs in
 * the same transaction. Throws as checkWebsite and storeHosts.
 */
export async function updateWebsite(
  db: Db,
  actor: Actor,
  id: number,
  input: WebsiteInput,
  {
    rules,
    alongside,
  }: {
    rules: HostRules;
    alongside?: (tx: Tx) => Promise<unknown>;
  },
): Promise<Website> {
  const { hosts, ...options } = checkWebsite(input, rules);
  return writeTransaction(db, actor, async (tx) => {
    const locked = await lockWebsite(tx, actor, id);
    await releaseRevision(tx, locked);
    const before = await requireWebsite(tx, actor, id);
    const next = { ...before, ...omitUndefined(options) };
    checkFallbackIsElsewhere(next.fallbackUrl, hosts ?? before.hosts);
    const proven = new Set(before.hosts.filter((host) => host.verified).map(({ hostname }) => hostname));
    const nextHosts = hosts?.map((host) => ({ ...host, verified: !rules.needsProof || proven.has(host.hostname) }));
    const hostsBefore = before.hosts.map(({ verification: _verification, ...host }) => host);
    const areHostsNew = nextHosts && !isDeepStrictEqual(nextHosts, hostsBefore);
    if (!areHostsNew && isDeepStrictEqual(next, before)) return before;
    if (areHostsNew) await storeHosts(tx, id, nextHosts);
    await tx
      .update(websites)
      .set({ ...options, updatedAt: locked.now, changedAt: changedNow })
      .where(eq(websites.id, id));
    await alongside?.(tx);
    await auditChange(tx, actor, before, { ...next, hosts: hosts ?? before.hosts });
    return requireWebsite(tx, actor, id);
  });
}

/**
 * Replaces the hosts of the website, in this order. Throws CONFLICT, without naming the other website, if a hostname is
 * taken: another website has proven it. Unproven hostnames may be claimed by several.
 */
async function storeHosts(tx: Tx, websiteId: number, hosts: Omit<StoredHost, 'verification'>[]): Promise<void> {
  await tx.delete(websiteHosts).where(eq(websiteHosts.websiteId, websiteId));
  if (hosts.length === 0) return;
  const rows = hosts.map((host, position) => ({ ...host, websiteId, position }));
  const stored = await tx
    .insert(websiteHosts)
    .values(rows)
    .onConflictDoNothing()
    .returning({ hostname: websiteHosts.hostname });
  const names = hosts.map(({ hostname }) => hostname);
  const [proven] = await tx
    .select({ hostname: websiteHosts.hostname })
    .from(websiteHosts)
    .where(and(inArray(websiteHosts.hostname, names), websiteHosts.verified, ne(websiteHosts.websiteId, websiteId)))
    .limit(1);
  const inserted = new Set(stored.map((row) => row.hostname));
  const taken = proven?.hostname ?? names.find((name) => !inserted.has(name));
  if (taken !== undefined) throw hostTaken(taken);
}

export function hostTaken(hostname: string): DomainError {
  return new DomainError('CONFLICT', 'The hostname is taken', {
    details: `hosts: ${hostname} belongs to another website of this service`,
  });
}

/** Value for websites.changed_at: marks hosts and options as changed, so that every process reloads them. */
export const changedNow = sql`clock_timestamp()`;
