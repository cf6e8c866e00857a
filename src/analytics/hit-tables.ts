/** The tables of the hit analytics as CSV files: complete, and not only the first rows of a report. */
import { type Db, inSnapshot } from '../db/connection/client.ts';
import { type CopyRow, copyRows } from '../db/copy/copy-rows.ts';
import { groupHitsQuery, redirectHitsQuery } from '../hits/report/group-hits.ts';
import { type SourceColumn, sourcesQuery } from '../hits/report/hit-sources.ts';
import { addNamed, type DayRange, type HitScope, readHitDays, type StoredDay } from '../hits/report/hit-summary.ts';
import { countVisitors, createSketch, MAX_EXACT_OF_WEBSITE, mergeEncoded } from '../hits/counters/visitor-sketch.ts';
import { createTimeSlice } from '../platform/scheduling/time-slice.ts';
import { csvRow } from '../formats/write/csv.ts';
import { requireRedirectRow } from '../redirects/list/find.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { wrongParameter } from '../vocabulary/error.ts';
import { type HitPeriod, rangeOf, requireOwnWebsite } from './hit-report.ts';
import { daysUntil } from './period.ts';

export const HIT_TABLES = ['days', 'redirects', 'groups', 'countries', 'referrers', 'utm_sources'] as const;
export type HitTable = (typeof HIT_TABLES)[number];

export interface HitTableInput extends HitPeriod {
  websiteId: number;
  /** only this redirect's hits */
  redirectId?: number | undefined;
  table: HitTable;
}

/**
 * Yields a table as CSV from one snapshot. Throws WEBSITE_NOT_FOUND, REDIRECT_NOT_FOUND, and INVALID_PARAMETER for a
 * table that a redirect does not have.
 */
export async function* exportHitTable(
  streams: Db,
  actor: Actor,
  { websiteId, redirectId, environment, days: count, now, table }: HitTableInput,
): AsyncGenerator<string> {
  yield* inSnapshot(streams, async function* (snapshot, client) {
    await requireOwnWebsite(snapshot, actor, websiteId);
    const days = daysUntil(now, count);
    const range = rangeOf(days);
    const scope = { websiteId, environment };
    if (table === 'redirects' || table === 'groups') {
      if (redirectId !== undefined) throw wrongParameter('table', `${table} are of a website; omit redirect_id`);
      yield table === 'redirects'
        ? 'redirect_id,old_path,group_id,hits,bot_hits,assistant_hits\n'
        : 'group_id,hits,bot_hits,assistant_hits\n';
      const query =
        table === 'redirects' ? redirectsQuery(scope, range) : `${groupHitsQuery(scope, range)} order by 2 desc, 1`;
      for await (const rows of copyRows(client, query)) yield rows.map(csvRow).join('');
      return;
    }
    if (redirectId !== undefined && (await requireRedirectRow(snapshot, actor, redirectId)).websiteId !== websiteId)
      throw wrongParameter('redirect_id', 'is a redirect of another website');
    const ofScope: HitScope = { ...scope, ...(redirectId !== undefined && { redirectId }) };
    const stored = await readHitDays(snapshot, ofScope, range);
    if (table === 'days') yield* dayRows(stored, days, redirectId === undefined);
    else if (table === 'countries') yield countryRows(stored);
    else yield* sourceRows(copyRows(client, sorted(sourcesQuery(ofScope, range, table))), table, sumOf(stored));
  });
}

type Scope = Pick<HitScope, 'websiteId' | 'environment'>;

/** Existing redirects only, like the report. */
const redirectsQuery = (scope: Scope, range: DayRange): string => `
  select r.id, r.old_path, r.group_id, h.hits, h.bot_hits, h.assistant_hits
  from (${redirectHitsQuery(scope, range)}) h
  join redirects r on r.website_id = ${scope.websiteId} and r.id = h.redirect_id order by h.hits desc, r.id`;

/** Estimating the visitors of a day takes up to 0.1 ms, so that the days of a year need a pause. */
async function* dayRows(stored: StoredDay[], days: string[], isWebsite: boolean): AsyncGenerator<string> {
  yield `date,hits,unique_visitors,bot_hits,assistant_hits${isWebsite ? ',not_found' : ''}\n`;
  const byDay = new Map(stored.map((row) => [row.day, row]));
  const slice = createTimeSlice();
  let text = '';
  for (const day of days) {
    if (slice.isOver()) await slice.yield();
    const row = byDay.get(day);
    const notFound = isWebsite ? `,${row?.unmatched ?? 0}` : '';
    const counts = [row?.hits ?? 0, row ? visitorsOf(row) : 0, row?.botHits ?? 0, row?.assistantHits ?? 0];
    text += `${day},${counts.join(',')}${notFound}\n`;
  }
  yield text;
}

function visitorsOf({ visitors }: StoredDay): number {
  const sketch = createSketch(MAX_EXACT_OF_WEBSITE);
  mergeEncoded(sketch, visitors);
  return countVisitors(sketch);
}

const sumOf = (stored: StoredDay[]): number => stored.reduce((sum, { hits }) => sum + hits, 0);

/** Names first, most hits first. */
const sorted = (query: string): string =>
  `select * from (${query}) s order by s.name = '', s.hits desc, s.name, s.kind`;

/** The last row has the hits without a source. */
async function* sourceRows(pages: AsyncIterable<CopyRow[]>, column: SourceColumn, total: number) {
  yield column === 'referrers' ? 'kind,host,hits\n' : 'kind,utm_source,hits\n';
  let rest = total;
  for await (const rows of pages) {
    for (const [, , hits] of rows) rest -= Number(hits);
    yield rows.map(csvRow).join('');
  }
  if (rest > 0) yield csvRow([column === 'referrers' ? 'direct' : 'none', '', String(rest)]);
}

/** The last row has the hits of unknown countries, with an empty code. */
function countryRows(stored: StoredDay[]): string {
  const countries = addNamed(stored.map((row) => row.countries));
  const known = countries.reduce((sum, { hits }) => sum + hits, 0);
  const unknown = sumOf(stored) - known;
  const rows = countries.map(({ name, hits }) => csvRow([name, String(hits)]));
  return ['country,hits\n', ...rows, ...(unknown > 0 ? [csvRow(['', String(unknown)])] : [])].join('');
}
