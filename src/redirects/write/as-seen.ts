import type { Queryable } from '../../db/client.ts';
import { changedSince, isAsSeen, type Seen } from '../../platform/changed-since.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { readHistory } from '../changes/history.ts';
import { findRedirect, type ListedRedirect } from '../list/find.ts';
import type { RedirectRow } from '../rule/redirect.ts';

/**
 * Throws CHANGED_SINCE, with its last change and its current state, if the redirect is not as the client has seen it.
 * `row` is read under the lock of its website, so that of two concurrent writes with the same condition one succeeds.
 */
export async function assertAsSeen(
  tx: Queryable,
  actor: Actor,
  row: RedirectRow,
  seen: Seen<ListedRedirect> | undefined,
): Promise<void> {
  if (!seen || isAsSeen(seen.updatedAt, row.updatedAt)) return;
  // Changes are listed for 30 days: the last one of a redirect that was seen before may be older.
  const [last] = (await readHistory(tx, actor, row.id, { limit: 1 })).history;
  const change = last ? { actor: last.change.actor, at: last.change.createdAt } : null;
  throw changedSince('redirect', row.updatedAt, change, seen.toBody(await findRedirect(tx, actor, row.id)));
}
