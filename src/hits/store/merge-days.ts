/**
 * The slow write path: reads the stored days, merges countries and visitors in memory, and writes them back. Reads each
 * row by key: of a day without statistics the planner expects no rows, and would compare each with each.
 */
import type { Tx } from '../../db/connection/client.ts';
import { type SQL, sql } from '../../db/drizzle.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import type { HitCounters } from '../counters/redirect-counters.ts';
import { MAX_NAMES_OF_REDIRECT, MAX_NAMES_OF_WEBSITE } from '../counters/source-names.ts';
import { MAX_EXACT_OF_REDIRECT, MAX_EXACT_OF_WEBSITE } from '../counters/visitor-sketch.ts';
import type { WriteBatch } from '../counters/write-batches.ts';
import { mergeCounters, type MergedDay, splitBySize, type StoredDay } from './merge-counters.ts';
import { byteaArray, int4Array, int8Array, textArray } from './pg-arrays.ts';

/** Sketches per statement: encoding them blocks the thread for a few milliseconds. */
const MAX_STATEMENT_BYTES = 1024 * 1024;

interface StoredRow extends StoredDay {
  /** position in the batch, from 1 */
  ordinal: number;
}

/** Counters to add to a day of a redirect. */
export interface RedirectDay {
  websiteId: number;
  redirectId: number;
  environment: Environment;
  counters: HitCounters;
}

/** Adds the counts of websites. If the day `isOver`, stores visitors as registers. Requires `lockHitCounters` in the same transaction. */
export async function mergeWebsiteDays(tx: Tx, { day, sites }: WriteBatch, isOver: boolean): Promise<void> {
  if (sites.length === 0) return;
  const keys = sql`${int4Array(sites.map((site) => site.websiteId))}::int[], ${textArray(sites.map((site) => site.environment))}::text[]`;
  const { rows } = await tx.execute<StoredRow & Record<string, unknown>>(sql`
    select b.ordinal::int as ordinal, h.countries, h.visitors, h.referrers, h.utm_sources
    from unnest(${keys}) with ordinality as b (website_id, environment, ordinal)
    cross join lateral (
      select h.countries, h.visitors, h.referrers, h.utm_sources from website_hits h
      where h.website_id = b.website_id and h.environment = b.environment and h.day = ${day}::date offset 0) h`);
  const merged = await mergeCounters(sites, byOrdinal(rows), {
    maxExactVisitors: isOver ? 0 : MAX_EXACT_OF_WEBSITE,
    maxNames: MAX_NAMES_OF_WEBSITE,
  });
  await tx.execute(sql`
    insert into website_hits as h (website_id, environment, day, hits, bot_hits, assistant_hits, micros, countries, visitors, referrers, utm_sources, unmatched, unmatched_bots,
      unmatched_assistants)
    select website_id, environment, ${day}::date, hits, bot_hits, assistant_hits, micros, countries::jsonb, visitors, referrers::jsonb, utm_sources::jsonb,
      unmatched, unmatched_bots, unmatched_assistants
    from unnest(${keys}, ${countColumns(sites, merged)}, ${int8Array(sites.map((site) => site.unmatched))}::bigint[],
      ${int8Array(sites.map((site) => site.unmatchedBots))}::bigint[],
      ${int8Array(sites.map((site) => site.unmatchedAssistants))}::bigint[])
      as b (website_id, environment, hits, bot_hits, assistant_hits, micros, countries, visitors, referrers, utm_sources, unmatched, unmatched_bots,
        unmatched_assistants)
    order by website_id, environment
    on conflict (website_id, environment, day) do update set ${ADD_COUNTS}, unmatched = h.unmatched + excluded.unmatched,
      unmatched_bots = h.unmatched_bots + excluded.unmatched_bots,
      unmatched_assistants = h.unmatched_assistants + excluded.unmatched_assistants`);
}

