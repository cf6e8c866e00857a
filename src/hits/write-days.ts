import { type SQL, sql } from 'drizzle-orm';
import type { Tx } from '../db/client.ts';
import type { Batch, RedirectRow } from './batches.ts';
import { bytes, numbers, texts, times, words } from './columns.ts';
import { mergeDays, type MergedDay, partsOf, type StoredDay } from './merge-day.ts';
import type { Tally } from './tally.ts';
import { EXACT_OF_REDIRECT, EXACT_OF_WEBSITE } from './visitor-sketch.ts';

/** Of sketches in one statement, which holds them twice over as text: putting it together takes a few milliseconds. */
const STATEMENT_BYTES = 1024 * 1024;

interface StoredRow extends StoredDay, Record<string, unknown> {
  /** its place in the batch, from 1 */
  place: number;
}

/** Adds the websites' own counts. Part of a transaction in which nobody else writes those websites. */
export async function writeWebsiteDays(tx: Tx, { day, sites }: Batch): Promise<void> {
  if (sites.length === 0) return;
  const keys = sql`${numbers(sites.map((site) => site.websiteId))}::int[], ${words(sites.map((site) => site.environment))}::text[]`;
  const { rows } = await tx.execute<StoredRow>(sql`
    select b.place::int as place, h.countries, h.visitors
    from unnest(${keys}) with ordinality as b (website_id, environment, place)
    join website_hits h on h.website_id = b.website_id and h.environment = b.environment and h.day = ${day}::date`);
  const merged = await mergeDays(sites, byPlace(rows), EXACT_OF_WEBSITE);
  await tx.execute(sql`
    insert into website_hits as h (website_id, environment, day, hits, bot_hits, micros, countries, visitors, unmatched, unmatched_bots)
    select website_id, environment, ${day}::date, hits, bot_hits, micros, countries::jsonb, visitors, unmatched, unmatched_bots
    from unnest(${keys}, ${counts(sites, merged)}, ${numbers(sites.map((site) => site.unmatched))}::bigint[],
      ${numbers(sites.map((site) => site.unmatchedBots))}::bigint[])
      as b (website_id, environment, hits, bot_hits, micros, countries, visitors, unmatched, unmatched_bots)
    order by website_id, environment
    on conflict (website_id, environment, day) do update set ${ADDED}, unmatched = h.unmatched + excluded.unmatched,
      unmatched_bots = h.unmatched_bots + excluded.unmatched_bots`);
}

/** Adds the redirects' counts. Part of a transaction as above. */
export async function writeRedirectDays(tx: Tx, { day, redirects }: Batch): Promise<void> {
  if (redirects.length === 0) return;
  const tallies = redirects.map(({ tally }) => tally);
  const { rows } = await tx.execute<StoredRow>(sql`
    select b.place::int as place, h.countries, h.visitors
    from unnest(${redirectKeys(redirects)}) with ordinality as b (website_id, redirect_id, environment, place)
    join redirect_hits h on h.website_id = b.website_id and h.redirect_id = b.redirect_id
      and h.environment = b.environment and h.day = ${day}::date`);
  const merged = await mergeDays(tallies, byPlace(rows), EXACT_OF_REDIRECT);
  const sizes = merged.map(({ visitors }) => visitors.length);
  for (const [from, to] of partsOf(sizes, STATEMENT_BYTES))
    await addRedirectDays(tx, day, redirects.slice(from, to), merged.slice(from, to));
}

async function addRedirectDays(
  tx: Tx,
  day: string,
  redirects: RedirectRow[],
  merged: MergedDay[],
): Promise<void> {
  const tallies = redirects.map(({ tally }) => tally);
  await tx.execute(sql`
    insert into redirect_hits as h (website_id, redirect_id, environment, day, hits, bot_hits, micros, countries, visitors)
    select website_id, redirect_id, environment, ${day}::date, hits, bot_hits, micros, countries::jsonb, visitors
    from unnest(${redirectKeys(redirects)}, ${counts(tallies, merged)})
      as b (website_id, redirect_id, environment, hits, bot_hits, micros, countries, visitors)
    order by website_id, redirect_id, environment
    on conflict (website_id, redirect_id, environment, day) do update set ${ADDED}`);
}

/** Notes when people last followed these redirects. */
export async function writeActivity(tx: Tx, redirects: RedirectRow[]): Promise<void> {
  if (redirects.length === 0) return;
  await tx.execute(sql`
    insert into redirect_activity as a (website_id, redirect_id, environment, last_hit_at, last_hit_minute)
    select website_id, redirect_id, environment, last_hit_at, date_trunc('minute', last_hit_at)
    from unnest(${redirectKeys(redirects)}, ${times(redirects.map(({ tally }) => tally.lastHitAt))}::timestamptz[])
      as b (website_id, redirect_id, environment, last_hit_at)
    order by website_id, redirect_id, environment
    on conflict (website_id, redirect_id, environment) do update
    set last_hit_at = excluded.last_hit_at, last_hit_minute = excluded.last_hit_minute
    where a.last_hit_at < excluded.last_hit_at`);
}

function redirectKeys(redirects: RedirectRow[]): SQL {
  return sql`${numbers(redirects.map(({ site }) => site.websiteId))}::int[],
    ${numbers(redirects.map(({ redirectId }) => redirectId))}::bigint[],
    ${words(redirects.map(({ site }) => site.environment))}::text[]`;
}

/** hits, bot_hits, micros, countries, visitors */
function counts(tallies: Tally[], merged: MergedDay[]): SQL {
  return sql`${numbers(tallies.map((tally) => tally.hits))}::bigint[], ${numbers(tallies.map((tally) => tally.botHits))}::bigint[],
    ${numbers(tallies.map((tally) => Math.round(tally.micros)))}::bigint[],
    ${texts(merged.map((each) => each.countries))}::text[], ${bytes(merged.map((each) => each.visitors))}::bytea[]`;
}

/** Counts add up; countries and visitors were merged with what was there, and visitors are left alone where nobody new came. */
const ADDED = sql`hits = h.hits + excluded.hits, bot_hits = h.bot_hits + excluded.bot_hits, micros = h.micros + excluded.micros,
  countries = excluded.countries, visitors = case when excluded.visitors = '' then h.visitors else excluded.visitors end`;

function byPlace(rows: StoredRow[]): (StoredDay | undefined)[] {
  const stored: (StoredDay | undefined)[] = [];
  for (const row of rows) stored[row.place - 1] = row;
  return stored;
}
