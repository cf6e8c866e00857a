import { eq, sql } from 'drizzle-orm';
import type { Db, Tx } from '../db/client.ts';
import { websiteEnvironments, websites, websiteHosts } from '../db/schema.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { ENVIRONMENTS } from '../vocabulary/environment.ts';
import { checkFallbackIsElsewhere, checkWebsite, type WebsiteInput } from './check-website.ts';
import type { ServiceHosts } from './service-hosts.ts';
import { requireWebsite, type Website, type WebsiteHost } from './website.ts';
import { writeTransaction, lockWebsite } from './write-website.ts';
import { omitUndefined } from '../vocabulary/omit-undefined.ts';
import { DomainError } from '../vocabulary/error.ts';

/** Creates a website with nothing deployed. Throws as checkWebsite and storeHosts. */
export async function createWebsite(
  db: Db,
  actor: Actor,
  input: WebsiteInput & { name: string },
  serviceHosts: Pick<ServiceHosts, 'isReserved'>,
): Promise<Website> {
  const { hosts = [], ...options } = checkWebsite(input, serviceHosts);
  checkFallbackIsElsewhere(options.fallbackUrl ?? null, hosts);
  return writeTransaction(db, actor, async (tx) => {
    const [row] = await tx
      .insert(websites)
      .values({ ...options, name: input.name, accountId: actor.accountId })
      .returning({ id: websites.id });
    if (!row) throw new Error('insert returned nothing');
    await storeHosts(tx, row.id, hosts);
    await tx
      .insert(websiteEnvironments)
      .values(ENVIRONMENTS.map((environment) => ({ websiteId: row.id, environment, rulesEnv: environment })));
    return requireWebsite(tx, actor, row.id);
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
    serviceHosts,
    alongside,
  }: {
    serviceHosts: Pick<ServiceHosts, 'isReserved'>;
    alongside?: (tx: Tx) => Promise<unknown>;
  },
): Promise<Website> {
  const { hosts, ...options } = checkWebsite(input, serviceHosts);
  return writeTransaction(db, actor, async (tx) => {
    const { now } = await lockWebsite(tx, actor, id);
    const before = await requireWebsite(tx, actor, id);
    const after = { ...before, ...omitUndefined(options), hosts: hosts ?? before.hosts };
    checkFallbackIsElsewhere(after.fallbackUrl, after.hosts);
    if (JSON.stringify(after) === JSON.stringify(before)) return before;
    if (hosts) await storeHosts(tx, id, hosts);
    await tx
      .update(websites)
      .set({ ...options, updatedAt: now, changedAt: changedNow })
      .where(eq(websites.id, id));
    await alongside?.(tx);
    return requireWebsite(tx, actor, id);
  });
}

/**
 * Replaces the hosts of the website, in this order. Throws CONFLICT, without naming the other website, if a hostname is
 * taken.
 */
async function storeHosts(tx: Tx, websiteId: number, hosts: WebsiteHost[]): Promise<void> {
  await tx.delete(websiteHosts).where(eq(websiteHosts.websiteId, websiteId));
  if (hosts.length === 0) return;
  const rows = hosts.map((host, position) => ({ ...host, websiteId, position }));
  const stored = await tx
    .insert(websiteHosts)
    .values(rows)
    .onConflictDoNothing()
    .returning({ hostname: websiteHosts.hostname });
  const names = new Set(stored.map((row) => row.hostname));
  const taken = hosts.find((host) => !names.has(host.hostname));
  if (!taken) return;
  throw new DomainError('CONFLICT', 'The hostname is taken', {
    details: `hosts: ${taken.hostname} belongs to another website of this service`,
  });
}

/** Value for websites.changed_at: marks hosts and options as changed, so that every process reloads them. */
export const changedNow = sql`clock_timestamp()`;
