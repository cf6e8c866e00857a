/** Redirects whose target is broken, by its last live check. */
import type { Queryable } from '../db/connection/client.ts';
import { sql } from '../db/drizzle.ts';
import { queryRows } from '../db/rows.ts';
import { targetColumn } from '../deployments/live/database/rules-sql.ts';
import { decodeCursor, encodeCursor } from '../platform/cursor.ts';
import { BROKEN_TARGETS, type TargetState } from '../vocabulary/checks.ts';
import { type Environment, ENVIRONMENTS } from '../vocabulary/environment.ts';

export interface BrokenTarget {
  redirectId: number;
  oldPath: string;
  newPath: string;
  state: TargetState;
  reason: string | null;
  checkedAt: string;
}

export interface BrokenPlace {
  websiteId: number;
  environment: Environment;
}

const ofEnvironment = ({ websiteId, environment }: BrokenPlace) => sql`
  from target_states s join redirects r on r.website_id = s.website_id and r.id = s.redirect_id and r.new_path = s.target
  where s.website_id = ${websiteId}::int and s.state = any(${sql.param(BROKEN_TARGETS)}::text[])
    and r.${sql.identifier(targetColumn(environment))} is not null`;

/** Counts the broken targets of a website that the caller has proven to be the account's. */
export async function countBrokenTargets(db: Queryable, place: BrokenPlace): Promise<number> {
  const [found] = await queryRows<{ count: number }>(db)`select count(*)::int as count ${ofEnvironment(place)}`;
  return found?.count ?? 0;
}

/** Lists them by state, dead ones first, and by id. Throws INVALID_PARAMETER for a cursor of another list. */
export async function listBrokenTargets(
  db: Queryable,
  place: BrokenPlace,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<{ targets: BrokenTarget[]; nextCursor: string | null }> {
  const name = `broken ${place.websiteId} ${place.environment}`;
  const after = cursor === undefined ? undefined : decodeCursor(cursor, name, positionOf);
  const beyond = after ? sql`and (s.state, s.redirect_id) > (${after.state}, ${after.id}::bigint)` : sql``;
  const found = await queryRows<BrokenTarget>(db)`
    select r.id as redirect_id, r.old_path, r.new_path, s.state, s.reason, s.checked_at ${ofEnvironment(place)} ${beyond}
    order by s.state, s.redirect_id limit ${limit + 1}`;
  const targets = found.slice(0, limit);
  const last = found.length > limit ? targets.at(-1) : undefined;
  return { targets, nextCursor: last ? encodeCursor(name, [last.state, last.redirectId]) : null };
}

/**
 * Counts the broken targets of each of the websites, with the environments of their redirects, and the redirect of the
 * worst. Reads at most `limit` states of a website; `read` is how many. Websites without one are absent.
 */
export async function brokenOfWebsites(db: Queryable, websiteIds: number[], limit: number) {
  type Row = { websiteId: number; read: number; count: number; redirectId: number; path: string };
  const environments = ENVIRONMENTS.map(
    (each) => sql`case when bool_or(r.${sql.identifier(targetColumn(each))} is not null) then ${each} end`,
  );
  return queryRows<Row & { environments: Environment[] }>(db)`
    select i.id as website_id, b.* from unnest(${sql.param(websiteIds)}::int[]) i (id) cross join lateral (
      select count(*)::int as read, (count(r.id))::int as count,
        (array_agg(r.id order by s.severity, s.redirect_id) filter (where r.id is not null))[1] as redirect_id,
        (array_agg(r.old_path order by s.severity, s.redirect_id) filter (where r.id is not null))[1] as path,
        array_remove(array[${sql.join(environments, sql`, `)}]::text[], null) as environments
      from (
        select t.redirect_id, t.target, k.severity
        from unnest(${sql.param([...BROKEN_TARGETS])}::text[]) with ordinality k (state, severity) cross join lateral (
          select redirect_id, target from target_states where website_id = i.id and state = k.state limit ${limit}::int) t
        limit ${limit}::int) s
      left join redirects r on r.website_id = i.id and r.id = s.redirect_id and r.new_path = s.target
        and coalesce(r.in_prod, r.in_staging, r.in_dev) is not null) b
    where b.count > 0`;
}

/** Those of the targets that are broken for any redirect of the website. */
export async function brokenAmong(db: Queryable, websiteId: number, targets: string[]): Promise<Set<string>> {
  const found = await queryRows<{ target: string }>(db)`
    select distinct target from target_states where website_id = ${websiteId}::int
      and state = any(${sql.param(BROKEN_TARGETS)}::text[]) and target = any(${sql.param(targets)}::text[])`;
  return new Set(found.map(({ target }) => target));
}

function positionOf([state, id]: unknown[]): { state: string; id: number } | undefined {
  const isState = BROKEN_TARGETS.some((each) => each === state);
  return isState && Number.isSafeInteger(id) ? { state: String(state), id: Number(id) } : undefined;
}
