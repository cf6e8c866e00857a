/** The activity of a website, or of all: changes of redirects, deployments and changes of settings, in one list. */
import type { Queryable } from '../../db/connection/client.ts';
import { type ListedDeployment, readDeploymentActivity } from '../../deployments/publish/deployment-activity.ts';
import { decodeCursor, encodeCursor, isCount } from '../../platform/cursor.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { wrongParameter } from '../../vocabulary/error.ts';
import { type ActivityKind, CHANGE_RETENTION_DAYS } from '../../vocabulary/kinds.ts';
import { readSettingsActivity, type SettingsEntry } from '../../accounts/settings-activity.ts';
import { requireWebsiteRow } from '../../websites/website.ts';
import { type ChangeFilter, type ChangePlace, readAllChanges, readChanges, type ShownChange } from './find-changes.ts';

export type ActivityEntry =
  | { type: 'change'; at: Date; change: ShownChange; place: ChangePlace }
  | { type: 'deployment'; at: Date; deployment: ListedDeployment }
  | { type: 'settings'; at: Date; settings: SettingsEntry };

/** All must hold. A path selects changes only. */
export interface ActivityFilter extends Omit<ChangeFilter, 'kind'> {
  kind?: ActivityKind | undefined;
}

/** The last entry of each list that a page has shown; null: none yet. */
interface Position {
  change: ChangePlace | null;
  deployment: { micros: number; id: string } | null;
  settings: string | null;
}

interface Page {
  /** undefined: the account, with all websites that the actor reaches */
  websiteId: number | undefined;
  filter: ActivityFilter;
  limit: number;
  cursor?: string | undefined;
}

/**
 * Returns a page of the activity of a website or of all in the last 30 days, newest first. The lists are merged by time
 * and each keeps its own order and its own position in the cursor, so pages neither skip nor repeat an entry, also if
 * clocks differ. Throws WEBSITE_NOT_FOUND, and INVALID_PARAMETER for a wrong cursor or range.
 */
export async function listActivity(db: Queryable, actor: Actor, { websiteId, filter, limit, cursor }: Page) {
  if (websiteId !== undefined) await requireWebsiteRow(db, actor, websiteId);
  const { kind = null, actor: name = null, oldPath = null, since, until } = filter;
  const range = since || until ? [since, until] : [];
  if (since && until && since >= until) throw wrongParameter('since', 'must be before until');
  const list = JSON.stringify(['activity', websiteId ?? null, kind, name, oldPath, ...range]);
  const before = cursor === undefined ? START : decodeCursor(cursor, list, toPosition);
  const merged = mergeByTime(await readLists(db, actor, { websiteId, filter, before, limit: limit + 1 }));
  const activity = merged.slice(0, limit);
  if (merged.length <= limit) return { activity, nextCursor: null };
  const { change, deployment, settings } = activity.reduce(moved, before);
  const position = [change?.at, change?.websiteId, change?.revision, deployment?.micros, deployment?.id, settings];
  return {
    activity,
    nextCursor: encodeCursor(
      list,
      position.map((value) => value ?? null),
    ),
  };
}

/** Up to `limit` entries of each list that the filter selects. */
async function readLists(
  db: Queryable,
  actor: Actor,
  {
    websiteId,
    filter: { kind, actor: name, oldPath, ...range },
    before,
    limit,
  }: Omit<Page, 'cursor'> & { before: Position },
): Promise<ActivityEntry[][]> {
  const input = { ...range, websiteId, actor: name, days: CHANGE_RETENTION_DAYS, limit };
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
    const page = { filter: { ...range, kind, actor: name, oldPath }, before: before.change, limit };
    const found = await (websiteId === undefined
      ? readAllChanges(db, actor, page)
      : readWebsiteChanges(db, actor, { ...page, websiteId }));
    lists.push(found.map((each) => ({ type: 'change', at: each.change.createdAt, ...each })));
  }
  return lists;
}

/** In one website the revision alone is the place. */
async function readWebsiteChanges(
  db: Queryable,
  actor: Actor,
  { before, ...page }: Omit<Parameters<typeof readChanges>[2], 'before'> & { before: ChangePlace | null },
) {
  const found = await readChanges(db, actor, { ...page, before: before?.revision ?? null });
  return found.map((change) => ({ change, place: { at: 0, websiteId: change.websiteId, revision: change.revision } }));
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

const START: Position = { change: null, deployment: null, settings: null };

function moved(position: Position, entry: ActivityEntry): Position {
  if (entry.type === 'change') return { ...position, change: entry.place };
  if (entry.type === 'settings') return { ...position, settings: entry.settings.id };
  const { micros, id } = entry.deployment;
  return { ...position, deployment: { micros, id } };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function toPosition(values: unknown[]): Position | undefined {
  const [at, websiteId, revision, micros, id, settings] = values;
  if (values.length !== 6 || (settings !== null && !(typeof settings === 'string' && UUID.test(settings))))
    return undefined;
  const change = isCount(at) && isCount(websiteId) && isCount(revision) ? { at, websiteId, revision } : null;
  const deployment = isCount(micros) && typeof id === 'string' ? { micros, id } : null;
  const isWrong = (change === null && at !== null) || (deployment === null && micros !== null);
  return isWrong ? undefined : { change, deployment, settings };
}
