/** The expectations of an apply: each decided URL gets its answer in each environment of the call. */
import { LOCKS } from '../../db/advisory-lock.ts';
import type { Queryable } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import { outdateResults } from '../../deployments/gate/results.ts';
import { assertExpectationRoom } from '../../expectations/write.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import type { ApplyConflict } from './decided-urls.ts';
import type { Wanted } from './plan-apply.ts';

interface Place {
  websiteId: number;
  environments: Environment[];
}

const BATCH = 5_000;

/** Existing expectations that say otherwise. They stay. */
export async function findContradictions(db: Queryable, place: Place, wanted: Wanted[]): Promise<ApplyConflict[]> {
  const conflicts: ApplyConflict[] = [];
  for (let at = 0; at < wanted.length; at += BATCH) {
    const rows = await queryRows<{ url: string; environment: string; statusCode: number; location: string | null }>(db)`
      select w.url, e.environment, e.status_code, coalesce(e.location, e.final) as location
      from ${records(wanted.slice(at, at + BATCH))}
      join expectations e on e.website_id = ${place.websiteId} and e.key = w.url
        and e.environment = any(${sql.param(place.environments)}::text[])
      where e.status_code <> w.status or (e.location is not null and e.location is distinct from w.location)
      order by w.url, e.environment`;
    for (const { url, environment, statusCode, location } of rows) {
      const answer = location === null ? `${statusCode}` : `${statusCode} to ${location}`;
      const message = `expectations: ${environment} expects ${answer}; it stays, change or delete it`;
      conflicts.push({ url, code: 'EXPECTATION_CONFLICT', message });
    }
  }
  return conflicts;
}

/**
 * Adds those that do not exist, in the transaction of the apply, and marks them with its change. Throws
 * PLAN_LIMIT_EXCEEDED and TOO_MANY_ITEMS.
 */
export async function addExpectations(
  tx: Queryable,
  actor: Actor,
  { websiteId, environments }: Place,
  { wanted, changeId }: { wanted: Wanted[]; changeId: string | null },
): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${LOCKS.expectations}::int, ${websiteId}::int)`);
  let added = 0;
  for (let at = 0; at < wanted.length; at += BATCH) {
    const { rowCount } = await tx.execute(sql`
      insert into expectations (website_id, environment, key, url, status_code, location, change_id)
      select ${websiteId}::int, e.environment, w.url, w.url, w.status, w.location, ${changeId}::text
      from ${records(wanted.slice(at, at + BATCH))} cross join unnest(${sql.param(environments)}::text[]) e(environment)
      on conflict (website_id, environment, key) do nothing`);
    added += rowCount ?? 0;
  }
  if (added === 0) return;
  await assertExpectationRoom(tx, actor, websiteId);
  await outdateResults(tx, websiteId);
}

/** The URLs `w` with status and location as SQL. */
function records(wanted: Wanted[]) {
  const rows = wanted.map(({ url, statusCode: status, location }) => ({ url, status, location }));
  return sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as w(url text, status smallint, location text)`;
}
