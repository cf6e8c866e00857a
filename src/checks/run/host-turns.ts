/**
 * Turns of hosts over all processes and accounts: how often, and how many at once. A process reserves a time in the
 * database before each request, and releases it after the response; those of a moment in one statement.
 */
import type { Db } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import { createBoundedCache } from '../../platform/bounded-cache.ts';
import type { Clock } from '../../platform/clock.ts';
import { createBatcher } from '../../platform/scheduling/batcher.ts';
import { createKeyedSemaphore } from '../../platform/scheduling/semaphore.ts';
import { at } from '../check.ts';
import { BlockedFor } from '../probe/request.ts';

/** After a 429 without Retry-After. */
const DEFAULT_HOLD_SECONDS = 60;
/** Requests to a host at once. */
export const AT_ONCE = 2;
/** A request ends after 10 s. What a killed process has reserved ends by itself. */
const LEASE = sql.raw(`interval '15 seconds'`);
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

/** Times in Unix milliseconds; `time` identifies it among those of its host. */
interface Slot {
  time: number;
  heldUntil: number;
}

export type HostTurns = ReturnType<typeof createHostTurns>;

export function createHostTurns({ db, clock, wait }: TurnsDeps) {
  const withPermit = createKeyedSemaphore<string>(AT_ONCE);
  const reserve = createBatcher((wanted: Wanted[]) => reserveSlots(db, clock.now(), wanted));
  const release = createBatcher((slots: Released[]) => releaseSlots(db, slots));
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

type Wanted = { host: string; gapMs: number };
type Released = { host: string; time: number };

/** Undefined for a host that has enough requests in flight, and for all but the first of a host. */
async function reserveSlots(db: Db, now: Date, wanted: Wanted[]): Promise<(Slot | undefined)[]> {
  const first = new Map<string, Wanted>();
  for (const one of wanted) if (!first.has(one.host)) first.set(one.host, one);
  const rows = await queryRows<{ host: string; nextAt: string; heldUntil: string | null }>(db)`
    insert into check_hosts as h (host, next_at, in_flight)
    select v.host, ${at(now)} + v.gap * interval '1 millisecond', array[${at(now)} + ${LEASE}]
    from unnest(${sql.param([...first.keys()])}::text[],
      ${sql.param([...first.values()].map(({ gapMs }) => gapMs))}::int[]) as v(host, gap)
    order by v.host collate "C"
    on conflict (host) do update set next_at = greatest(h.next_at, ${at(now)}) + (excluded.next_at - ${at(now)}),
      in_flight = array(select t from unnest(h.in_flight) t where t > ${at(now)})
        || greatest(h.next_at, ${at(now)}) + ${LEASE}
    where (select count(*) from unnest(h.in_flight) t where t > ${at(now)}) < ${AT_ONCE}
    returning host, next_at, held_until`;
  const slots = new Map<string, Slot>();
  for (const { host, nextAt, heldUntil } of rows) {
    const time = Date.parse(nextAt) - (first.get(host)?.gapMs ?? 0);
    slots.set(host, { time, heldUntil: heldUntil === null ? 0 : Date.parse(heldUntil) });
  }
  return wanted.map((one) => (first.get(one.host) === one ? slots.get(one.host) : undefined));
}

async function releaseSlots(db: Db, slots: Released[]): Promise<undefined[]> {
  // The rows are locked in the order of reservations, so that no two processes wait for each other.
  await db.execute(sql`
    update check_hosts h set in_flight = array(select t from unnest(h.in_flight) t where t <> all(v.ends))
    from (
      select c.host, s.ends from check_hosts c join (
        select host, array_agg(time + ${LEASE}) as ends
        from unnest(${sql.param(slots.map(({ host }) => host))}::text[],
          ${sql.param(slots.map(({ time }) => new Date(time).toISOString()))}::timestamptz[]) as u(host, time)
        group by host) s on s.host = c.host
      order by c.host for update of c) v
    where h.host = v.host`);
  return [];
}
