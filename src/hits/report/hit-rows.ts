/** The stored days that a report reads, and which of their sums it adds up. */
import { sql, type SQL } from '../../db/drizzle.ts';
import type { Environment } from '../../vocabulary/environment.ts';

/** UTC days `YYYY-MM-DD`, both included. */
export interface DayRange {
  from: string;
  to: string;
}

/**
 * A part of the hits. Sums are stored by day and one of these, never by two together, so that a filter has at most one
 * field.
 */
export interface HitFilter {
  agents?: 'bots' | 'assistants';
  country?: string;
  referrer?: string;
  utmSource?: string;
}

/** The whole website without `redirectId` and `groupId`, which exclude each other. */
export interface HitScope {
  websiteId: number;
  environment: Environment;
  redirectId?: number;
  /** the redirects that are in the group now */
  groupId?: string;
  filter?: HitFilter;
}

/** The counted hits of a stored day `h`: those of humans without a filter. */
export function countedHits({ agents, country, referrer, utmSource }: HitFilter = {}): SQL {
  if (agents) return agents === 'bots' ? sql`h.bot_hits` : sql`h.assistant_hits`;
  if (country !== undefined) return sql`coalesce((h.countries ->> ${country}::text)::bigint, 0)`;
  if (referrer !== undefined) return sql`coalesce((h.referrers ->> ${referrer}::text)::bigint, 0)`;
  if (utmSource !== undefined) return sql`coalesce((h.utm_sources ->> ${utmSource}::text)::bigint, 0)`;
  return sql`h.hits`;
}

/** Condition: `h.day` is in one of the ranges. */
export const inRanges = (...ranges: DayRange[]): SQL =>
  sql`(${sql.join(
    ranges.map(({ from, to }) => sql`h.day between ${from}::date and ${to}::date`),
    sql` or `,
  )})`;

/** `from ... where ...` of the days `h` of the scope, those of each redirect if `byRedirect`. */
export function storedDays(
  { websiteId, environment, redirectId, groupId }: HitScope,
  ranges: DayRange[],
  byRedirect = redirectId !== undefined || groupId !== undefined,
): SQL {
  const ofRedirect = redirectId === undefined ? sql`` : sql` and h.redirect_id = ${redirectId}::bigint`;
  const ofGroup =
    groupId === undefined
      ? sql``
      : sql` and h.redirect_id in (
          select r.id from redirects r where r.website_id = ${websiteId} and r.group_id = ${groupId})`;
  return sql`from ${byRedirect ? sql`redirect_hits` : sql`website_hits`} h
    where h.website_id = ${websiteId} and h.environment = ${environment}${ofRedirect}${ofGroup}
      and ${inRanges(...ranges)}`;
}
