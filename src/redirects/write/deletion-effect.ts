import type { Queryable } from '../../db/connection/client.ts';
import { queryRows } from '../../db/rows.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { type Environment, ENVIRONMENTS } from '../../vocabulary/environment.ts';
import { inDays } from '../list/activity.ts';
import { assertFilterInPlan } from '../list/filter.ts';
import { type Selection, selectionCondition } from './selection.ts';

/** UTC days up to today. */
const HIT_DAYS = 30;

export interface DeletionEffect {
  count: number;
  /** those that at least one of them targets */
  environments: Environment[];
  /** by humans in the last 30 days, in all environments */
  hits: number;
}

/** Returns what a bulk deletion would delete, without doing it. Looks the hits of each redirect up. Throws PLAN_REQUIRED. */
export async function previewBulkDelete(
  db: Queryable,
  actor: Actor,
  { selection, now }: { selection: Selection; now: Date },
): Promise<DeletionEffect> {
  if ('filter' in selection) assertFilterInPlan(actor, selection.filter);
  const [found] = await queryRows<Omit<DeletionEffect, 'environments'> & { targeted: (boolean | null)[] }>(db)`
    select count(*) as count, coalesce(sum(h.hits), 0)::bigint as hits, array[bool_or(r.in_prod is not null),
      bool_or(r.in_staging is not null), bool_or(r.in_dev is not null)] as targeted
    from redirects r cross join lateral (
      select sum(h.hits::float8) as hits from redirect_hits h
      where h.website_id = r.website_id and h.redirect_id = r.id and ${inDays({ now, days: HIT_DAYS })} offset 0) h
    where ${selectionCondition(actor, selection)}`;
  if (!found) throw new Error('an aggregate has no row');
  const { targeted, ...sums } = found;
  return { ...sums, environments: ENVIRONMENTS.filter((_, index) => targeted[index]) };
}
