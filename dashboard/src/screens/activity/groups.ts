/** Equal neighbours of the activity as one row: edits, creations and deletions of single redirects by one actor. */
import type { ActivityEntry, Change } from '../../api/client/wire.ts';
import { relativeDay } from '../../format.ts';

const MAX_SPAN_MS = 3_600_000;
/** Fewer are as easily read as their group. */
const MIN_SIZE = 3;
const KINDS: readonly string[] = ['create', 'update', 'delete'] satisfies Change['kind'][];

/** An entry, or the newest of several that are one row. */
export type ActivityRow = ActivityEntry & { group?: readonly Change[] };

/** The entries in their order; at least 3 equal neighbours of a day, within an hour, are one row. */
export function groupedRows(entries: readonly ActivityEntry[]): ActivityRow[] {
  const runs: ActivityEntry[][] = [];
  for (const entry of entries) {
    const run = runs.at(-1);
    if (run?.[0] && isLike(run[0], entry)) run.push(entry);
    else runs.push([entry]);
  }
  return runs.flatMap((run) => (run[0] && run.length >= MIN_SIZE ? [{ ...run[0], group: changesOf(run) }] : run));
}

const changesOf = (entries: readonly ActivityEntry[]): Change[] => entries.flatMap(({ change }) => change ?? []);

/** `entry` belongs to the group that begins with the newer one. */
function isLike({ change: newer }: ActivityEntry, { change }: ActivityEntry): boolean {
  if (!newer || !change || !KINDS.includes(change.kind) || newer.old_path === null || change.old_path === null)
    return false;
  return (
    [newer.kind, newer.website_id, newer.actor.type, newer.actor.id, newer.actor.name].join('\n') ===
      [change.kind, change.website_id, change.actor.type, change.actor.id, change.actor.name].join('\n') &&
    Date.parse(newer.created_at) - Date.parse(change.created_at) <= MAX_SPAN_MS &&
    relativeDay(newer.created_at) === relativeDay(change.created_at)
  );
}
