/** Writes a batch's redirects: most of them in one way, those that were followed much in another. */
import { ENVIRONMENTS } from '../vocabulary/environment.ts';
import type { Tx } from '../db/client.ts';
import { createPlainDays } from './add-plain-days.ts';
import type { Batch, RedirectRow } from './batches.ts';
import { addRedirectDays, type RedirectDay } from './write-days.ts';

/** A number that no other redirect has, nor the same one in another environment. */
export function redirectKey({ site, place }: RedirectRow): number {
  return site.redirects.redirectIdAt(place) * ENVIRONMENTS.length + ENVIRONMENTS.indexOf(site.environment);
}

/** Redirects whose visitors of a day are known to be an estimate: to try the plain way first would be in vain. */
export interface CrowdedRedirects {
  has(day: string, row: RedirectRow): boolean;
  add(day: string, rows: RedirectRow[]): void;
}

const MOST_CROWDED = 200_000;

export function createCrowdedRedirects(): CrowdedRedirects {
  const keys = new Set<number>();
  let current = '';
  return {
    has: (day, row) => day === current && keys.has(redirectKey(row)),
    add(day, rows) {
      if (day !== current || keys.size > MOST_CROWDED) keys.clear();
      current = day;
      for (const row of rows) keys.add(redirectKey(row));
    },
  };
}

/** Adds the redirects' counts. Part of a transaction in which nobody else writes those websites. */
export async function writeRedirects(
  tx: Tx,
  { day, redirects }: Batch,
  crowded: CrowdedRedirects,
): Promise<void> {
  const plain = createPlainDays();
  const merged: RedirectDay[] = [];
  redirects.forEach((row) => {
    const tally = crowded.has(day, row) ? undefined : row.site.redirects.plainAt(row.place);
    if (tally) plain.add(row, tally);
    else merged.push(dayOf(row));
  });
  const unnoted = await plain.write(tx, day);
  crowded.add(day, unnoted);
  await addRedirectDays(tx, day, [...merged, ...unnoted.map(visitorsOf)]);
}

function dayOf({ site, place }: RedirectRow): RedirectDay {
  const { websiteId, environment, redirects } = site;
  return {
    websiteId,
    environment,
    redirectId: redirects.redirectIdAt(place),
    tally: redirects.tallyAt(place),
  };
}

/** What is left to be added of a row whose hits are counted. */
function visitorsOf(row: RedirectRow): RedirectDay {
  const day = dayOf(row);
  const { lastHitAt, visitors } = day.tally;
  const nothing = { hits: 0, botHits: 0, micros: 0, country: 0, countryHits: 0, countries: null };
  return { ...day, tally: { ...nothing, lastHitAt, visitors } };
}
