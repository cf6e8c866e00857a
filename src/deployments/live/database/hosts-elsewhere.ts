/**
 * Hosts that other websites have below the wildcards of a process with part of the websites. Without them, the wildcard
 * would answer their visitors.
 */
import type { Queryable } from '../../../db/connection/client.ts';
import { sql } from '../../../db/drizzle.ts';
import { queryRows } from '../../../db/rows.ts';
import type { EdgePart } from '../../../platform/config/config.ts';
import type { LiveRegistry } from '../live-registry.ts';
import type { HostsElsewhere } from '../site-registry.ts';
import { inPart } from './read-sites.ts';

/** Returns a function that puts the hosts of changed websites into the registry. Call it when their hosts are in there. */
export function createElsewhereReader(
  db: Queryable,
  registry: Pick<LiveRegistry, 'wildcards' | 'setElsewhere'>,
  part: EdgePart,
): (changed: number[] | 'all') => Promise<void> {
  let known = '';
  return async (changed) => {
    const wildcards = registry.wildcards().toSorted();
    const text = wildcards.join();
    // A new wildcard may be above hosts of any website.
    const ids = text === known ? changed : 'all';
    registry.setElsewhere(ids, await readHostsElsewhere(db, part, wildcards, ids));
    known = text;
  };
}

/** Reads them of these websites, or of all. Joins by the wildcards above each host, so the cost follows the hosts. */
async function readHostsElsewhere(
  db: Queryable,
  part: EdgePart,
  wildcards: string[],
  ids: number[] | 'all',
): Promise<HostsElsewhere[]> {
  if (wildcards.length === 0) return [];
  return queryRows<HostsElsewhere>(db)`
    select w.id, array_agg(distinct h.hostname) as hostnames
    from website_hosts h join websites w on w.id = h.website_id
    cross join lateral string_to_array(h.hostname, '.') as l(labels)
    cross join lateral generate_series(2, cardinality(l.labels)) as n
    join unnest(${sql.param(wildcards)}::text[]) as above(hostname)
      on above.hostname = '*.' || array_to_string(l.labels[n:], '.') and above.hostname <> h.hostname
    where h.verified and w.deleting_since is null and not ${inPart(part)}
      and ${ids === 'all' ? sql`true` : sql`w.id = any(${sql.param(ids)}::int[])`}
    group by w.id`;
}
