/** Compares what a follower of a feed has with what is live, and waits for something newer. */
import type { Db } from '../../db/connection/client.ts';
import { isSameVersion } from '../../deployments/live/database/history.ts';
import type { LiveSite } from '../../deployments/live/live-registry.ts';
import type { Rulesets } from '../../deployments/live/rulesets.ts';
import { stopwatch } from '../../platform/clock.ts';
import { optionsChecksum } from './feed-head.ts';
import { servedVersion } from './served-version.ts';
import type { VersionWait, VersionWaits } from './version-waits.ts';

/**
 * `history` is undefined for a follower of an earlier release. `options` is the checksum of the options that the follower
 * has; undefined: they are of no interest to it.
 */
export interface FollowerState {
  version: number;
  history: string | undefined;
  options: string | undefined;
}

/** True if the live version or the options differ from those of the follower. */
export function hasNews(live: LiveSite, { version, history = live.rules.history, options }: FollowerState): boolean {
  return (
    !isSameVersion(live.rules, { version, history }) || (options !== undefined && optionsChecksum(live) !== options)
  );
}

/**
 * Waits until the follower lacks something, for at most `waitMs`. Returns what is live then. Throws WEBSITE_NOT_FOUND
 * if the website is deleted, BUSY, and what `recheck` throws.
 */
export async function awaitNews(
  { db, rulesets, versionWaits }: { db: Db; rulesets: Rulesets; versionWaits: VersionWaits },
  site: Pick<VersionWait, 'accountId' | 'websiteId' | 'environment'>,
  follower: FollowerState,
  { waitMs, ...request }: { waitMs: number } & Pick<VersionWait, 'recheck' | 'signal'>,
): Promise<LiveSite> {
  const deadline = stopwatch() + waitMs;
  const { websiteId, environment } = site;
  for (;;) {
    const live = await servedVersion(db, rulesets, site);
    const timeoutMs = deadline - stopwatch();
    if (hasNews(live, follower) || timeoutMs <= 0) return live;
    const inMemory = (): boolean => {
      const current = rulesets.live(websiteId, environment);
      return !current || hasNews(current, follower);
    };
    const isWoken = await versionWaits.wait({ ...site, hasNews: inMemory, timeoutMs, ...request });
    if (!isWoken) return live;
  }
}
