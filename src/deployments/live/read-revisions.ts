import { sql } from 'drizzle-orm';
import type { Queryable } from '../../db/client.ts';
import type { LiveEnvironmentRow } from './live.ts';

/** What a redirect was from revFrom until just before revTo. */
export interface Revision {
  revFrom: number;
  revTo: number;
  newPath: string | null;
  inProd: number | null;
  inStaging: number | null;
  inDev: number | null;
}

interface Row extends Record<string, unknown> {
  redirect_id: string | number;
  rev_from: number;
  rev_to: number;
  new_path: string | null;
  in_prod: number | null;
  in_staging: number | null;
  in_dev: number | null;
}

/**
 * The pasts of these redirects, newest first, back to the oldest live revision of their website. Follows each redirect's own
 * chain by primary key, so a website with a million pending changes costs a page no more than its own rows.
 */
export async function readRevisions(
  db: Queryable,
  redirects: { id: number; websiteId: number; rev: number }[],
  live: Map<number, LiveEnvironmentRow[]>,
): Promise<Map<number, Revision[]>> {
  const pieces = new Map<number, Revision[]>();
  if (redirects.length === 0) return pieces;
  const asked = redirects.map(({ id, websiteId, rev }) => ({
    id,
    website_id: websiteId,
    rev,
    oldest: Math.min(...(live.get(websiteId) ?? []).map((at) => at.rulesRev)),
  }));
  const { rows } = await db.execute<Row>(sql`
    with recursive chain as (
      select r.*, a.oldest
      from jsonb_to_recordset(${JSON.stringify(asked)}::jsonb) as a(id bigint, website_id int, rev int, oldest int)
      join redirect_revisions r on r.website_id = a.website_id and r.rev_to = a.rev and r.redirect_id = a.id
      union all
      select r.*, c.oldest from chain c
      join redirect_revisions r on r.website_id = c.website_id and r.rev_to = c.rev_from and r.redirect_id = c.redirect_id
      where c.rev_from > c.oldest and r.rev_from < r.rev_to)
    select redirect_id, rev_from, rev_to, new_path, in_prod, in_staging, in_dev from chain order by rev_to desc`);
  for (const row of rows) {
    const id = Number(row.redirect_id);
    const list = pieces.get(id) ?? [];
    list.push({
      revFrom: row.rev_from,
      revTo: row.rev_to,
      newPath: row.new_path,
      inProd: row.in_prod,
      inStaging: row.in_staging,
      inDev: row.in_dev,
    });
    pieces.set(id, list);
  }
  return pieces;
}
