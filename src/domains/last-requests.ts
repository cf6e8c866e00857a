/** The time of the last request of each host, to the minute. */
import type { Db } from '../db/connection/client.ts';
import { sql } from '../db/drizzle.ts';
import { createLoop, type Loop } from '../platform/scheduling/loop.ts';

const EVERY_MS = 60_000;

/**
 * Stores every minute, and when it stops, which hosts visitors have requested. If the database is away, the requests of
 * that minute are not stored.
 */
export function createLastRequestLoop(
  db: Db,
  registry: { takeRequested: () => string[] },
  onError: (error: unknown) => void,
): Loop {
  const tick = (): Promise<void> => writeLastRequests(db, registry.takeRequested());
  const loop = createLoop({ name: 'last requests of hosts', everyMs: EVERY_MS, onError, tick });
  return {
    ...loop,
    async stop() {
      await loop.stop();
      await tick();
    },
  };
}

/** Stores the current minute as the last request of the hosts. Skips hosts that another process is writing. */
export async function writeLastRequests(db: Db, hostnames: string[]): Promise<void> {
  if (hostnames.length === 0) return;
  await db.execute(sql`
    with requested as (
      select website_id, hostname from website_hosts
      where verified and hostname = any(${sql.param(hostnames)}::text[])
        and (last_request_at is null or last_request_at < date_trunc('minute', now()))
      for no key update skip locked)
    update website_hosts h set last_request_at = date_trunc('minute', now()) from requested r
    where h.website_id = r.website_id and h.hostname = r.hostname`);
}
