import type { Queryable } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { DomainError } from '../../vocabulary/error.ts';
import { readLive } from '../live/database/live.ts';
import { differenceSql, type RulesPointer } from '../live/database/rules-sql.ts';

/** The most live rules that a deployment may remove: a count, or a share of the live rules in percent. */
export type MaxRemovals = { count: number } | { percent: number };

/**
 * Throws TOO_MANY_REMOVALS if a deployment of the rules `to` would remove more live rules than the request allows. Costs
 * the difference between the two versions. A rule whose content changes is not removed.
 */
export async function assertRemovals(
  tx: Queryable,
  { websiteId, environment }: { websiteId: number; environment: Environment },
  to: RulesPointer,
  max: MaxRemovals,
): Promise<void> {
  const live = (await readLive(tx, [websiteId])).find((row) => row.environment === environment);
  if (!live || live.liveVersion === 0) return;
  const [row] = await queryRows<{ removed: number }>(tx)`
    ${sql.raw(differenceSql(websiteId, live, to))}
    select count(*)::int as removed from b left join a on a.id = b.id where a.id is null`;
  const removed = row?.removed ?? 0;
  const total = live.redirectCount;
  const limit = 'count' in max ? max.count : (max.percent / 100) * total;
  if (removed <= limit) return;
  const allowed = 'count' in max ? max.count.toLocaleString('en') : `${max.percent} %`;
  throw new DomainError('TOO_MANY_REMOVALS', 'The deployment would remove too many redirects', {
    details: `max_removals: ${removed.toLocaleString('en')} of ${total.toLocaleString('en')} live rules of ${environment} would be removed, and ${allowed} may be; check the difference, then send a higher max_removals or none`,
  });
}
