import { isOwnWebsite } from '../../accounts/website-scope.ts';
import type { Queryable } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { queryRows, timeOf } from '../../db/rows.ts';
import { createDeployedTimes, type DeployedTimes } from '../../deployments/live/database/deployed-at.ts';
import { type LiveDifferences, liveDifferences } from '../../deployments/live/database/live-differences.ts';
import { createLiveStates } from '../../deployments/live/database/live-states.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { COLUMN_FIELDS, TARGET_COLUMNS, wireNames } from '../rule/fields.ts';
import { type Redirect, redirectNotFound, redirectOf, type RedirectRow } from '../rule/redirect.ts';
import { type Activity, type HitWindow, readActivity } from './activity.ts';
import { assertFilterInPlan, filterCondition, type RedirectFilter } from './filter.ts';
import { readTargetStates, type TargetFinding, UNCHECKED } from './target-state.ts';

/** A redirect with the times at which its live rule was published, and its activity if requested. */
export interface ListedRedirect extends Redirect, TargetFinding {
  deployed: DeployedTimes;
  activity?: Activity | undefined;
  /** if requested: the rules that visitors get if they differ from it */
  live?: LiveDifferences | undefined;
}

/** Additional properties of each row of a list, beside the fields and times of the redirect. */
export interface ListExtras {
  /** if given, each redirect has its activity in this window */
  window?: HitWindow | undefined;
  withLive?: boolean | undefined;
}

type Times = 'createdAt' | 'updatedAt';
type Window = 'activeFrom' | 'activeUntil';
type RawFields = Omit<RedirectRow, Times | Window> & Record<Times, string> & Record<Window, string | null>;

const COLUMNS = sql.raw(
  ['id', 'website_id', 'key', ...wireNames(COLUMN_FIELDS), ...TARGET_COLUMNS, 'rev', 'created_at', 'updated_at']
    .map((name) => `r.${name}`)
    .join(', '),
);

/** Returns the account's redirect. Throws REDIRECT_NOT_FOUND if it does not exist or belongs to another account. */
export async function requireRedirectRow(db: Queryable, actor: Actor, id: number): Promise<RedirectRow> {
  const [found] = await queryRows<RawFields>(db, { isConstant: true })`
    select ${COLUMNS} from redirects r join websites w on w.id = r.website_id
    where r.id = ${id}::bigint and ${isOwnWebsite(actor, 'w')}`;
  if (!found) throw redirectNotFound(id);
  return {
    ...found,
    activeFrom: timeOf(found.activeFrom),
    activeUntil: timeOf(found.activeUntil),
    createdAt: new Date(found.createdAt),
    updatedAt: new Date(found.updatedAt),
  };
}

/** Returns the account's redirect with its times of deployment. Throws REDIRECT_NOT_FOUND. */
export async function findRedirect(db: Queryable, actor: Actor, id: number, extras: ListExtras = {}) {
  const row = await requireRedirectRow(db, actor, id);
  const [redirect] = await createRedirectLister(db, extras)([row]);
  if (!redirect) throw new Error('one row has one result');
  return redirect;
}

/** Returns a function that completes rows of one snapshot; it caches versions between calls. */
export function createRedirectLister(db: Queryable, { window, withLive }: ListExtras) {
  const deployedTimes = createDeployedTimes(db);
  const readStates = createLiveStates(db);
  return async (rows: RedirectRow[]): Promise<ListedRedirect[]> => {
    const states = await readStates(rows);
    const times = await deployedTimes(rows, states);
    const activity = window && (await readActivity(db, rows, window));
    const targets = await readTargetStates(db, rows);
    const live = withLive ? liveDifferences(rows, states) : undefined;
    return rows.map((row, index) => {
      const deployed = times[index];
      if (!deployed) throw new Error('deployedTimes returns one result per row');
      const target = targets[index] ?? UNCHECKED;
      return { ...redirectOf(row), ...target, deployed, activity: activity?.[index], live: live?.[index] };
    });
  };
}

/** Counts the redirects that a bulk call with the same filter would select. Throws PLAN_REQUIRED. */
export async function countRedirects(db: Queryable, actor: Actor, filter: RedirectFilter): Promise<number> {
  assertFilterInPlan(actor, filter);
  const { rows } = await db.execute<{ count: string }>(
    sql`select count(*) as count from redirects r where ${filterCondition(actor, filter)}`,
  );
  return Number(rows[0]?.count ?? 0);
}
