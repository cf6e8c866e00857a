import type { Queryable } from '../db/connection/client.ts';
import { sql, type SQL } from '../db/drizzle.ts';
import { queryRows } from '../db/rows.ts';
import type { checks } from '../db/schema/checks.ts';
import type { RedirectFilter } from '../redirects/list/filter.ts';
import type { UrlFilter } from '../urls/url-filter.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { DomainError } from '../vocabulary/error.ts';
import { requireWebsiteRow } from '../websites/website.ts';

/** A filter of redirects for the kinds targets and sources, of URLs for the kind urls. */
export type CheckFilter = RedirectFilter | Omit<UrlFilter, 'websiteId' | 'environment'>;

type Stored = typeof checks.$inferSelect;
type Time = 'estimatedEnd' | 'nextAt' | 'leaseUntil' | 'startedAt' | 'endedAt' | 'createdAt';

/** A check as a query returns it: times are text. */
export type Check = Omit<Stored, Time> &
  Record<'estimatedEnd' | 'createdAt', string> & {
    [Name in Exclude<Time, 'estimatedEnd' | 'createdAt'>]: string | null;
  };

export interface CheckPlace {
  websiteId: number;
  checkId: string;
}

/** Selects checks `c` of a website that the caller has proven to be the account's. */
export const selectChecks = (db: Queryable, websiteId: number, rest: SQL): Promise<Check[]> =>
  queryRows<Check>(db)`select c.* from checks c where c.website_id = ${websiteId}::int ${rest}`;

/** Returns a check that the actor may read. Throws WEBSITE_NOT_FOUND and CHECK_NOT_FOUND. */
export async function requireCheck(db: Queryable, actor: Actor, { websiteId, checkId }: CheckPlace): Promise<Check> {
  await requireWebsiteRow(db, actor, websiteId);
  const [check] = await selectChecks(db, websiteId, sql`and c.id = ${checkId}`);
  if (check) return check;
  const details = `id: the website has no check ${checkId}; GET .../checks lists them`;
  throw new DomainError('CHECK_NOT_FOUND', 'Check not found', { details });
}

/** The moment as a parameter of SQL. */
export const at = (time: Date): SQL => sql`${time.toISOString()}::timestamptz`;
