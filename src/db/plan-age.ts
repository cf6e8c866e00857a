import type { PoolClient } from 'pg';

const MAX_PLAN_AGE_MS = 10_000;
const plannedAt = new WeakMap<PoolClient, number>();

/**
 * Discards the connection's plans if they are old: PostgreSQL keeps a plan until the next ANALYZE, even if the table has
 * grown from nothing to a million rows. Queues the command before the next query of the connection.
 */
export function discardOldPlans(client: PoolClient, nowMs: number): void {
  const age = nowMs - (plannedAt.get(client) ?? -Infinity);
  if (age < MAX_PLAN_AGE_MS) return;
  plannedAt.set(client, nowMs);
  // A new connection has no plans. A failed one fails its next query too.
  if (age !== Infinity) client.query('discard plans').catch(() => {});
}
