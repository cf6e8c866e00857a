/** Followers of a relay that wait for a newer version, bounded in number. */
import type { LiveRegistry } from '../../deployments/live/live-registry.ts';
import { busy } from '../../vocabulary/error.ts';

/** Requests of followers at a time, waiting or being sent. */
const MAX_FOLLOWERS = 4_000;
const RETRY_SECONDS = 10;

export type RelayWaits = ReturnType<typeof createRelayWaits>;

export function createRelayWaits(registry: Pick<LiveRegistry, 'observe'>, maxFollowers = MAX_FOLLOWERS) {
  const waiting = new Map<number, Set<() => void>>();
  let followers = 0;
  let isStopped = false;
  const wake = (ofWebsite: Set<() => void> | undefined): void => {
    for (const resolve of [...(ofWebsite ?? [])]) resolve();
  };
  registry.observe((websiteId) => wake(waiting.get(websiteId)));

  return {
    followers: () => followers,
    isStopped: () => isStopped,
    /** Counts a follower while `work` runs. Throws BUSY above the limit. */
    async withFollower(work: () => Promise<void>): Promise<void> {
      if (followers >= maxFollowers)
        throw busy(`At most ${maxFollowers} followers have requests at this relay; retry later`, RETRY_SECONDS);
      followers++;
      await work().finally(() => followers--);
    },
    /** Resolves after a change of the website, after `ms`, when the signal aborts, and when the relay stops. */
    wait(websiteId: number, ms: number, signal: AbortSignal): Promise<void> {
      if (isStopped || signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const ofWebsite = waiting.get(websiteId) ?? new Set();
        waiting.set(websiteId, ofWebsite);
        const done = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', done);
          ofWebsite.delete(done);
          if (ofWebsite.size === 0 && waiting.get(websiteId) === ofWebsite) waiting.delete(websiteId);
          resolve();
        };
        const timer = setTimeout(done, ms);
        signal.addEventListener('abort', done);
        ofWebsite.add(done);
      });
    },
    stop(): void {
      isStopped = true;
      for (const ofWebsite of [...waiting.values()]) wake(ofWebsite);
    },
  };
}
