import { eq, sql } from '../db/drizzle.ts';
import type { Tx } from '../db/client.ts';
import { websiteHosts } from '../db/schema.ts';
import { DomainError } from '../vocabulary/error.ts';
import type { WebsiteHost } from './website.ts';

/**
 * Gives the website exactly these hosts, in this order. CONFLICT, naming the hostname and no more, where another website
 * of the service has one of them.
 */
export async function storeHosts(tx: Tx, websiteId: number, hosts: WebsiteHost[]): Promise<void> {
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

/** Marks hosts and options as changed, so that every process reads them again (NOTIFY, or its poll). */
export const changedNow = sql`clock_timestamp()`;
