import type { Queryable } from '../db/connection/client.ts';
import { sql } from '../db/drizzle.ts';
import { queryRows } from '../db/rows.ts';
import { decodeCursor, encodeCursor, isCount } from '../platform/cursor.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { redirectToSql, requireWebsiteRow, type StoredHost } from '../websites/website.ts';

export interface ListedHost extends Omit<StoredHost, 'verification'> {
  /** to the minute; null: never, or by an agent only */
  lastRequestAt: Date | null;
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
  const { id } = await requireWebsiteRow(db, actor, websiteId);
  const rows = await queryRows<Omit<ListedHost, 'lastRequestAt'> & { lastRequestAt: string | null }>(db)`
    select h.hostname, h.environment, h.verified, h.position, ${redirectToSql} as redirect_to, h.last_request_at
    from website_hosts h
    where h.website_id = ${id} and (position, hostname) > (${position}::int, ${hostname})
      and ${search === '' ? sql`true` : sql`position(${search.toLowerCase()} in hostname) > 0`}
    order by position, hostname limit ${limit + 1}`;
  const hosts = rows
    .slice(0, limit)
    .map(({ lastRequestAt: at, ...host }) => ({ ...host, lastRequestAt: at === null ? null : new Date(at) }));
  const last = rows.length > limit ? hosts.at(-1) : undefined;
  return { hosts, nextCursor: last ? encodeCursor(list, [last.position, last.hostname]) : null };
}

function parsePosition([position, hostname]: unknown[]): [number, string] | undefined {
  return isCount(position) && typeof hostname === 'string' ? [position, hostname] : undefined;
}
