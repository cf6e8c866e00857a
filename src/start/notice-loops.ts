/** Periodic work of notices. Several processes may run each at a time. */
import type { Db } from '../db/connection/client.ts';
import type { Jobs } from '../http/jobs.ts';
import { type Looked, raise, reportCounted, reportSignals } from '../notices/raise.ts';
import type { MessageDeps } from '../notices/queue-message.ts';
import { laggingAgents } from '../notices/watch/agents.ts';
import { findBursts } from '../notices/watch/bursts.ts';
import { endingApiKeys, endingRedirects } from '../notices/watch/ends-soon.ts';
import { failingExpectations, liveLoops } from '../notices/watch/live-rules.ts';
import { lookForLostUrls } from '../notices/watch/lost-urls.ts';
import { nearQuotas } from '../notices/watch/quotas.ts';
import { sendDigest } from '../notices/watch/weekly.ts';
import { createLoop, type Loop } from '../platform/scheduling/loop.ts';

const SIGNALS_MS = 2_000;
const WATCH_MS = 30_000;
const LOST_URLS_MS = 20_000;
const MAX_TICK_MS = 600_000;

const WATCHES = [findBursts, endingRedirects, endingApiKeys, liveLoops, failingExpectations, laggingAgents, nearQuotas];

interface NoticeLoopDeps {
  db: Db;
  jobs: Pick<Jobs, 'countLostUrls'>;
  /** with the time at the call */
  message: () => MessageDeps;
  committed: () => void;
}

export function createNoticeLoops(
  { db, jobs, message, committed }: NoticeLoopDeps,
  onError: (error: unknown) => void,
): Loop[] {
  /** While more waits, the next tick follows at once. */
  function createReporting(name: string, everyMs: number, tick: () => Promise<Looked>): Loop {
    const loop = createLoop({
      ...{ name, everyMs, onError, maxTickMs: MAX_TICK_MS },
      async tick() {
        const looked = await tick();
        if (looked !== 'idle') committed();
        if (looked === 'more') loop.wake();
      },
    });
    return loop;
  }
  return [
    createReporting('reporting signals', SIGNALS_MS, () => reportSignals(db, message())),
    createReporting('watching for notices', WATCH_MS, async () => {
      let isNotified = false;
      for (const find of WATCHES) {
        const found = await find(db, message().now);
        if (found.length > 0) await db.transaction((tx) => raise(tx, found, message()));
        isNotified ||= found.length > 0;
      }
      const looked = await reportCounted(db, message());
      return looked === 'idle' && isNotified ? 'sent' : looked;
    }),
    createReporting('watching for lost URLs', LOST_URLS_MS, () =>
      lookForLostUrls(db, (actor, place) => jobs.countLostUrls(actor, place), message()),
    ),
    createReporting('sending digests', WATCH_MS, () => sendDigest(db, message())),
  ];
}
