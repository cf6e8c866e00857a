/** The activity of a website: changes of redirects, deployments and changes of settings, in one list. */
import type { Queryable } from '../../db/connection/client.ts';
import { type ListedDeployment, readDeploymentActivity } from '../../deployments/publish/deployment-activity.ts';
import { decodeCursor, encodeCursor, isCount } from '../../platform/cursor.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { type ActivityKind, CHANGE_RETENTION_DAYS } from '../../vocabulary/kinds.ts';
import { readSettingsActivity, type SettingsEntry } from '../../accounts/settings-activity.ts';
import { requireWebsiteRow } from '../../websites/website.ts';
import { type ChangeFilter, readChanges, type ShownChange } from './find-changes.ts';

export type ActivityEntry =
  | { type: 'change'; at: Date; change: ShownChange }
  | { type: 'deployment'; at: Date; deployment: ListedDeployment }
  | { type: 'settings'; at: Date; settings: SettingsEntry };

/** All must hold. A path selects changes only. */
export interface ActivityFilter extends Omit<ChangeFilter, 'kind'> {
  kind?: ActivityKind | undefined;
}

/** The last entry of each list that a page has shown; null: none yet. */
interface Position {
  revision: number | null;
  deployment: { micros: number; id: string } | null;
  settings: string | null;
}

interface Page {
  websiteId: number;
  filter: ActivityFilter;
  limit: number;
  cursor?: string | undefined;
}

/**
 * Returns a page of the activity of a website in the last 30 days, newest first. The lists are merged by time and each
 * keeps its own order and its own position in the cursor, so pages neither skip nor repeat an entry, also if clocks
 * differ. Throws WEBSITE_NOT_FOUND, and INVALID_PARAMETER for a wrong cursor.
 */
export async function listActivity(db: Queryable, actor: Actor, { websiteId, filter, limit, cursor }: Page) {
  await requireWebsiteRow(db, actor, websiteId);
  const { kind = null, actor: name = null, oldPath = null } = filter;
  const list = JSON.stringify(['activity', websiteId, kind, name, oldPath]);
  const before = cursor === undefined ? START : decodeCursor(cursor, list, toPosition);
  const merged = mergeByTime(await readLists(db, actor, { websiteId, filter, before, limit: limit + 1 }));
  const activity = merged.slice(0, limit);
  if (merged.length <= limit) return { activity, nextCursor: null };
  const { revision, deployment, settings } = activity.reduce(moved, before);
  const position = [revision, deployment?.micros ?? null, deployment?.id ?? null, settings];
  return { activity, nextCursor: encodeCursor(list, position) };
}

/** Up to `limit` entries of each list that the filter selects. */
async function readLists(
  db: Queryable,
  actor: Actor,
  { websiteId, filter: { kind, actor: name, oldPath }, before, limit }: Omit<Page, 'cursor'> & { before: Position },
): Promise<ActivityEntry[][]> {
  const input = { websiteId, actor: name, days: CHANGE_RETENTION_DAYS, limit };
  const lists: ActivityEntry[][] = [];
  if ((kind ?? 'deployment') === 'deployment' && oldPath === undefined) {
    const found = await readDeploymentActivity(db, actor, { ...input, before: before.deployment });
    lists.push(found.map((deployment) => ({ type: 'deployment', at: deployment.createdAt, deployment })));
  }
  if ((kind ?? 'settings') === 'settings' && oldPath === undefined) {
    const found = await readSettingsActivity(db, actor, { ...input, before: before.settings });
    lists.push(found.map((settings) => ({ type: 'settings', at: settings.createdAt, settings })));
  }
  if (kind !== 'deployment' && kind !== 'settings') {
    const filter = { kind, actor: name, oldPath };
    const found = await readChanges(db, actor, { websiteId, filter, before: before.revision, limit });
    lists.push(found.map((change) => ({ type: 'change', at: change.createdAt, change })));
  }
  return lists;
}

/** Takes the newest first entry of all lists, again and again. Of equal times, the one of the earlier list. */
function mergeByTime(lists: ActivityEntry[][]): ActivityEntry[] {
  const merged: ActivityEntry[] = [];
  const next = lists.map(() => 0);
  for (;;) {
    let newest = -1;
    lists.forEach((list, index) => {
      const [entry, best] = [list[next[index] ?? 0], lists[newest]?.[next[newest] ?? 0]];
      if (entry && (!best || entry.at > best.at)) newest = index;
    });
    const entry = lists[newest]?.[next[newest] ?? 0];
    if (!entry) return merged;
    merged.push(entry);
    next[newest] = (next[newest] ?? 0) + 1;
  }
}

const START: Position = { revision: null, deployment: null, settings: null };

function moved(position: Position, entry: ActivityEntry): Position {
  if (entry.type === 'change') return { ...position, revision: entry.change.revision };
  if (entry.type === 'settings') return { ...position, settings: entry.settings.id };
  const { micros, id } = entry.deployment;
  return { ...position, deployment: { micros, id } };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function toPosition([revision, micros, id, settings]: unknown[]): Position | undefined {
  if (revision !== null && !isCount(revision)) return undefined;
  if (settings !== null && !(typeof settings === 'string' && UUID.test(settings))) return undefined;
  if (micros === null && id === null) return { revision, deployment: null, settings };
  if (!isCount(micros) || typeof id !== 'string') return undefined;
  return { revision, deployment: { micros, id }, settings };
}
