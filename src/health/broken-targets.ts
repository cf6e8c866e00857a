/** Redirects whose target is broken, by its last live check. */
import type { Queryable } from '../db/connection/client.ts';
import { sql, type SQL } from '../db/drizzle.ts';
import { queryRows } from '../db/rows.ts';
import { targetColumn } from '../deployments/live/database/rules-sql.ts';
import { utcDay } from '../platform/clock.ts';
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
  /** human ones in 30 days; null: not read */
  hits: number | null;
}

export interface BrokenPlace {
  websiteId: number;
  environment: Environment;
  /** only redirects with this target */
  target?: string | undefined;
}

const ofEnvironment = ({ websiteId, environment, target }: BrokenPlace) => sql`
  from target_states s join redirects r on r.website_id = s.website_id and r.id = s.redirect_id and r.new_path = s.target
  where s.website_id = ${websiteId}::int and s.state = any(${sql.param(BROKEN_TARGETS)}::text[])
    and r.${sql.identifier(targetColumn(environment))} is not null ${target === undefined ? sql`` : sql`and s.target = ${target}`}`;

/** Counts the broken targets of a website that the caller has proven to be the account's. */
export async function countBrokenTargets(db: Queryable, place: BrokenPlace): Promise<number> {
  const [found] = await queryRows<{ count: number }>(db)`select count(*)::int as count ${ofEnvironment(place)}`;
  return found?.count ?? 0;
}

/** Days of hits. */
const HIT_DAYS = 30;
/** The most broken targets that are ordered by hits: each costs some reads of an index. */
const MAX_RANKED = 10_000;

interface Position {
  state: string;
  id: number;
  /** of the whole target, in the days until `lastDay`; undefined: the list is not ordered by hits */
  ranked?: { hits: number; lastDay: string };
}

interface BrokenQuery {
  limit: number;
  cursor?: string | undefined;
  /** false: the plan has no hits */
  hasHits: boolean;
  now: Date;
}

/**
 * Lists them by the hits of all redirects with the target, the most first, then by state, dead ones first, and by id.
 * Without hits, or with more than 10,000 of them, by state and id. All pages of a list have the days and the order of
 * its first one. Throws INVALID_PARAMETER for a cursor of another list.
 */
export async function listBrokenTargets(
  db: Queryable,
  place: BrokenPlace,
  { limit, cursor, hasHits, now }: BrokenQuery,
): Promise<{ targets: BrokenTarget[]; nextCursor: string | null }> {
  const name = `broken ${place.websiteId} ${place.environment}${place.target === undefined ? '' : ` ${place.target}`}`;
  const after = cursor === undefined ? undefined : decodeCursor(cursor, name, positionOf);
  const lastDay = after?.ranked?.lastDay ?? (hasHits ? await lastDayOfHits(db, place, now) : '');
  const isRanked = after ? after.ranked !== undefined : hasHits && (await areFew(db, place));
  const read = isRanked ? readRanked : readByState;
  const hits = hasHits ? hitsUntil(place, lastDay) : sql`null::bigint`;
  const found = await read(db, place, { after, limit: limit + 1, hits });
  const targets = found.slice(0, limit);
  const last = found.length > limit ? targets.at(-1) : undefined;
  const rank = last && isRanked ? [last.targetHits, lastDay] : [];
  return { targets, nextCursor: last ? encodeCursor(name, [last.state, last.redirectId, ...rank]) : null };
}

/**
 * The last of the days whose hits are counted. Yesterday: its hits no longer change, so that no row changes its place
 * between two pages. Today if no day before has any.
 */
async function lastDayOfHits(db: Queryable, { websiteId, environment }: BrokenPlace, now: Date): Promise<string> {
  const [earlier] = await queryRows(db)`
    select day from website_hits where website_id = ${websiteId}::int and environment = ${environment}
      and day >= ${utcDay(now, -HIT_DAYS)}::date and day < ${utcDay(now)}::date and hits > 0 limit 1`;
  return utcDay(now, earlier ? -1 : 0);
}

/** SQL: the human hits of the redirect of a row `s` in the days until this one, by primary key. */
const hitsUntil = ({ environment }: BrokenPlace, lastDay: string): SQL => sql`coalesce((
  select sum(h.hits::float8)::bigint from redirect_hits h
  where h.website_id = s.website_id and h.redirect_id = s.redirect_id and h.environment = ${environment}
    and h.day > ${lastDay}::date - ${HIT_DAYS}::int and h.day <= ${lastDay}::date), 0)`;

interface Range {
  after: Position | undefined;
  limit: number;
  /** of the redirect of a row `s` */
  hits: SQL;
}

type RankedTarget = BrokenTarget & { targetHits: number };

const COLUMNS = sql`r.id as redirect_id, r.old_path, r.new_path, s.state, s.reason, s.checked_at`;

const readByState = (db: Queryable, place: BrokenPlace, { after, limit, hits }: Range): Promise<RankedTarget[]> =>
  queryRows<RankedTarget>(db)`
    select ${COLUMNS}, ${hits} as hits, 0 as target_hits ${ofEnvironment(place)}
      ${after ? sql`and (s.state, s.redirect_id) > (${after.state}, ${after.id}::bigint)` : sql``}
    order by s.state, s.redirect_id limit ${limit}`;

const readRanked = (db: Queryable, place: BrokenPlace, { after, limit, hits }: Range): Promise<RankedTarget[]> =>
  queryRows<RankedTarget>(db)`
    with broken as materialized (select ${COLUMNS}, ${hits} as hits ${ofEnvironment(place)}),
    ranked as (select b.*, (sum(b.hits) over (partition by b.new_path))::bigint as target_hits from broken b)
    select * from ranked
    where ${
      after?.ranked
        ? sql`(-target_hits, state, redirect_id) > (${-after.ranked.hits}::bigint, ${after.state}, ${after.id}::bigint)`
        : sql`true`
    }
    order by target_hits desc, state, redirect_id limit ${limit}`;

/** Whether few enough states are broken. Reads at most one more of them from the index. */
async function areFew(db: Queryable, { websiteId }: BrokenPlace): Promise<boolean> {
  const [found] = await queryRows<{ count: number }>(db)`
    select count(*)::int as count from (
      select from target_states where website_id = ${websiteId}::int
        and state = any(${sql.param(BROKEN_TARGETS)}::text[]) limit ${MAX_RANKED + 1}) s`;
  return (found?.count ?? 0) <= MAX_RANKED;
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

function positionOf([state, id, hits, lastDay]: unknown[]): Position | undefined {
  if (!BROKEN_TARGETS.some((each) => each === state) || !Number.isSafeInteger(id)) return undefined;
  const position = { state: String(state), id: Number(id) };
  if (hits === undefined) return position;
  const isDay = typeof lastDay === 'string' && /^\d{4}-\d\d-\d\d$/.test(lastDay) && !Number.isNaN(Date.parse(lastDay));
  return isDay && Number.isSafeInteger(hits) ? { ...position, ranked: { hits: Number(hits), lastDay } } : undefined;
}
