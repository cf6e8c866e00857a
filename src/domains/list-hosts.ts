import { and, eq, sql } from 'drizzle-orm';
import { isOwnWebsite } from '../accounts/website-scope.ts';
import type { Queryable } from '../db/client.ts';
import { queryRows } from '../db/rows.ts';
import { websites } from '../db/schema.ts';
import { decodeCursor, encodeCursor, isCount } from '../platform/cursor.ts';
import type { Actor } from '../vocabulary/actor.ts';
import type { Environment } from '../vocabulary/environment.ts';
import { websiteNotFound } from '../websites/website.ts';

export interface ListedHost {
  hostname: string;
  environment: Environment;
  verified: boolean;
  position: number;
}

interface HostPage {
  websiteId: number;
  /** a part of the hostname, in any case */
  search?: string | undefined;
  limit: number;
  cursor?: string | undefined;
}

/**
 * Returns a page of the hosts of a website in the order of its list. Throws WEBSITE_NOT_FOUND, and INVALID_PARAMETER if
 * the cursor is invalid.
 */
export async function listHosts(
  db: Queryable,
  actor: Actor,
  { websiteId, search = '', limit, cursor }: HostPage,
): Promise<{ hosts: ListedHost[]; nextCursor: string | null }> {
  const list = `hosts ${websiteId} ${search}`;
  const [position, hostname] = cursor === undefined ? [-1, ''] : decodeCursor(cursor, list, parsePosition);
  const [own] = await db
    .select({ id: websites.id })
    .from(websites)
    .where(and(eq(websites.id, websiteId), isOwnWebsite(actor)));
  if (!own) throw websiteNotFound(websiteId);
  const rows = await queryRows<ListedHost>(db)`
    select hostname, environment, verified, position from website_hosts
    where website_id = ${own.id} and (position, hostname) > (${position}::int, ${hostname})
      and ${search === '' ? sql`true` : sql`position(${search.toLowerCase()} in hostname) > 0`}
    order by position, hostname limit ${limit + 1}`;
  const hosts = rows.slice(0, limit);
  const last = rows.length > limit ? hosts.at(-1) : undefined;
  return { hosts, nextCursor: last ? encodeCursor(list, [last.position, last.hostname]) : null };
}

function parsePosition([position, hostname]: unknown[]): [number, string] | undefined {
  return isCount(position) && typeof hostname === 'string' ? [position, hostname] : undefined;
}
