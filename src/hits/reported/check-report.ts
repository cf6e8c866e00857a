/** Rules for a report of an agent beyond the types of its fields. */
import type { Db } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import { utcDay } from '../../platform/clock.ts';
import { DOMAIN_REDIRECT_ID } from '../../resolver/own-hosts.ts';
import type { Issue } from '../../vocabulary/error.ts';
import type { AgentClass } from '../count/assistants.ts';

/** A GET that an agent answered. Texts are as in the request. */
export interface ReportedHit {
  at: Date;
  /** null if no redirect matched; DOMAIN_REDIRECT_ID: a host that redirects as a whole */
  redirectId: number | null;
  /** not counted if a redirect matched */
  path: string;
  referrer: string | undefined;
  /** not counted if no redirect matched */
  utmSource: string | undefined;
  address: string;
  userAgent: string;
  /** undefined: the agent does not know assistants, and reports them as bots */
  agentClass: AgentClass | undefined;
  country: string | undefined;
  /** response time of the agent, in microseconds */
  micros: number;
}

/** Clocks of other machines are ahead by a few seconds; by more, the hits would count on a wrong day. */
const MAX_AHEAD_MS = 5 * 60_000;

/** Returns the issues of hits in the future, and of hits on days whose sums are not retained. */
export function checkTimes(hits: readonly ReportedHit[], now: Date, retentionDays: number): Issue[] {
  const latest = now.getTime() + MAX_AHEAD_MS;
  const firstDay = utcDay(now, -retentionDays);
  return hits.flatMap(({ at }, index): Issue | [] => {
    if (at.getTime() > latest)
      return issue(index, 'at', 'is more than 5 minutes in the future; set the clock of the agent');
    if (utcDay(at) < firstDay)
      return issue(index, 'at', `is before ${firstDay}; hits are retained for ${retentionDays} days`);
    return [];
  });
}

/**
 * Returns the hits with those of unknown redirects as the website's, like those of a host that redirects as a whole. An
 * agent may have answered from rules that the database lost. A deleted redirect is known as long as a version or a
 * change with it is retained.
 */
export async function withKnownRedirects(db: Db, websiteId: number, hits: ReportedHit[]): Promise<ReportedHit[]> {
  const found = new Set(hits.flatMap(({ redirectId }) => redirectId ?? []));
  const ids = [...found].filter((id) => id !== DOMAIN_REDIRECT_ID);
  if (ids.length === 0) return hits;
  const rows = await queryRows<{ id: number }>(db)`
    select wanted.id from unnest(${sql.param(ids)}::bigint[]) as wanted (id)
    where not exists (select from redirects r where r.website_id = ${websiteId} and r.id = wanted.id)
      and not exists (select from redirect_revisions v where v.website_id = ${websiteId} and v.redirect_id = wanted.id)`;
  const unknown = new Set<number | null>(rows.map(({ id }) => id));
  return hits.map((hit) => (unknown.has(hit.redirectId) ? { ...hit, redirectId: DOMAIN_REDIRECT_ID } : hit));
}

const issue = (index: number, field: string, message: string): Issue => ({
  path: `hits[${index}].${field}`,
  code: 'VALIDATION_ERROR',
  message,
});
