import type { Queryable } from '../../../db/connection/client.ts';
import { queryRows, timeOf } from '../../../db/rows.ts';
import type { LiveEnvironmentRow } from './live.ts';

/** The served fields of a redirect. */
export interface ServedFields {
  oldPath: string;
  newPath: string | null;
  statusCode: number;
  isRegex: boolean;
  activeFrom: Date | null;
  activeUntil: Date | null;
}

/** A former state of a redirect, from `revFrom` until just before `revTo`. */
export interface Revision extends ServedFields {
  revFrom: number;
  revTo: number;
  key: string;
  inProd: number | null;
  inStaging: number | null;
  inDev: number | null;
}

interface RawRevision extends Omit<Revision, 'activeFrom' | 'activeUntil'> {
  redirectId: number;
  activeFrom: string | null;
  activeUntil: string | null;
}

/**
 * Reads the former revisions of these redirects by redirect id, newest first, back to the oldest live revision of their
 * website. If it has promoted versions, also those with the same rule in other environments. Follows each redirect's
 * chain by primary key, so the cost does not depend on the size of the website.
 */
export async function readRevisions(
  db: Queryable,
  redirects: { id: number; websiteId: number; rev: number }[],
  live: Map<number, LiveEnvironmentRow[]>,
): Promise<Map<number, Revision[]>> {
  if (redirects.length === 0) return new Map();
  const starts = redirects.map(({ id, websiteId, rev }) => ({
    id,
    website_id: websiteId,
    rev,
    oldest: Math.min(...(live.get(websiteId) ?? []).map((at) => at.rulesRev)),
    is_promoted: (live.get(websiteId) ?? []).some((at) => at.promoted),
  }));
  const rows = await queryRows<RawRevision>(db)`
    with recursive chain as (
      select r.*, a.oldest, a.is_promoted
      from jsonb_to_recordset(${JSON.stringify(starts)}::jsonb) as a(id bigint, website_id int, rev int, oldest int, is_promoted bool)
      join redirect_revisions r on r.website_id = a.website_id and r.rev_to = a.rev and r.redirect_id = a.id
      union all
      select r.*, c.oldest, c.is_promoted from chain c
      join redirect_revisions r on r.website_id = c.website_id and r.rev_to = c.rev_from and r.redirect_id = c.redirect_id
      where (c.rev_from > c.oldest or c.is_promoted and least(c.in_prod, c.in_staging, c.in_dev) < c.rev_from)
        and r.rev_from < r.rev_to)
    select redirect_id, rev_from, rev_to, key, old_path, new_path, status_code, is_regex, active_from, active_until,
      in_prod, in_staging, in_dev
    from chain order by rev_to desc`;
  const revisions = rows.map((row) => ({
    ...row,
    activeFrom: timeOf(row.activeFrom),
    activeUntil: timeOf(row.activeUntil),
  }));
  return Map.groupBy(revisions, (row) => row.redirectId);
}
