/** Hits by referrer host and by `utm_source`. */
import type { Queryable } from '../../db/connection/client.ts';
import { sql, type SQL } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import { type DayRange, type HitScope, inRanges, storedDays } from './hit-rows.ts';

export interface Sources {
  /** most hits first, then by name; without own hosts, and without names that are not stored */
  top: { name: string; hits: number; previousHits: number }[];
  /** of hosts that the website has now; 0 for `utm_sources` */
  internalHits: number;
  /** of all names */
  hits: number;
}

export type SourceColumn = 'referrers' | 'utm_sources';

/** Returns the `limit` names with the most hits, those that they had in `before`, and sums. */
export async function readSources(
  db: Queryable,
  scope: HitScope,
  range: DayRange,
  { column, limit, before = range }: { column: SourceColumn; limit: number; before?: DayRange | undefined },
): Promise<Sources> {
  const rows = await queryRows<{ kind: string; name: string; hits: number; previousHits: number; allHits: number }>(db)`
    select s.*, sum(s.hits) over ()::bigint as all_hits from (${sourcesQuery(scope, range, column, before)}) s
    order by s.name <> '', s.hits desc, s.name limit ${limit + FIXED_ROWS}`;
  const hitsOf = (of: string): number => Number(rows.find(({ kind }) => kind === of)?.hits ?? 0);
  const named = rows.filter(({ name, hits }) => name !== '' && Number(hits) > 0).slice(0, limit);
  return {
    top: named.map(({ name, hits, previousHits }) => ({
      name,
      hits: Number(hits),
      previousHits: Number(previousHits),
    })),
    internalHits: hitsOf('internal'),
    hits: Number(rows[0]?.allHits ?? 0),
  };
}

/** Rows without a name: `internal` and `other`. */
const FIXED_ROWS = 2;

/** `kind` of a row with a name. */
const KINDS: Record<SourceColumn, string> = { referrers: 'host', utm_sources: 'source' };

/**
 * `kind`, `name`, `hits` and `previous_hits`, those in `before`. One row each, with an empty name, has the hits of the
 * website's hosts (`internal`) and of names that are not stored (`other`).
 */
export function sourcesQuery(scope: HitScope, range: DayRange, column: SourceColumn, before: DayRange = range): SQL {
  const isInternal = column === 'referrers' ? isOwnHost(scope.websiteId) : sql`false`;
  return sql`
    select kind, case when kind in ('internal', 'other') then '' else name end as name, sum(hits)::bigint as hits,
      sum(previous_hits)::bigint as previous_hits
    from (
      select n.name, n.hits, n.previous_hits, case when n.name = '' then 'other' when ${isInternal} then 'internal'
        else ${sql.raw(`'${KINDS[column]}'`)} end as kind
      from (
        select d.key as name, coalesce(sum(d.hits) filter (where d.is_now), 0) as hits,
          coalesce(sum(d.hits) filter (where d.is_before), 0) as previous_hits
        from (
          select e.key, e.value::bigint as hits, ${inRanges(range)} as is_now, ${inRanges(before)} as is_before
          from (select h.day, h.${sql.raw(column)} as names ${storedDays(scope, [range, before])}) h
          cross join lateral jsonb_each_text(h.names) e) d
        group by 1) n) named
    group by 1, 2`;
}

/** Condition on `n.name`: an exact host of the website, or below one of its wildcards. */
const isOwnHost = (websiteId: number): SQL => sql`(
  n.name in (select hostname from website_hosts where website_id = ${websiteId})
  or exists (select from website_hosts w where w.website_id = ${websiteId} and w.hostname like '*.%'
    and right(n.name, length(w.hostname) - 1) = substr(w.hostname, 2)))`;
