/** An entry of the activity in responses, and all entries as CSV. */
import type { Queryable } from '../../db/connection/client.ts';
import { csvRow } from '../../formats/write/csv.ts';
import { isoSeconds } from '../../platform/clock.ts';
import { type ActivityEntry, listActivity } from '../../redirects/changes/website-activity.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { changeBody } from './change-wire.ts';
import { deploymentBody } from './deployments/deployment-wire.ts';

const PAGE = 500;
const COLUMNS = [
  ...['created_at', 'website_id', 'type', 'action', 'actor_type', 'actor', 'environment', 'target'],
  ...['created', 'updated', 'deleted', 'details', 'id'],
];

export function entryBody(viewer: Actor, entry: ActivityEntry) {
  const common = { type: entry.type, createdAt: entry.at, change: null, deployment: null, settings: null };
  if (entry.type === 'change') {
    const { actor, websiteId } = entry.change;
    return { ...common, actor, websiteId, change: changeBody(entry.change) };
  }
  if (entry.type === 'settings') {
    const { actor, websiteId } = entry.settings;
    return { ...common, actor, websiteId, settings: entry.settings };
  }
  const deployment = deploymentBody(viewer, entry.deployment);
  return { ...common, actor: deployment.actor, websiteId: deployment.websiteId, deployment };
}

/** Yields all entries that a filter finds. Throws as listActivity before the first chunk. */
export async function* exportActivity(
  db: Queryable,
  actor: Actor,
  input: Pick<Parameters<typeof listActivity>[2], 'websiteId' | 'filter'>,
): AsyncGenerator<string> {
  let cursor: string | undefined;
  do {
    const page = await listActivity(db, actor, { ...input, cursor, limit: PAGE });
    const head = cursor === undefined ? csvRow(COLUMNS) : '';
    yield head + page.activity.map((entry) => csvRow(cellsOf(entryBody(actor, entry)))).join('');
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

function cellsOf({ type, createdAt, websiteId, actor, change, deployment, settings }: ReturnType<typeof entryBody>) {
  const common = [isoSeconds(createdAt), websiteId === null ? null : String(websiteId), type];
  const by = [actor.type, actor.name];
  if (change) {
    const { kind, counts, before, after, oldPath, fields, fileName, undoes, id } = change;
    const target = (state: typeof before): string | null => state && (state.newPath ?? String(state.statusCode));
    const details = { from: target(before), to: target(after), fields, file_name: fileName, undoes };
    const sizes = [counts.created, counts.updated, counts.deleted].map(String);
    return [...common, kind, ...by, null, oldPath, ...sizes, textOf(details), id];
  }
  if (deployment) {
    const { kind, environment, version, status, changes, note, error, forced, id } = deployment;
    const target = version === null ? null : `version ${version}`;
    const sizes = changes ? [changes.added, changes.changed, changes.removed].map(String) : [null, null, null];
    const details = { status, note, error, forced: forced || null };
    return [...common, kind, ...by, environment, target, ...sizes, textOf(details), id];
  }
  const { action, target, details, id } = settings;
  return [...common, action, ...by, null, target, null, null, null, textOf(details), id];
}

/** JSON of the values that are set; null without any. */
function textOf(details: Record<string, unknown> | null): string | null {
  const set = Object.entries(details ?? {}).filter(([, value]) => value !== null);
  return set.length === 0 ? null : JSON.stringify(Object.fromEntries(set));
}
