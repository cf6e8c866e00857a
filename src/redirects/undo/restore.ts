import { isDeepStrictEqual } from 'node:util';
import type { Db, Tx } from '../../db/connection/client.ts';
import { and, eq, sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import { redirects } from '../../db/schema/redirects.ts';
import { type ChangedFields, parseRedirectEvent, type StoredRedirect } from '../../events/event-schemas.ts';
import { EVENT_TIME } from '../../events/outbox.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { DomainError, invalid, validationError } from '../../vocabulary/error.ts';
import { type LockedWebsite, lockWebsite, writeTransaction } from '../../websites/write-website.ts';
import { planChange, planCreation } from '../rule/change.ts';
import { fieldsOfEvent, storedRedirect } from '../rule/redirect-events.ts';
import { redirectOf } from '../rule/redirect.ts';
import { applyChange, insertRedirect, type WrittenRedirect } from '../write/single.ts';
import { recordAbsence } from './undo-plan.ts';

/** Maximum age of a change that can be undone. */
const MAX_AGE_HOURS = 24;

interface StoredEvent {
  event: string;
  body: string;
  previousUpdatedAt: string | null;
  isTooOld: boolean;
}

/**
 * Undoes one change or deletion of a single redirect, at most 24 hours old: the redirect gets back its values, its id
 * and its times. Throws EVENT_NOT_FOUND, a validation error (422) if the event cannot be undone or the rule is no
 * longer valid, CONFLICT if the redirect has changed since or its path is taken, and PLAN_LIMIT_EXCEEDED as
 * createRedirect.
 */
export async function restoreRedirect(
  db: Db,
  actor: Actor,
  { websiteId, eventId }: { websiteId: number; eventId: string },
): Promise<WrittenRedirect> {
  return writeTransaction(db, actor, async (tx) => {
    const website = await lockWebsite(tx, actor, websiteId);
    const stored = await requireEvent(tx, websiteId, eventId);
    if (stored.event !== 'redirect.deleted' && stored.event !== 'redirect.updated') {
      const remedy = 'send the id of a redirect.updated or redirect.deleted';
      throw invalid('event_id', `a ${stored.event} cannot be undone; ${remedy}`);
    }
    const { redirect, previous } = parseRedirectEvent(stored.body);
    if (!redirect) {
      const message = 'the event covers many redirects; only a change of one redirect can be undone';
      throw invalid('event_id', message);
    }
    return stored.event === 'redirect.deleted'
      ? undoDeletion(tx, actor, website, redirect)
      : undoUpdate(tx, actor, website, { redirect, previous: previous ?? {}, stored });
  });
}

async function requireEvent(tx: Tx, websiteId: number, eventId: string): Promise<StoredEvent> {
  const [event] = await queryRows<StoredEvent>(tx)`select event, body, previous_updated_at,
        ${EVENT_TIME} < now() - make_interval(hours => ${MAX_AGE_HOURS}) as is_too_old
      from events e where website_id = ${websiteId} and id = ${eventId}`;
  if (!event) {
    throw new DomainError('EVENT_NOT_FOUND', 'Event not found', {
      details: `event_id: the website has no event ${eventId}`,
    });
  }
  if (event.isTooOld) throw invalid('event_id', `the event is older than ${MAX_AGE_HOURS} hours`);
  return event;
}

async function undoDeletion(tx: Tx, actor: Actor, website: LockedWebsite, deleted: StoredRedirect) {
  const plan = planCreation(fieldsOfEvent(deleted), website);
  if (plan.issues.length > 0) throw validationError(plan.issues);
  const id = Number(deleted.id);
  await recordAbsence(tx, website, sql`select ${id}::bigint as id`);
  const [createdAt, updatedAt] = [new Date(deleted.created_at), new Date(deleted.updated_at)];
  return insertRedirect(tx, actor, website, 'restore', plan, { id, createdAt, updatedAt });
}

async function undoUpdate(
  tx: Tx,
  actor: Actor,
  website: LockedWebsite,
  { redirect, previous, stored }: { redirect: StoredRedirect; previous: ChangedFields; stored: StoredEvent },
): Promise<WrittenRedirect> {
  const [row] = await tx
    .select()
    .from(redirects)
    .where(and(eq(redirects.id, Number(redirect.id)), eq(redirects.websiteId, website.id)));
  if (!row || !isDeepStrictEqual(storedRedirect(redirectOf(row)), redirect)) {
    throw new DomainError('CONFLICT', 'The redirect has changed since the event', {
      details: 'event_id: the redirect was changed or deleted after this event; undo the later event first',
    });
  }
  const plan = planChange(row, fieldsOfEvent(previous), website);
  if (stored.previousUpdatedAt !== null) plan.row.updatedAt = new Date(stored.previousUpdatedAt);
  return applyChange(tx, actor, website, 'restore', row, plan);
}
