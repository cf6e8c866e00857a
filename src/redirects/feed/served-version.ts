/** The live version that this process serves, once the database confirms it. */
import type { Db } from '../../db/connection/client.ts';
import { isSameVersion } from '../../deployments/live/database/history.ts';
import { readLive } from '../../deployments/live/database/live.ts';
import type { LiveSite } from '../../deployments/live/live-registry.ts';
import type { Rulesets } from '../../deployments/live/rulesets.ts';
import { stopwatch } from '../../platform/clock.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { busy } from '../../vocabulary/error.ts';
import { websiteNotFound } from '../../websites/website.ts';

/** The first load of a large version takes seconds. */
const MAX_LAG_MS = 10_000;
const RETRY_SECONDS = 5;

/**
 * Returns the live version from memory if it is that of the database. Otherwise it catches up first, or waits for the
 * commit of the version. Throws WEBSITE_NOT_FOUND for a website without a live pointer, and BUSY after 10 s.
 */
export async function servedVersion(
  db: Db,
  rulesets: Rulesets,
  { websiteId, environment }: { websiteId: number; environment: Environment },
): Promise<LiveSite> {
  const deadline = stopwatch() + MAX_LAG_MS;
  for (;;) {
    const stored = (await readLive(db, [websiteId])).find((row) => row.environment === environment);
    if (!stored) throw websiteNotFound(websiteId);
    const live = rulesets.live(websiteId, environment);
    if (live && isSameVersion(live.rules, { ...stored, version: stored.liveVersion })) return live;
    if (stopwatch() > deadline)
      throw busy('The process is still reading the live version; retry after the Retry-After delay', RETRY_SECONDS);
    if (live) await rulesets.refreshRules(websiteId, environment);
    else await rulesets.refreshSite(websiteId);
  }
}
