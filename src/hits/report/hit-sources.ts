/** Hits by referrer host and by `utm_source`. */
import type { Queryable } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import type { DayRange, HitScope } from './hit-summary.ts';

export interface Sources {
  /** most hits first, then by name; without own hosts, and without names that are not stored */
  top: { name: string; hits: number }[];
  /** of hosts that the website has now; 0 for `utm_sources` */
  internalHits: number;
  /** of all names */
  hits: number;
}

export type SourceColumn = 'referrers' | 'utm_sources';

/** Returns the `limit` names with the most hits, and sums. */
export async function readSources(
  db: Queryable,
  scope: HitScope,
  range: DayRange,
  { column, limit }: { column: SourceColumn; limit: number },
): Promise<Sources> {
  const rows = await queryRows<{ kind: string; name: string; hits: number; allHits: number }>(db)`
    select s.*, sum(s.hits) over ()::bigint as all_hits from (${sql.raw(sourcesQuery(scope, range, column))}) s
    order by s.name <> '', s.hits desc, s.name limit ${limit + FIXED_ROWS}`;
  const hitsOf = (of: string): number => Number(rows.find(({ kind }) => kind === of)?.hits ?? 0);
  const named = rows.filter(({ name }) => name !== '').slice(0, limit);
  return {
    top: named.map(({ name, hits }) => ({ name, hits: Number(hits) })),
    internalHits: hitsOf('internal'),
    hits: Number(rows[0]?.allHits ?? 0),
  };
}

/** Rows without a name: `internal` and `other`. */
const FIXED_ROWS = 2;

/** `kind` of a row with a name. */
const KINDS: Record<SourceColumn, string> = { referrers: 'host', utm_sources: 'source' };

/**
 * SQL text for a COPY, which takes no parameters: `kind`, `name` and `hits`. One row each, with an empty name, has the
 * hits of the website's hosts (`internal`) and of names that are not stored (`other`).
 */
export function sourcesQuery(
  { websiteId, environment, redirectId }: HitScope,
  { from, to }: DayRange,
  column: SourceColumn,
): string {
  const table = redirectId === undefined ? 'website_hits' : 'redirect_hits';
  const ofRedirect = redirectId === undefined ? '' : `and h.redirect_id = ${redirectId}`;
  const isInternal = column === 'referrers' ? isOwnHost(websiteId) : 'false';
  return `
    select kind, case when kind in ('internal', 'other') then '' else name end as name, sum(hits)::bigint as hits
    from (
      select n.name, n.hits, case when n.name = '' then 'other' when ${isInternal} then 'internal'
        else '${KINDS[column]}' end as kind
      from (
        select e.key as name, sum(e.value::bigint) as hits
        from ${table} h cross join lateral jsonb_each_text(h.${column}) e
        where h.website_id = ${websiteId} and h.environment = '${environment}' ${ofRedirect}
          and h.day between '${from}' and '${to}'
        group by e.key) n) named
    group by 1, 2`;
}

/** Condition on `n.name`: an exact host of the website, or below one of its wildcards. */
const isOwnHost = (websiteId: number): string => `(
  n.name in (select hostname from website_hosts where website_id = ${websiteId})
  or exists (select from website_hosts w where w.website_id = ${websiteId} and w.hostname like '*.%'
    and right(n.name, length(w.hostname) - 1) = substr(w.hostname, 2)))`;
