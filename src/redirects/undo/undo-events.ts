import type { Tx } from '../../db/client.ts';
import { sql } from '../../db/drizzle.ts';
import { createDeployedTimes, NEVER_DEPLOYED } from '../../deployments/live/deployed-at.ts';
import { type NewEvent, publishEvents } from '../../events/outbox.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import type { LockedWebsite } from '../../websites/write-website.ts';
import { type ChangeItem, readStates } from '../changes/change-items.ts';
import type { ChangeCounts } from '../changes/record-change.ts';
import { planChange } from '../rule/change.ts';
import { redirectEvent, updatedEvent } from '../rule/redirect-events.ts';
import { redirectOf, type RedirectRow } from '../rule/redirect.ts';
import { MAX_IDS } from '../write/selection.ts';

/** Items in memory at a time. */
const BATCH_SIZE = 1_000;

/**
 * Publishes the events of an undo, which is the change `id`: one for each redirect, as single writes make. Over 10,000
 * redirects make one event of each kind, as bulk calls do.
 */
export async function publishUndo(
  tx: Tx,
  actor: Actor,
  website: LockedWebsite,
  { id, counts }: { id: string; counts: ChangeCounts },
): Promise<void> {
  if (counts.created + counts.updated + counts.deleted > MAX_IDS) {
    return publishEvents(tx, actor, website.now, summaries(website.id, id, counts));
  }
  const change = { websiteId: website.id, revision: website.rev };
  const deployedTimes = createDeployedTimes(tx);
  let items: ChangeItem[] = [];
  do {
    const after = items.at(-1)?.redirectId ?? 0;
    const ids = sql`select id from undo_plan where code is null and id > ${after}::bigint order by id limit ${BATCH_SIZE}::int`;
    items = await readStates(tx, change, ids);
    const times = await deployedTimes(items.map((item) => liveRow(item, website)));
    const events = items.map((item, index) => eventOf(item, website, times[index] ?? NEVER_DEPLOYED));
    await publishEvents(tx, actor, website.now, events);
  } while (items.length === BATCH_SIZE);
}

function summaries(websiteId: number, changeId: string, { created, updated, deleted }: ChangeCounts): NewEvent[] {
  const bulk = { filter: { website_id: String(websiteId) }, change_id: changeId };
  const events: NewEvent[] = [];
  if (created > 0) {
    const data = { redirect: null, bulk: { ...bulk, updates: null, count: created } };
    events.push({ event: 'redirect.created', websiteId, data });
  }
  if (updated > 0) {
    const data = { redirect: null, previous: null, bulk: { ...bulk, updates: {}, count: updated } };
    events.push({ event: 'redirect.updated', websiteId, data });
  }
  if (deleted > 0) {
    const data = { redirect: null, bulk: { ...bulk, updates: null, count: deleted } };
    events.push({ event: 'redirect.deleted', websiteId, data });
  }
  return events;
}

/** The row whose rule may be live: the former one, unless only its labels changed or it did not exist. */
function liveRow({ before, after }: ChangeItem, { rev }: LockedWebsite): RedirectRow {
  const row = before && before.rev < rev ? before : (after ?? before);
  if (!row) throw new Error('an undo leaves a state');
  return row;
}

function eventOf({ before, after }: ChangeItem, website: LockedWebsite, deployed: typeof NEVER_DEPLOYED): NewEvent {
  if (before && after) {
    return updatedEvent(before, { ...planChange(before, redirectOf(after), website), row: after }, deployed);
  }
  if (before) return redirectEvent('redirect.deleted', redirectOf(before), deployed);
  if (after) return redirectEvent('redirect.created', redirectOf(after), deployed);
  throw new Error('an undo leaves a state');
}