/** Adds the counts of redirects. If the day `isOver`, stores visitors as registers. Requires `lockHitCounters` in the same transaction. */
export async function mergeRedirectDays(tx: Tx, day: string, added: RedirectDay[], isOver: boolean): Promise<void> {
  if (added.length === 0) return;
  const { rows } = await tx.execute<StoredRow & Record<string, unknown>>(sql`
    select b.ordinal::int as ordinal, h.countries, h.visitors, h.referrers, h.utm_sources
    from unnest(${keyColumns(added)}) with ordinality as b (website_id, redirect_id, environment, ordinal)
    cross join lateral (
      select h.countries, h.visitors, h.referrers, h.utm_sources from redirect_hits h
      where h.website_id = b.website_id and h.redirect_id = b.redirect_id and h.environment = b.environment
        and h.day = ${day}::date offset 0) h`);
  const counters = added.map((each) => each.counters);
  const stored = byOrdinal(rows);
  const merged = await mergeCounters(counters, stored, {
    maxExactVisitors: isOver ? 0 : MAX_EXACT_OF_REDIRECT,
    maxNames: MAX_NAMES_OF_REDIRECT,
  });
  const rowsThat = (exist: boolean) => {
    const isOne = (_: unknown, i: number): boolean => (stored[i] !== undefined) === exist;
    return [added.filter(isOne), merged.filter(isOne)] as const;
  };
  // No other writer adds one meanwhile: looking for conflicts took a third of the time.
  await storeRedirectDays(tx, day, ...rowsThat(false), sql``);
  await storeRedirectDays(tx, day, ...rowsThat(true), ON_CONFLICT);
}

async function storeRedirectDays(tx: Tx, day: string, added: RedirectDay[], merged: MergedDay[], onConflict: SQL) {
  const sizes = merged.map(({ visitors }) => visitors.length);
  for (const [from, to] of splitBySize(sizes, MAX_STATEMENT_BYTES)) {
    const rows = added.slice(from, to);
    const counters = rows.map((each) => each.counters);
    await tx.execute(sql`
      insert into redirect_hits as h (website_id, redirect_id, environment, day, hits, bot_hits, assistant_hits, micros, countries, visitors, referrers, utm_sources)
      select website_id, redirect_id, environment, ${day}::date, hits, bot_hits, assistant_hits, micros, countries::jsonb, visitors, referrers::jsonb, utm_sources::jsonb
      from unnest(${keyColumns(rows)}, ${countColumns(counters, merged.slice(from, to))})
        as b (website_id, redirect_id, environment, hits, bot_hits, assistant_hits, micros, countries, visitors, referrers, utm_sources)
      order by website_id, redirect_id, environment ${onConflict}`);
  }
}

function keyColumns(added: RedirectDay[]): SQL {
  return sql`${int4Array(added.map(({ websiteId }) => websiteId))}::int[],
    ${int8Array(added.map(({ redirectId }) => redirectId))}::bigint[],
    ${textArray(added.map(({ environment }) => environment))}::text[]`;
}

function countColumns(counters: HitCounters[], merged: MergedDay[]): SQL {
  return sql`${int8Array(counters.map(({ hits }) => hits))}::bigint[],
    ${int8Array(counters.map(({ botHits }) => botHits))}::bigint[],
    ${int8Array(counters.map(({ assistantHits }) => assistantHits))}::bigint[],
    ${int8Array(counters.map(({ micros }) => Math.round(micros)))}::bigint[],
    ${textArray(merged.map(({ countries }) => countries))}::text[],
    ${byteaArray(merged.map(({ visitors }) => visitors))}::bytea[],
    ${textArray(merged.map(({ referrers }) => referrers))}::text[],
    ${textArray(merged.map(({ utmSources }) => utmSources))}::text[]`;
}

/** Adds the counts. The others are merged already; empty visitors mean no change. */
const ADD_COUNTS = sql`hits = h.hits + excluded.hits, bot_hits = h.bot_hits + excluded.bot_hits,
  assistant_hits = h.assistant_hits + excluded.assistant_hits, micros = h.micros + excluded.micros,
  countries = excluded.countries, referrers = excluded.referrers, utm_sources = excluded.utm_sources,
  visitors = case when excluded.visitors = '' then h.visitors else excluded.visitors end`;

const ON_CONFLICT = sql`on conflict (website_id, redirect_id, environment, day) do update set ${ADD_COUNTS}`;

function byOrdinal(rows: StoredRow[]): (StoredDay | undefined)[] {
  const stored: (StoredDay | undefined)[] = [];
  for (const row of rows) stored[row.ordinal - 1] = row;
  return stored;
}
