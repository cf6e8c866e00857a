/**
 * Sends what is due. Every process runs one; the database says whose each delivery is (claim.ts), so that any number of them
 * send each delivery once and a receiver never gets more at a time than its limit.
 */
import type { Registry } from 'prom-client';
import type { Db } from '../../db/client.ts';
import type { Clock } from '../../platform/clock.ts';
import { createLoop } from '../../platform/loop.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import { createWakeTimer } from './wake-timer.ts';
import { claimDeliveries, readClaimed, releaseClaims } from './claim.ts';
import { createDispatcherMetrics, nextDueAt } from './queue-stats.ts';
import type { Egress } from '../sending/egress.ts';
import { createInFlight } from './in-flight.ts';
import { createReclaimer } from './reclaim.ts';
import { createSender } from '../sending/send.ts';

/** Most deliveries in this process's hands; their bodies are in memory. */
const MOST_HELD = 2_048;
/**
 * Of these the receivers that answer at once have so many to themselves, however many others hang or fail. One that begins to
 * hang counts as quick for half a second; its attempts are among the slow ones from then on.
 */
const MOST_QUICK = 512;
const MOST_SLOW = MOST_HELD - MOST_QUICK;
/** How often a process looks by itself; its own commits poke it at once. */
const POLL_MS = 500;
const RETRY_MS = 250;

export interface DispatcherDeps {
  db: Db;
  clock: Clock;
  instanceId: number;
  /** whether this process still counts as alive for others; without that it claims nothing */
  isAlive: () => boolean;
  secretBox: SecretBox;
  egress: Egress;
  metrics: Registry;
  onError: (error: unknown) => void;
  /** of one attempt; 15 s unless a test is in a hurry */
  timeoutMs?: number;
  /** 0 to below 1, for the schedule's jitter */
  random?: () => number;
}

export interface Dispatcher {
  start(): void;
  /** To be called after each commit that may have queued something: what is due is claimed at once. */
  poke(): void;
  /** Sends a delivery that this process holds in the database already (a test); resolves when its outcome is written. */
  sendNow(deliveryId: number): Promise<void>;
  /** Claims nothing more; attempts under way have so long, then they are broken off and given back. */
  stop(withinMs: number): Promise<void>;
}

export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { db, clock, instanceId, egress, timeoutMs, onError } = deps;
  const sender = createSender({ egress, clock, ...(timeoutMs !== undefined && { timeoutMs }) });
  const measured = createDispatcherMetrics(deps.metrics, { db, clock, inFlight: () => inHand.size() });
  const onDone = (): void => loop.wake();
  const inHand = createInFlight({ ...deps, random: deps.random ?? Math.random, sender, measured, onDone });
  const watch = createWatch(deps, () => loop.wake());
  let stopping = false;

  async function tick(): Promise<void> {
    if (!deps.isAlive() || inHand.isStuck()) return watch.lookAgainIn(RETRY_MS);
    try {
      measured.reclaimed.inc(await watch.takeBackLost(inHand.ids()));
      await claim();
      await watch.sleepUntilDue();
    } catch (error) {
      watch.lookAgainIn(RETRY_MS);
      throw error;
    }
  }

  async function claim(): Promise<void> {
    const slow = inHand.slow();
    const max = Math.min(MOST_HELD - inHand.size(), MOST_QUICK - (inHand.size() - slow));
    if (stopping || max <= 0) return;
    const now = clock.now();
    const maxSlow = Math.max(0, MOST_SLOW - slow);
    const ids = await claimDeliveries(db, { instanceId, now, max, maxSlow });
    const claimed = await readClaimed(db, instanceId, now, ids);
    if (!stopping) return inHand.take(claimed);
    const unsent = claimed.map(({ id }) => id);
    await releaseClaims(db, instanceId, unsent);
  }

  const loop = createLoop(tick, POLL_MS, onError);
  return {
    start: () => loop.start(),
    poke: () => loop.wake(),
    async sendNow(deliveryId) {
      const [claimed] = await readClaimed(db, instanceId, clock.now(), [deliveryId]);
      if (!claimed) throw new Error(`delivery ${deliveryId} is not held by this process`);
      await inHand.send(claimed);
    },
    async stop(withinMs) {
      stopping = true;
      await Promise.all([loop.stop(), inHand.close(withinMs)]);
      watch.stop();
      await sender.close();
    },
  };
}

interface Watch {
  /** Twice a second at most: what nobody is sending any more is pending again. Answers how many that were. */
  takeBackLost(held: Iterable<number>): Promise<number>;
  /** Wakes when the next delivery is due. The poll comes anyway, so only what is due before needs it. */
  sleepUntilDue(): Promise<void>;
  lookAgainIn(ms: number): void;
  stop(): void;
}

function createWatch({ db, clock, instanceId }: DispatcherDeps, wake: () => void): Watch {
  const reclaimer = createReclaimer(db, instanceId);
  let lookedAt = -Infinity;
  let isDueKnown = false;
  const alarm = createWakeTimer(() => {
    isDueKnown = false;
    wake();
  });
  return {
    async takeBackLost(held) {
      if (performance.now() - lookedAt < POLL_MS) return 0;
      const count = await reclaimer.look(clock.now(), held);
      lookedAt = performance.now();
      isDueKnown = false;
      return count;
    },
    async sleepUntilDue() {
      if (isDueKnown) return;
      const now = clock.now();
      const due = await nextDueAt(db, now);
      isDueKnown = true;
      const ms = due === null ? Infinity : due.getTime() - now.getTime();
      if (ms < POLL_MS) alarm.in(ms);
    },
    lookAgainIn: (ms) => alarm.in(ms),
    stop: () => alarm.off(),
  };
}
