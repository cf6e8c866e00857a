import { redirectKey, type RedirectRow } from './batches.ts';

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
