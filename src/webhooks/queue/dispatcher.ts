/**
 * Sends due deliveries. Every process runs a dispatcher; claims in the database (claim.ts) divide the work between
 * them.
 */
import type { Registry } from 'prom-client';
import type { Db } from '../../db/connection/client.ts';
import { type Clock, stopwatch } from '../../platform/clock.ts';
import { createLoop } from '../../platform/scheduling/loop.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import type { Egress } from '../../platform/network/egress.ts';
import { createSender } from '../sending/send.ts';
import { createMailSender, type MailServer } from '../sending/send-mail.ts';
import { claimDeliveries, readClaimed, releaseClaims } from './claim.ts';
import { createInFlight } from './in-flight.ts';
import { createDispatcherMetrics, nextDueAt } from './queue-stats.ts';
import { createReclaimer } from './reclaim.ts';

/** Deliveries in flight in this process; their bodies are in memory. */
const MAX_IN_FLIGHT = 2_048;
/**
 * Slots that slow and failing receivers cannot take. A receiver that starts to hang occupies them for SLOW_AFTER_MS
 * only.
 */
const HEALTHY_SLOTS = 512;
const SLOW_SLOTS = MAX_IN_FLIGHT - HEALTHY_SLOTS;
/** Interval of the poll. Commits of this process wake the dispatcher immediately. */
const POLL_MS = 500;
const RETRY_MS = 250;

export interface DispatcherDeps {
  db: Db;
  clock: Clock;
  instanceId: number;
  /** false if other processes consider this one crashed; it claims nothing then */
  isAlive: () => boolean;
  secretBox: SecretBox;
  egress: Egress;
  /** null: mail stays pending */
  mail: MailServer | null;
  /** false: claims and sends nothing, so that deliveries stay pending */
  isSending: boolean;
  metrics: Registry;
  onError: (error: unknown) => void;
  /** of one attempt; default 15 s */
  timeoutMs?: number;
  /** from 0 to below 1, for the jitter of the schedule */
  random?: () => number;
}

export type Dispatcher = ReturnType<typeof createDispatcher>;

export function createDispatcher(deps: DispatcherDeps) {
  const { db, clock, instanceId, egress, isSending, timeoutMs, onError } = deps;
  const sender = createSender({ egress, clock, ...(timeoutMs !== undefined && { timeoutMs }) });
  const mailSender = deps.mail && createMailSender(deps.mail);
  const hasMail = mailSender !== null;
  const measured = createDispatcherMetrics(deps.metrics, { ...deps, hasMail, inFlight: () => inFlight.size() });
  const onDone = (): void => loop.wake();
  const inFlight = createInFlight({
    ...deps,
    random: deps.random ?? Math.random,
    sender,
    mailSender,
    measured,
    onDone,
  });
  const timing = createTiming(deps, () => loop.wake());
  let isStopping = false;

  async function tick(): Promise<void> {
    if (!deps.isAlive() || inFlight.isStuck()) return timing.wakeIn(RETRY_MS);
    try {
      measured.reclaimed.inc(await timing.reclaimLost(inFlight.ids()));
      await claim();
      await timing.scheduleNextDue();
    } catch (error) {
      timing.wakeIn(RETRY_MS);
      throw error;
    }
  }

  async function claim(): Promise<void> {
    const slow = inFlight.slow();
    const max = Math.min(MAX_IN_FLIGHT - inFlight.size(), HEALTHY_SLOTS - (inFlight.size() - slow));
    if (isStopping || max <= 0) return;
    const now = clock.now();
    const maxSlow = Math.max(0, SLOW_SLOTS - slow);
    const ids = await claimDeliveries(db, { instanceId, now, max, maxSlow, hasMail });
    const claimed = await readClaimed(db, instanceId, now, ids);
    if (!isStopping) return inFlight.add(claimed);
    const unsent = claimed.map(({ id }) => id);
    await releaseClaims(db, instanceId, unsent);
  }

  const loop = createLoop({ name: 'sending webhooks', tick, everyMs: POLL_MS, onError });
  return {
    start() {
      if (isSending) loop.start();
    },
    /** Claims due deliveries immediately. To be called after each commit that may have queued some. */
    wake: () => loop.wake(),
    /** Sends a delivery that this process has claimed (a test); resolves when its outcome is written. */
    async sendNow(deliveryId: number) {
      const [claimed] = await readClaimed(db, instanceId, clock.now(), [deliveryId]);
      if (!claimed) throw new Error(`delivery ${deliveryId} is not claimed by this process`);
      await inFlight.send(claimed);
    },
    /** Claims nothing more, waits up to `withinMs` for attempts in flight, then aborts and releases the rest. */
    async stop(withinMs: number) {
      isStopping = true;
      await Promise.all([loop.stop(), inFlight.close(withinMs)]);
      timing.stop();
      await sender.close();
    },
  };
}

function createTiming({ db, clock, instanceId }: DispatcherDeps, wake: () => void) {
  const reclaimer = createReclaimer(db, instanceId);
  let reclaimedAt = -Infinity;
  let isNextDueScheduled = false;
  let timer: NodeJS.Timeout | undefined;
  let wakeAt = Infinity;

  /** Wakes the loop in `ms` milliseconds, unless it is to wake earlier. */
  function wakeIn(ms: number): void {
    if (stopwatch() + ms >= wakeAt) return;
    clearTimeout(timer);
    wakeAt = stopwatch() + ms;
    timer = setTimeout(() => {
      wakeAt = Infinity;
      isNextDueScheduled = false;
      wake();
    }, ms);
  }

  return {
    wakeIn,
    stop: () => clearTimeout(timer),
    /** Reclaims lost deliveries, at most every POLL_MS, and returns how many. */
    async reclaimLost(inFlight: Iterable<number>): Promise<number> {
      if (stopwatch() - reclaimedAt < POLL_MS) return 0;
      const count = await reclaimer.reclaim(clock.now(), inFlight);
      reclaimedAt = stopwatch();
      isNextDueScheduled = false;
      return count;
    },
    /** Wakes the loop when the next delivery is due, if that is before the next poll. */
    async scheduleNextDue(): Promise<void> {
      if (isNextDueScheduled) return;
      const now = clock.now();
      const due = await nextDueAt(db, now);
      isNextDueScheduled = true;
      const ms = due === null ? Infinity : due.getTime() - now.getTime();
      if (ms < POLL_MS) wakeIn(ms);
    },
  };
}
