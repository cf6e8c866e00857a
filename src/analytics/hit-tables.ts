/** The tables of the hit analytics as CSV files: complete, and not only the first rows of a report. */
import { type Db, inSnapshot } from '../db/connection/client.ts';
import { sql, type SQL } from '../db/drizzle.ts';
import { type CopyRow, copyRows, inlineSql } from '../db/copy/copy-rows.ts';
import { groupHitsQuery, redirectHitsQuery } from '../hits/report/group-hits.ts';
import { type SourceColumn, sourcesQuery } from '../hits/report/hit-sources.ts';
import type { DayRange, HitFilter, HitScope } from '../hits/report/hit-rows.ts';
import { addNamed, readHitDays, type StoredDay } from '../hits/report/hit-summary.ts';
import { countVisitors, createSketch, MAX_EXACT_OF_WEBSITE, mergeEncoded } from '../hits/counters/visitor-sketch.ts';
import { createTimeSlice } from '../platform/scheduling/time-slice.ts';
import { csvRow } from '../formats/write/csv.ts';
import { requireRedirectRow } from '../redirects/list/find.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { wrongParameter } from '../vocabulary/error.ts';
import type { Environment } from '../vocabulary/environment.ts';
import { rangeOf, requireOwnWebsite } from './hit-report.ts';
import { daysOf, type DayRange as Period } from './period.ts';

export const HIT_TABLES = ['days', 'redirects', 'groups', 'countries', 'referrers', 'utm_sources'] as const;
export type HitTable = (typeof HIT_TABLES)[number];

export interface HitTableInput {
  websiteId: number;
  environment: Environment;
  period: Period;
  /** only this redirect's hits, or those of the redirects of a group */
  redirectId?: number | undefined;
  groupId?: string | undefined;
  filter?: HitFilter | undefined;
  table: HitTable;
}

/**
 * Yields a table as CSV from one snapshot. Throws WEBSITE_NOT_FOUND, REDIRECT_NOT_FOUND, and INVALID_PARAMETER for a
 * table that a redirect or a part of the hits does not have.
 */
export async function* exportHitTable(streams: Db, actor: Actor, input: HitTableInput): AsyncGenerator<string> {
  const { websiteId, redirectId, groupId, environment, period, filter, table } = input;
  const isByRedirect = table === 'redirects' || table === 'groups';
  if (redirectId !== undefined && (isByRedirect || groupId !== undefined))
    throw wrongParameter(
      'redirect_id',
      `cannot be combined with ${isByRedirect ? `table=${table}` : 'group_id'}; omit it`,
    );
  if (filter && !isByRedirect && table !== 'days')
    throw wrongParameter('table', `${table} are stored for all hits by humans only; omit the filter`);
  yield* inSnapshot(streams, async function* (snapshot, client) {
    await requireOwnWebsite(snapshot, actor, websiteId);
    const range = rangeOf(period);
    const scope: HitScope = {
      websiteId,
      environment,
      ...(redirectId !== undefined && { redirectId }),
      ...(groupId !== undefined && { groupId }),
      ...(filter && { filter }),
    };
    if (isByRedirect) {
      const query = table === 'redirects' ? redirectsQuery(scope, range) : groupsQuery(scope, range);
      const columns = filter ? 'hits' : 'hits,bot_hits,assistant_hits';
      yield `${table === 'redirects' ? 'redirect_id,old_path,' : ''}group_id,${columns}\n`;
      for await (const rows of copyRows(client, inlineSql(query))) yield rows.map(csvRow).join('');
      return;
    }
    if (redirectId !== undefined && (await requireRedirectRow(snapshot, actor, redirectId)).websiteId !== websiteId)
      throw wrongParameter('redirect_id', 'is a redirect of another website');
    const stored = await readHitDays(snapshot, scope, range);
    if (table === 'days') yield* dayRows(stored, daysOf(period), scope);
    else if (table === 'countries') yield countryRows(stored);
    else
      yield* sourceRows(copyRows(client, inlineSql(sorted(sourcesQuery(scope, range, table)))), table, sumOf(stored));
  });
}

/** Only the hits themselves for a part of them. */
const countsOf = ({ filter }: HitScope): SQL => (filter ? sql`hits` : sql`hits, bot_hits, assistant_hits`);

/** Existing redirects only, like the report. */
const redirectsQuery = (scope: HitScope, range: DayRange): SQL => sql`
  select id, old_path, group_id, ${countsOf(scope)} from (
    select r.id, r.old_path, r.group_id, h.hits, h.bot_hits, h.assistant_hits
    from (${redirectHitsQuery(scope, range)}) h
    join redirects r on r.website_id = ${scope.websiteId} and r.id = h.redirect_id) r order by hits desc, id`;

const groupsQuery = (scope: HitScope, range: DayRange): SQL => sql`
  select group_id, ${countsOf(scope)} from (${groupHitsQuery(scope, range)}) g order by hits desc, group_id`;

/** Estimating the visitors of a day takes up to 0.1 ms, so that the days of a year need a pause. */
async function* dayRows(stored: StoredDay[], days: string[], scope: HitScope): AsyncGenerator<string> {
  const columns = dayColumns(scope);
  yield `date,${columns.map(([name]) => name).join()}\n`;
  const byDay = new Map(stored.map((row) => [row.day, row]));
  const slice = createTimeSlice();
  let text = '';
  for (const day of days) {
    if (slice.isOver()) await slice.yield();
    const row = byDay.get(day);
    text += `${day},${columns.map(([, of]) => (row ? of(row) : 0)).join()}\n`;
  }
  yield text;
}

/** The numbers that are stored for the scope. */
function dayColumns({ redirectId, groupId, filter }: HitScope) {
  const columns: [name: string, of: (row: StoredDay) => number, isStored: boolean][] = [
    ['hits', (row) => row.hits, true],
    ['unique_visitors', visitorsOf, !filter && groupId === undefined],
    ['bot_hits', (row) => row.botHits, !filter],
    ['assistant_hits', (row) => row.assistantHits, !filter],
    ['not_found', (row) => row.unmatched, !filter && groupId === undefined && redirectId === undefined],
  ];
  return columns.filter(([, , isStored]) => isStored);
}

function visitorsOf({ visitors }: StoredDay): number {
  const sketch = createSketch(MAX_EXACT_OF_WEBSITE);
  mergeEncoded(sketch, visitors);
  return countVisitors(sketch);
}

const sumOf = (stored: StoredDay[]): number => stored.reduce((sum, { hits }) => sum + hits, 0);

/** Names first, most hits first. */
const sorted = (query: SQL): SQL =>
  sql`select kind, name, hits from (${query}) s order by s.name = '', s.hits desc, s.name, s.kind`;

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
