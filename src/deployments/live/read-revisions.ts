import type { Queryable } from '../../db/client.ts';
import { queryRows } from '../../db/rows.ts';
import type { LiveEnvironmentRow } from './live.ts';

/** A former state of a redirect, from `revFrom` until just before `revTo`. */
export interface Revision {
  revFrom: number;
  revTo: number;
  newPath: string | null;
  inProd: number | null;
  inStaging: number | null;
  inDev: number | null;
}

/**
 * Reads the former revisions of these redirects by redirect id, newest first, back to the oldest live revision of their
 * website. Follows each redirect's chain by primary key, so the cost does not depend on the size of the website.
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
  }));
  const rows = await queryRows<Revision & { redirectId: number }>(db)`
    with recursive chain as (
      select r.*, a.oldest
      from jsonb_to_recordset(${JSON.stringify(starts)}::jsonb) as a(id bigint, website_id int, rev int, oldest int)
      join redirect_revisions r on r.website_id = a.website_id and r.rev_to = a.rev and r.redirect_id = a.id
      union all
      select r.*, c.oldest from chain c
      join redirect_revisions r on r.website_id = c.website_id and r.rev_to = c.rev_from and r.redirect_id = c.redirect_id
      where c.rev_from > c.oldest and r.rev_from < r.rev_to)
    select redirect_id, rev_from, rev_to, new_path, in_prod, in_staging, in_dev from chain order by rev_to desc`;
  return Map.groupBy(rows, (row) => row.redirectId);
}
