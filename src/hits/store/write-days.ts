/**
 * Adds tallies to days that are stored, by reading, merging and writing back: countries and visitors are sums of their own. Each is read by
 * its key: left to itself the planner takes a day that its statistics do not know for empty (add-plain-days.ts).
 */
import { type SQL, sql } from 'drizzle-orm';
import type { Tx } from '../../db/client.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import type { Batch } from '../count/batches.ts';
import { int8Array, bytes, int4Array, textArray } from './pg-arrays.ts';
import { mergeDays, type MergedDay, partsOf, type StoredDay } from './merge-day.ts';
import type { HitCounters } from '../count/redirect-counters.ts';
import { EXACT_OF_REDIRECT, EXACT_OF_WEBSITE } from '../count/visitor-sketch.ts';

/** Of sketches in one statement: putting it together takes a few milliseconds. */
const STATEMENT_BYTES = 1024 * 1024;

interface StoredRow extends StoredDay, Record<string, unknown> {
  /** its place in the batch, from 1 */
  place: number;
}

/** What is to be added to a day of a redirect. */
export interface RedirectDay {
  websiteId: number;
  redirectId: number;
  environment: Environment;
  tally: HitCounters;
}

/** Adds the websites' own counts. Part of a transaction in which nobody else writes those websites. */
export async function addWebsiteDays(tx: Tx, { day, sites }: Batch): Promise<void> {
  if (sites.length === 0) return;
  const keys = sql`${int4Array(sites.map((site) => site.websiteId))}::int[], ${textArray(sites.map((site) => site.environment))}::text[]`;
  const { rows } = await tx.execute<StoredRow>(sql`
    select b.place::int as place, h.countries, h.visitors
    from unnest(${keys}) with ordinality as b (website_id, environment, place)
    cross join lateral (
      select h.countries, h.visitors from website_hits h
      where h.website_id = b.website_id and h.environment = b.environment and h.day = ${day}::date offset 0) h`);
  const merged = await mergeDays(sites, byPlace(rows), EXACT_OF_WEBSITE);
  await tx.execute(sql`
    insert into website_hits as h (website_id, environment, day, hits, bot_hits, micros, countries, visitors, unmatched, unmatched_bots)
    select website_id, environment, ${day}::date, hits, bot_hits, micros, countries::jsonb, visitors, unmatched, unmatched_bots
    from unnest(${keys}, ${counts(sites, merged)}, ${int8Array(sites.map((site) => site.unmatched))}::bigint[],
      ${int8Array(sites.map((site) => site.unmatchedBots))}::bigint[])
      as b (website_id, environment, hits, bot_hits, micros, countries, visitors, unmatched, unmatched_bots)
    order by website_id, environment
    on conflict (website_id, environment, day) do update set ${ADDED}, unmatched = h.unmatched + excluded.unmatched,
      unmatched_bots = h.unmatched_bots + excluded.unmatched_bots`);
}

/** Adds counts of redirects. Part of a transaction as above. */
export async function addRedirectDays(tx: Tx, day: string, added: RedirectDay[]): Promise<void> {
  if (added.length === 0) return;
  const tallies = added.map(({ tally }) => tally);
  const { rows } = await tx.execute<StoredRow>(sql`
    select b.place::int as place, h.countries, h.visitors
    from unnest(${keysOf(added)}) with ordinality as b (website_id, redirect_id, environment, place)
    cross join lateral (
      select h.countries, h.visitors from redirect_hits h
      where h.website_id = b.website_id and h.redirect_id = b.redirect_id and h.environment = b.environment
        and h.day = ${day}::date offset 0) h`);
  const merged = await mergeDays(tallies, byPlace(rows), EXACT_OF_REDIRECT);
  const sizes = merged.map(({ visitors }) => visitors.length);
  for (const [from, to] of partsOf(sizes, STATEMENT_BYTES))
    await writeRedirectDays(tx, day, added.slice(from, to), merged.slice(from, to));
}

async function writeRedirectDays(
  tx: Tx,
  day: string,
  added: RedirectDay[],
  merged: MergedDay[],
): Promise<void> {
  const tallies = added.map(({ tally }) => tally);
  await tx.execute(sql`
    insert into redirect_hits as h (website_id, redirect_id, environment, day, hits, bot_hits, micros, countries, visitors)
    select website_id, redirect_id, environment, ${day}::date, hits, bot_hits, micros, countries::jsonb, visitors
    from unnest(${keysOf(added)}, ${counts(tallies, merged)})
      as b (website_id, redirect_id, environment, hits, bot_hits, micros, countries, visitors)
    order by website_id, redirect_id, environment
    on conflict (website_id, redirect_id, environment, day) do update set ${ADDED}`);
}

function keysOf(added: RedirectDay[]): SQL {
  return sql`${int4Array(added.map(({ websiteId }) => websiteId))}::int[],
    ${int8Array(added.map(({ redirectId }) => redirectId))}::bigint[],
    ${textArray(added.map(({ environment }) => environment))}::text[]`;
}

/** hits, bot_hits, micros, countries, visitors */
function counts(tallies: HitCounters[], merged: MergedDay[]): SQL {
  return sql`${int8Array(tallies.map((tally) => tally.hits))}::bigint[], ${int8Array(tallies.map((tally) => tally.botHits))}::bigint[],
    ${int8Array(tallies.map((tally) => Math.round(tally.micros)))}::bigint[],
    ${textArray(merged.map((each) => each.countries))}::text[], ${bytes(merged.map((each) => each.visitors))}::bytea[]`;
}

/** Counts add up; countries and visitors were merged with what was there, and visitors are left alone where nobody new came. */
const ADDED = sql`hits = h.hits + excluded.hits, bot_hits = h.bot_hits + excluded.bot_hits, micros = h.micros + excluded.micros,
  countries = excluded.countries, visitors = case when excluded.visitors = '' then h.visitors else excluded.visitors end`;

function byPlace(rows: StoredRow[]): (StoredDay | undefined)[] {
  const stored: (StoredDay | undefined)[] = [];
  for (const row of rows) stored[row.place - 1] = row;
  return stored;
}
