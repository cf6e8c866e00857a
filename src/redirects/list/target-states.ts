/** What the last live check found at the target of a redirect. A changed target has no state. */
import type { Queryable } from '../../db/connection/client.ts';
import { sql, type SQL } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import { BROKEN_STATES, TARGET_STATES, type TargetState } from '../../vocabulary/checks.ts';

export interface TargetCheck {
  state: TargetState;
  checkedAt: Date;
}

/** Filters of lists: a state; `broken`: dead, error, loop or soft_404; `unchecked`: no state. */
export const TARGET_FILTERS = [...TARGET_STATES, 'broken', 'unchecked'] as const;
export type TargetFilter = (typeof TARGET_FILTERS)[number];

/** Condition on `target_states s` and `redirects r`: the state is that of the redirect's target now. */
export const isStateOf = sql`s.website_id = r.website_id and s.redirect_id = r.id and s.target = r.new_path`;

/** SQL list of the states that are broken. */
export const broken = sql`(${sql.join(
  BROKEN_STATES.map((state) => sql`${state}`),
  sql`, `,
)})`;

/** Condition on `redirects r`. */
export function hasTargetState(filter: TargetFilter): SQL {
  const found = (states: SQL): SQL => sql`exists (select from target_states s where ${isStateOf} ${states})`;
  if (filter === 'unchecked') return sql`not ${found(sql``)}`;
  return found(filter === 'broken' ? sql`and s.state in ${broken}` : sql`and s.state = ${filter}`);
}

/** Reads the state of each redirect's target, in the given order. */
export async function readTargetStates(
  db: Queryable,
  redirects: { websiteId: number; id: number; newPath: string | null }[],
): Promise<(TargetCheck | undefined)[]> {
  const websiteIds = sql.param([...new Set(redirects.map(({ websiteId }) => websiteId))]);
  const ids = sql.param(redirects.map(({ id }) => id));
  const rows = await queryRows<{ id: number; target: string; state: TargetState; checkedAt: string }>(db)`
    select redirect_id as id, target, state, checked_at from target_states
    where website_id = any(${websiteIds}::int[]) and redirect_id = any(${ids}::bigint[])`;
  const found = new Map(rows.map((row) => [row.id, row]));
  return redirects.map(({ id, newPath }) => {
    const row = found.get(id);
    return row?.target === newPath ? { state: row.state, checkedAt: new Date(row.checkedAt) } : undefined;
  });
}
