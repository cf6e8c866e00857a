/** Writes a batch's redirects: most of them in one way, those that were followed much in another. */
import type { Tx } from '../db/client.ts';
import { createPlainDays } from './add-plain-days.ts';
import type { Batch, RedirectRow } from './batches.ts';
import type { CrowdedRedirects } from './crowded-redirects.ts';
import { addRedirectDays, type RedirectDay } from './write-days.ts';

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
  const { visitors } = day.tally;
  return { ...day, tally: { hits: 0, botHits: 0, micros: 0, countries: new Map(), visitors } };
}
