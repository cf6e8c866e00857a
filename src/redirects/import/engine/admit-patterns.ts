import type { PoolClient } from 'pg';
import { queryableOf } from '../../../db/connection/client.ts';
import { copyRows } from '../../../db/copy/copy-rows.ts';
import type { SQL } from '../../../db/drizzle.ts';
import { createTimeSlice } from '../../../platform/scheduling/time-slice.ts';
import type { Issue } from '../../../vocabulary/error.ts';
import { limitIssue, readAllowance } from '../../rule/pattern-limit.ts';

/**
 * Decides which of the staged new patterns the website has room for: the first ones in the order of the import. The
 * limit itself bounds the memory. `table` is the staging table's name, `kept` as in readAllowance. Returns a function
 * that says why there is no room for a new pattern.
 */
export async function admitPatterns(client: PoolClient, websiteId: number, table: string, kept?: SQL) {
  // COPY takes no parameters.
  const added = `select s.key from ${table} s where s.is_regex
      and not exists (select 1 from redirects r where r.website_id = ${websiteId} and r.key = s.key and r.is_regex)
    group by s.key order by min(s.seq)`;
  const allowance = await readAllowance(queryableOf(client), websiteId, kept);
  const slice = createTimeSlice();
  for await (const rows of copyRows(client, added)) {
    for (const [key] of rows) {
      if (key == null) continue;
      if (slice.isOver()) await slice.yield();
      allowance.add(key);
    }
  }
  // A pattern that the allowance has is admitted; any other one still finds no room.
  return (key: string): Issue | undefined => limitIssue(allowance, key);
}
