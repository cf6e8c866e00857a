/**
 * Times of hosts, reserved in the database before each request and released after the response. Those of a moment are one
 * statement.
 */
import type { Db } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import type { Clock } from '../../platform/clock.ts';
import { at } from '../check.ts';

/** Requests to a host at once. */
export const AT_ONCE = 2;
/** A request ends after 10 s. What a killed process has reserved ends by itself. */
const LEASE = sql.raw(`interval '15 seconds'`);

/** Times in Unix milliseconds; `time` identifies it among those of its host. */
interface Slot {
  time: number;
  heldUntil: number;
}

type Wanted = { host: string; gapMs: number };
type Released = { host: string; time: number };

/** `reserve` resolves to undefined if the host has enough requests in flight: try again later. */
export function createHostSlots({ db, clock }: { db: Db; clock: Clock }) {
  return {
    reserve: createBatcher((wanted: Wanted[]) => reserveSlots(db, clock.now(), wanted)),
    release: createBatcher((slots: Released[]) => releaseSlots(db, slots)),
  };
}

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

/**
 * Collects the items of callers of a moment, and works on them at once. One batch is worked on at a time. A call fails as
 * its batch does.
 */
function createBatcher<Item, Result>(work: (items: Item[]) => Promise<Result[]>) {
  let waiting: { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void }[] = [];
  let isWorking = false;

  async function workOnAll(): Promise<void> {
    isWorking = true;
    await new Promise(setImmediate);
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      await work(batch.map(({ item }) => item)).then(
        (results) => batch.forEach(({ resolve }, index) => resolve(results[index] as Result)),
        (error: unknown) => batch.forEach(({ reject }) => reject(error)),
      );
    }
    isWorking = false;
  }

  return (item: Item): Promise<Result> =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!isWorking) void workOnAll();
    });
}
