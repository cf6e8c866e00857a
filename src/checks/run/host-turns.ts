/**
 * Turns of hosts over all processes and accounts. A process reserves times in the database, those of all its waiting
 * requests in one statement; a reservation that is not used is lost.
 */
import type { Db } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import type { Clock } from '../../platform/clock.ts';
import { createKeyedSemaphore } from '../../platform/scheduling/semaphore.ts';
import { at } from '../check.ts';
import { BlockedFor } from '../probe/request.ts';

/** After a 429 without Retry-After. */
const DEFAULT_HOLD_SECONDS = 60;
/** Requests of this process to a host at once. */
export const AT_ONCE = 2;

export interface TurnsDeps {
  db: Db;
  clock: Clock;
  /** Rejects when the signal aborts. */
  wait: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/** In Unix milliseconds. */
interface Slot {
  time: number;
  heldUntil: number;
}

interface Waiter {
  host: string;
  gapMs: number;
  grant: (slot: Slot) => void;
  fail: (error: unknown) => void;
}

/** Reserves times of hosts in the database, those of all callers of a moment in one statement. */
function createReservations({ db, clock }: Pick<TurnsDeps, 'db' | 'clock'>) {
  let waiting: Waiter[] = [];
  let isReserving = false;

  async function reserveAll(): Promise<void> {
    isReserving = true;
    await new Promise(setImmediate);
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      await reserveBatch(batch).catch((error: unknown) => batch.forEach(({ fail }) => fail(error)));
    }
    isReserving = false;
  }

  async function reserveBatch(batch: Waiter[]): Promise<void> {
    const now = clock.now();
    const byHost = [...Map.groupBy(batch, ({ host }) => host)];
    const spanOf = (waiters: Waiter[]): number => waiters.reduce((sum, { gapMs }) => sum + gapMs, 0);
    const rows = await queryRows<{ host: string; nextAt: string; heldUntil: string | null }>(db)`
      insert into check_hosts as h (host, next_at)
      select v.host, ${at(now)} + v.span * interval '1 millisecond'
      from unnest(${sql.param(byHost.map(([host]) => host))}::text[],
        ${sql.param(byHost.map(([, waiters]) => spanOf(waiters)))}::int[]) as v(host, span)
      order by v.host collate "C"
      on conflict (host) do update set next_at = greatest(h.next_at, ${at(now)}) + (excluded.next_at - ${at(now)})
      returning host, next_at, held_until`;
    const rowOf = new Map(rows.map((row) => [row.host, row]));
    for (const [host, waiters] of byHost) {
      const row = rowOf.get(host);
      if (!row) throw new Error(`no turn of ${host}`);
      let time = Date.parse(row.nextAt) - spanOf(waiters);
      for (const waiter of waiters) {
        waiter.grant({ time, heldUntil: row.heldUntil === null ? 0 : Date.parse(row.heldUntil) });
        time += waiter.gapMs;
      }
    }
  }

  return (host: string, gapMs: number): Promise<Slot> =>
    new Promise((grant, fail) => {
      waiting.push({ host, gapMs, grant, fail });
      if (!isReserving) void reserveAll();
    });
}

export type HostTurns = ReturnType<typeof createHostTurns>;

export function createHostTurns({ db, clock, wait }: TurnsDeps) {
  const withPermit = createKeyedSemaphore<string>(AT_ONCE);
  const reserve = createReservations({ db, clock });
  /** from robots.txt, in milliseconds */
  const delays = new Map<string, number>();

  async function awaitTurn(host: string, rate: number, signal: AbortSignal): Promise<void> {
    const gapMs = Math.max(Math.ceil(1_000 / rate), delays.get(host) ?? 0);
    const { time, heldUntil } = await reserve(host, gapMs);
    const now = clock.now().getTime();
    if (heldUntil > now) throw new BlockedFor(Math.ceil((heldUntil - now) / 1_000));
    if (time > now) await wait(time - now, signal);
  }

  return {
    /**
     * Waits for a turn at `rate` requests a second, or fewer if its robots.txt says so. Resolves to a function that ends
     * the turn. Throws BlockedFor while the host asks to wait.
     */
    turn(host: string, rate: number, signal: AbortSignal): Promise<() => void> {
      return new Promise((resolve, reject) => {
        withPermit(host, async () => {
          signal.throwIfAborted();
          await awaitTurn(host, rate, signal);
          await new Promise<void>((end) => resolve(end));
        }).catch(reject);
      });
    },
    slowDown(host: string, seconds: number): void {
      delays.set(host, 1_000 * seconds);
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
