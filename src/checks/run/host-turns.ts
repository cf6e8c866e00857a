/** Turns of hosts over all processes and accounts: how often a host gets a request, and how many at once. */
import type { Db } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { createBoundedCache } from '../../platform/bounded-cache.ts';
import type { Clock } from '../../platform/clock.ts';
import { createKeyedSemaphore } from '../../platform/scheduling/semaphore.ts';
import { at } from '../check.ts';
import { BlockedFor } from '../probe/request.ts';
import { AT_ONCE, createHostSlots } from './host-slots.ts';

/** After a 429 without Retry-After. */
const DEFAULT_HOLD_SECONDS = 60;
/** The hosts of which a process keeps times. */
const MAX_HOSTS = 20_000;
/** Until the next attempt, while others ask the host. */
const FULL_MS = 250;

export interface TurnsDeps {
  db: Db;
  clock: Clock;
  /** Rejects when the signal aborts. */
  wait: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

export interface Turn {
  host: string;
  /** requests a second; fewer if its robots.txt says so */
  rate: number;
  /** Waits for what else a request needs. */
  enter?: () => Promise<void>;
}

export type HostTurns = ReturnType<typeof createHostTurns>;

export function createHostTurns({ db, clock, wait }: TurnsDeps) {
  const withPermit = createKeyedSemaphore<string>(AT_ONCE);
  const { reserve, release } = createHostSlots({ db, clock });
  /** from robots.txt, in milliseconds */
  const delays = createBoundedCache<number>(MAX_HOSTS);
  /** when this process asks last, so that a turn that comes late does not shorten the gap to the next one */
  const lastAt = createBoundedCache<number>(MAX_HOSTS);

  async function waitUntil(time: number, signal: AbortSignal): Promise<void> {
    const waitMs = time - clock.now().getTime();
    if (waitMs > 0) await wait(waitMs, signal);
  }

  /** Resolves when the request may be sent, to a function that ends its turn. */
  async function begin({ host, rate, enter }: Turn, signal: AbortSignal): Promise<() => void> {
    const gapMs = Math.max(Math.ceil(1_000 / rate), delays.get(host) ?? 0);
    let slot = await reserve({ host, gapMs });
    for (; !slot; slot = await reserve({ host, gapMs })) await wait(FULL_MS, signal);
    const { time, heldUntil } = slot;
    // If the release fails, the lease of the slot ends it.
    const end = (): void => void release({ host, time }).catch(() => {});
    try {
      const heldMs = heldUntil - clock.now().getTime();
      if (heldMs > 0) throw new BlockedFor(Math.ceil(heldMs / 1_000));
      await waitUntil(time, signal);
      await enter?.();
      const next = Math.max(clock.now().getTime(), (lastAt.get(host) ?? 0) + gapMs);
      lastAt.set(host, next);
      await waitUntil(next, signal);
    } catch (error) {
      end();
      throw error;
    }
    return end;
  }

  return {
    /** Waits for a turn. Resolves to a function that ends it. Throws BlockedFor while the host asks to wait. */
    turn(turn: Turn, signal: AbortSignal): Promise<() => void> {
      return new Promise((resolve, reject) => {
        withPermit(turn.host, async () => {
          signal.throwIfAborted();
          const end = await begin(turn, signal);
          await new Promise<void>((ended) => resolve(ended));
          end();
        }).catch(reject);
      });
    },
    slowDown(host: string, seconds: number): void {
      delays.set(host, Math.ceil(1_000 * seconds));
    },
    /** No process asks the host before this time. Null: 60 s. */
    holdOff(host: string, seconds: number | null): void {
      const until = new Date(clock.now().getTime() + 1_000 * (seconds ?? DEFAULT_HOLD_SECONDS));
      const held = db.execute(sql`
        insert into check_hosts as h (host, next_at, held_until) values (${host}, ${at(until)}, ${at(until)})
        on conflict (host) do update set held_until = greatest(h.held_until, excluded.held_until),
          next_at = greatest(h.next_at, excluded.next_at)`);
      // If it fails, the host asks the next request to wait too.
      held.catch(() => {});
    },
  };
}
