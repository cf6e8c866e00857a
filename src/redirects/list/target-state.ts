/** States that live checks give the targets of redirects. A state is valid only while the redirect still has that target. */
import type { Queryable } from '../../db/connection/client.ts';
import { sql, type SQL } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
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
