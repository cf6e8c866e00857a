/** States that live checks give the targets of redirects. A state is valid only while the redirect still has that target. */
import type { Queryable } from '../../db/connection/client.ts';
import { sql, type SQL } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import type { Journey } from '../../resolver/follow.ts';
import type { Ruleset } from '../../resolver/ruleset.ts';
import { BROKEN_TARGETS, type TargetState } from '../../vocabulary/checks.ts';

/** The last state of a target; nulls if it was never checked. */
export interface TargetFinding {
  targetState: TargetState | null;
  targetCheckedAt: Date | null;
}

export const UNCHECKED: TargetFinding = { targetState: null, targetCheckedAt: null };

/** A state, any state of a target that does not work (`broken`), or none (`unchecked`). */
export type TargetStateFilter = TargetState | 'broken' | 'unchecked';

/** Reads the state of each redirect's target, in the given order, with one query for all. */
export async function readTargetStates(
  db: Queryable,
  redirects: readonly { websiteId: number; id: number; newPath: string | null }[],
): Promise<TargetFinding[]> {
  if (redirects.length === 0) return [];
  const websiteIds = sql.param([...new Set(redirects.map(({ websiteId }) => websiteId))]);
  const ids = sql.param(redirects.map(({ id }) => id));
  const rows = await queryRows<{ redirectId: number; target: string; state: TargetState; checkedAt: string }>(db)`
    select redirect_id, target, state, checked_at from target_states
    where website_id = any(${websiteIds}::int[]) and redirect_id = any(${ids}::bigint[])`;
  const found = new Map(rows.map((row) => [row.redirectId, row]));
  return redirects.map(({ id, newPath }) => {
    const row = found.get(id);
    return row?.target === newPath ? { targetState: row.state, targetCheckedAt: new Date(row.checkedAt) } : UNCHECKED;
  });
}

/** The last finding of a live check at a target. */
export interface FinalTarget {
  state: TargetState;
  reason: string | null;
  checkedAt: Date;
}

/**
 * Reads what a live check last found at the target of the last redirect of each journey, with one query for all. Null if
 * it was not checked, and if the ruleset has another target.
 */
export async function readFinalTargets(
  db: Queryable,
  { websiteId, ruleset }: { websiteId: number; ruleset: Pick<Ruleset, 'get'> },
  journeys: readonly Journey[],
): Promise<(FinalTarget | null)[]> {
  const last = journeys.map(({ hops, outcome }) => (outcome === 'end' || outcome === 'external' ? hops.at(-1) : null));
  const ids = [...new Set(last.flatMap((hop) => hop?.ruleId ?? []))];
  if (ids.length === 0) return last.map(() => null);
  const rows = await queryRows<FinalTarget & { redirectId: number; target: string; checkedAt: string }>(db)`
    select redirect_id, target, state, reason, checked_at from target_states
    where website_id = ${websiteId}::int and redirect_id = any(${sql.param(ids)}::bigint[])`;
  const found = new Map(rows.map((row) => [row.redirectId, row]));
  return last.map((hop) => {
    const row = found.get(hop?.ruleId ?? -1);
    if (!hop || !row || ruleset.get(hop.key)?.newPath !== row.target) return null;
    return { state: row.state, reason: row.reason, checkedAt: new Date(row.checkedAt) };
  });
}

/** Reads the state of one redirect's target. */
export async function findTargetState(
  db: Queryable,
  redirect: { websiteId: number; id: number; newPath: string | null },
) {
  const [finding = UNCHECKED] = await readTargetStates(db, [redirect]);
  return finding;
}

/** The states that a filter selects; undefined for `unchecked`. */
export function selectedStates(filter: TargetStateFilter): readonly TargetState[] | undefined {
  if (filter === 'unchecked') return undefined;
  return filter === 'broken' ? BROKEN_TARGETS : [filter];
}

/** Condition: the target of `redirects r` is in a selected state, or unchecked. */
export function hasTargetState(filter: TargetStateFilter): SQL {
  const states = selectedStates(filter);
  const own = sql`select from target_states s
    where s.website_id = r.website_id and s.redirect_id = r.id and s.target = r.new_path`;
  return states ? sql`exists (${own} and s.state = any(${sql.param(states)}::text[]))` : sql`not exists (${own})`;
}
