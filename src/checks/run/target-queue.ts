/** The targets of a check that are due, in memory: some of each host, so that a slow host does not delay others. */
import type { Queryable } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import type { checkTargets } from '../../db/schema/checks.ts';
import { at } from '../check.ts';

const PAGE = 4_000;
/** Targets of a host in memory: more than it is asked within a second. */
const PER_HOST = 16;
/** Targets in memory: a check may have a million hosts. */
const MAX_TARGETS = 20_000;

export type QueuedTarget = Pick<
  typeof checkTargets.$inferSelect,
  'n' | 'url' | 'host' | 'isOwn' | 'tries' | 'state' | 'reason' | 'before' | 'expectedStatus' | 'expectedLocation'
> & { waitingSince: Date | null };

type Row = Omit<QueuedTarget, 'waitingSince'> & { waitingSince: string | null };

/** `atOnce`: targets of a host that are taken and not written yet. */
export function createTargetQueue(db: Queryable, checkId: string, atOnce: number) {
  const waiting = new Map<string, QueuedTarget[]>();
  /** taken ones by number, with their host */
  const taken = new Map<number, string>();
  const takenOf = new Map<string, number>();

  const countOf = (host: string): number => (waiting.get(host)?.length ?? 0) + (takenOf.get(host) ?? 0);

  return {
    /** Reads targets that are due, the heaviest of each host first, except of hosts that have enough. False if none is due. */
    async refill(now: Date): Promise<boolean> {
      const known = [...taken.keys(), ...[...waiting.values()].flatMap((targets) => targets.map(({ n }) => n))];
      if (known.length >= MAX_TARGETS) return true;
      const hosts = new Set([...waiting.keys(), ...takenOf.keys()]);
      const full = [...hosts].filter((host) => countOf(host) >= PER_HOST);
      const rows = await queryRows<Row>(db)`
        select n, url, host, is_own, tries, state, reason, before, waiting_since, expected_status, expected_location
        from (
          select t.*, row_number() over (partition by host order by n) as turn from check_targets t
          where check_id = ${checkId} and due_at <= ${at(now)} and n <> all(${sql.param(known)}::int[])
            and host <> all(${sql.param(full)}::text[])) t
        order by turn, n limit ${PAGE}`;
      for (const row of rows) {
        // A host may fill up within the page; the others are read again.
        if (countOf(row.host) >= PER_HOST) continue;
        const target = { ...row, waitingSince: row.waitingSince === null ? null : new Date(row.waitingSince) };
        const targets = waiting.get(row.host);
        if (targets) targets.push(target);
        else waiting.set(row.host, [target]);
      }
      return rows.length > 0;
    },
    /** Takes a target whose host has fewer than `atOnce` taken ones; undefined if no host has. */
    take(): QueuedTarget | undefined {
      for (const [host, targets] of waiting) {
        if ((takenOf.get(host) ?? 0) >= atOnce) continue;
        const target = targets.shift();
        if (targets.length === 0) waiting.delete(host);
        if (!target) continue;
        taken.set(target.n, host);
        takenOf.set(host, (takenOf.get(host) ?? 0) + 1);
        return target;
      }
      return undefined;
    },
    /** Another target of the host may be taken. The number is known until `forget`. */
    answered({ host }: QueuedTarget): void {
      const left = (takenOf.get(host) ?? 1) - 1;
      if (left === 0) takenOf.delete(host);
      else takenOf.set(host, left);
    },
    /** After its result is written, so that it is not read again before. */
    forget(n: number): void {
      taken.delete(n);
    },
  };
}
