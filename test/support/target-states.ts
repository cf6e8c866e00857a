/** States of targets without a check that asks them. */
import { sql } from 'drizzle-orm';
import type { Queryable } from '../../src/db/connection/client.ts';
import type { CheckState } from '../../src/vocabulary/checks.ts';

/** Stores the state of the redirect's present target, as a check does once it is confirmed. */
export async function storeTargetState(
  db: Queryable,
  websiteId: number,
  redirectId: number,
  { state, reason = null }: { state: CheckState; reason?: string | null },
): Promise<void> {
  await db.execute(sql`
    insert into target_states (website_id, redirect_id, target, state, reason, checked_at)
    select website_id, id, new_path, ${state}, ${reason}, '2026-11-02T03:04:05Z'
    from redirects where website_id = ${websiteId}::int and id = ${redirectId}::bigint`);
}
