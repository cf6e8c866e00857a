import { isDeepStrictEqual } from 'node:util';
import type { Db, Tx } from '../db/connection/client.ts';
import { eq, sql } from '../db/drizzle.ts';
import { websiteEnvironments } from '../db/schema/deployments.ts';
import { checkStarts } from '../db/schema/checks.ts';
import { websites } from '../db/schema/websites.ts';
import { changedSince, isAsSeen, type Seen } from '../platform/changed-since.ts';
import { changeTime } from '../platform/clock.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { ENVIRONMENTS } from '../vocabulary/environment.ts';
import { recordAudit } from '../accounts/audit.ts';
import { requireAllWebsites } from '../accounts/website-scope.ts';
import { assertQuota } from '../accounts/quota.ts';
import { auditChange, lastChangeOf, listedHosts, websiteTarget } from './audit-change.ts';
import { checkFallbackIsElsewhere, checkSitemapHosts, checkWebsite, type WebsiteInput } from './check-website.ts';
import type { HostRules } from './service-hosts.ts';
import { storeHosts } from './store-hosts.ts';
import { requireWebsite, type Website } from './website.ts';
import { writeTransaction, lockWebsite, releaseRevision } from './write-website.ts';
import { omitUndefined } from '../vocabulary/omit-undefined.ts';

/**
 * Creates a website with nothing deployed. Throws INSUFFICIENT_SCOPE or INSUFFICIENT_ROLE for a limited actor, and as checkWebsite, storeHosts
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
  checkSitemapHosts(options.sitemapUrls ?? [], hosts);
  return writeTransaction(db, actor, async (tx) => {
    const [row] = await tx
      .insert(websites)
      .values({ ...options, name: input.name, accountId: actor.accountId })
      .returning({ id: websites.id, createdAt: websites.createdAt });
    if (!row) throw new Error('insert returned nothing');
    if (options.checkSchedule) await restartSchedule(tx, row.id, row.createdAt);
    await storeHosts(tx, actor, { id: row.id, hosts: [] }, hosts, rules);
    await tx
      .insert(websiteEnvironments)
      .values(ENVIRONMENTS.map((environment) => ({ websiteId: row.id, environment, rulesEnv: environment })));
    const created = await requireWebsite(tx, actor, row.id);
    await recordAudit(tx, actor, {
      action: 'website.created',
      target: websiteTarget(created),
      details: listedHosts(hosts),
    });
    await assertQuota(tx, actor, { websites: 1 });
    return created;
  });
}

/**
 * Changes the given fields; `hosts` replaces the whole list. Without a difference updated_at stays. `inTransaction` runs in
 * the same transaction. Throws CHANGED_SINCE if the website is not as `seen`, otherwise as checkWebsite and storeHosts.
 */
export async function updateWebsite(
  db: Db,
  actor: Actor,
  id: number,
  input: WebsiteInput,
  {
    rules,
    seen,
    inTransaction,
  }: {
    rules: HostRules;
    seen?: Seen<Website> | undefined;
    inTransaction?: (tx: Tx) => Promise<unknown>;
  },
): Promise<Website> {
  const { hosts, ...options } = checkWebsite(input, rules);
  return writeTransaction(db, actor, async (tx) => {
    const locked = await lockWebsite(tx, actor, id);
    await releaseRevision(tx, locked);
    const before = await requireWebsite(tx, actor, id);
    if (seen && !isAsSeen(seen.updatedAt, before.updatedAt)) {
      throw changedSince('website', before.updatedAt, await lastChangeOf(tx, actor, before), seen.toBody(before));
    }
    const next = { ...before, ...omitUndefined(options) };
    checkFallbackIsElsewhere(next.fallbackUrl, hosts ?? before.hosts);
    if (options.sitemapUrls) checkSitemapHosts(options.sitemapUrls, hosts ?? before.hosts);
    const areHostsNew = hosts !== undefined && (await storeHosts(tx, actor, before, hosts, rules));
    if (!areHostsNew && isDeepStrictEqual(next, before)) return before;
    await tx
      .update(websites)
      .set({ ...options, updatedAt: changeTime(locked.now, before.updatedAt), changedAt: changedNow })
      .where(eq(websites.id, id));
    if (!isDeepStrictEqual(next.checkSchedule, before.checkSchedule)) await restartSchedule(tx, id, locked.now);
    await inTransaction?.(tx);
    await auditChange(tx, actor, before, { ...next, hosts: hosts ?? before.hosts });
    return requireWebsite(tx, actor, id);
  });
}

/** Notes when the schedule of checks was set: its former times do not start one. */
async function restartSchedule(tx: Tx, websiteId: number, now: Date): Promise<void> {
  const start = { websiteId, environment: 'production', what: 'options', at: now } as const;
  const { websiteId: ofWebsite, environment, what } = checkStarts;
  await tx
    .insert(checkStarts)
    .values(start)
    .onConflictDoUpdate({ target: [ofWebsite, environment, what], set: { at: now } });
}

/** Value for websites.changed_at: marks hosts and options as changed, so that every process reloads them. */
export const changedNow = sql`clock_timestamp()`;
