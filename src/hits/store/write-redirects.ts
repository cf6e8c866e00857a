/** Writes a batch's redirects: most of them in one way, those that were followed much in another. */
import type { Tx } from '../../db/client.ts';
import { createDayIncrements } from './increment-days.ts';
import { type Batch, type RedirectRow, redirectKey } from '../count/batches.ts';
import { addRedirectDays, type RedirectDay } from './write-days.ts';

/** Adds the redirects' counts. Part of a transaction in which nobody else writes those websites. */
export async function writeRedirects(
  tx: Tx,
  { day, redirects }: Batch,
  crowded: SaturatedRedirects,
): Promise<void> {
  const plain = createDayIncrements();
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

/** Redirects whose visitors of a day are known to be an estimate: to try the plain way first would be in vain. */
export interface SaturatedRedirects {
  has(day: string, row: RedirectRow): boolean;
  add(day: string, rows: RedirectRow[]): void;
}

const MOST_CROWDED = 200_000;

export function createSaturatedRedirects(): SaturatedRedirects {
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
