import { and, eq, sql } from 'drizzle-orm';
import type { Db, Tx } from '../../db/client.ts';
import { redirectRevisions, redirects } from '../../db/schema.ts';
import { type QueuedDeployment, queueAutomaticDeployments } from '../../deployments/publish/queue.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { DomainError, invalid, validationError } from '../../vocabulary/error.ts';
import { EVENT_TIME, publishEvents } from '../../events/outbox.ts';
import { type LockedWebsite, lockWebsite, writeTransaction } from '../../websites/write-website.ts';
import { planChange, type RedirectChange, sinceRevision } from '../rule/change.ts';
import { pathTaken } from '../write/create.ts';
import { checkRedirect } from '../rule/check-redirect.ts';
import { assertNoLoop } from '../rule/find-loop.ts';
import { refuseTooManyPatterns } from '../rule/pattern-limit.ts';
import { eventRedirect, type Redirect, redirectOf, type RedirectRow } from '../rule/redirect.ts';
import { applyChange, updatedEvent } from '../write/update.ts';

/** What a change can be taken back for. */
const WINDOW_HOURS = 24;

interface StoredEvent extends Record<string, unknown> {
  event: string;
  body: string;
  previous_updated_at: string | null;
  too_old: boolean;
}

/** The redirect as redirect.* events carry it (redirect.ts, eventRedirect). */
interface EventRedirect {
  id: string;
  old_path: string;
  new_path: string | null;
  status_code: number;
  is_regex: boolean;
  group_id: string | null;
  notes: string | null;
  target_environments: Environment[];
  created_at: string;
  updated_at: string;
}

/**
 * Takes back a single change or deletion that is at most 24 hours old: the redirect is again what it was before the event, under
 * its id and with its times. CONFLICT where it was changed again since, or its path was taken; the usual 422 where the website
 * no longer takes such a rule.
 */
export async function restoreRedirect(
  db: Db,
  actor: Actor,
  input: { websiteId: number; eventId: string },
): Promise<{ redirect: Redirect; deployments: QueuedDeployment[] }> {
  return writeTransaction(db, actor, async (tx) => {
    const website = await lockWebsite(tx, actor, input.websiteId);
    const stored = await requireEvent(tx, website.id, input.eventId);
    const { data } = JSON.parse(stored.body) as {
      data: { redirect: EventRedirect | null; previous?: Partial<EventRedirect> };
    };
    if (!data.redirect)
      throw invalid(
        'event_id',
        'the event stands for many redirects; only a single change can be taken back',
      );
    if (stored.event === 'redirect.deleted') return undelete(tx, actor, website, data.redirect);
    if (stored.event === 'redirect.updated') {
      return takeBack(tx, actor, website, data.redirect, data.previous ?? {}, stored.previous_updated_at);
    }
    throw invalid(
      'event_id',
      `a ${stored.event} cannot be taken back; name a redirect.updated or redirect.deleted`,
    );
  });
}

async function requireEvent(tx: Tx, websiteId: number, eventId: string): Promise<StoredEvent> {
  const { rows } = await tx.execute<StoredEvent>(sql`
    select event, body, previous_updated_at, ${EVENT_TIME} < now() - make_interval(hours => ${WINDOW_HOURS}) as too_old
    from events e where website_id = ${websiteId} and id = ${eventId}`);
  const event = rows[0];
  if (!event)
    throw new DomainError('EVENT_NOT_FOUND', 'Event not found', {
      details: `event_id: the website has no event ${eventId}`,
    });
  if (event.too_old) throw invalid('event_id', `the event is older than ${WINDOW_HOURS} hours`);
  return event;
}

async function undelete(
  tx: Tx,
  actor: Actor,
  website: LockedWebsite,
  was: EventRedirect,
): Promise<{ redirect: Redirect; deployments: QueuedDeployment[] }> {
  const fields = fieldsOf(was);
  const { key, pattern, issues } = checkRedirect(fields, website.allowedTargetHosts);
  if (issues.length > 0) throw validationError(issues);
  if (pattern) await refuseTooManyPatterns(tx, website.id, [pattern]);
  const since = sinceRevision(fields.environments, website.rev);
  const times = { createdAt: new Date(was.created_at), updatedAt: new Date(was.updated_at) };
  const values = {
    ...fields,
    ...since,
    ...times,
    id: Number(was.id),
    websiteId: website.id,
    key,
    rev: website.rev,
  };
  const [row] = await tx.insert(redirects).values(values).onConflictDoNothing().returning();
  if (!row) throw pathTaken(fields.oldPath);
  await fillGap(tx, values);
  if (!fields.isRegex) await assertNoLoop(tx, website, row, fields.environments);
  const redirect = redirectOf(row);
  await publishEvents(tx, actor, website.now, [
    {
      event: 'redirect.created',
      websiteId: website.id,
      redirectId: row.id,
      data: { redirect: eventRedirect(redirect) },
    },
  ]);
  return { redirect, deployments: await queueAutomaticDeployments(tx, actor, website, fields.environments) };
}

/**
 * The time of its absence is a revision that is targeted nowhere: it links the past of the redirect, and lets the difference between
 * versions find an id that is not newer than all others.
 */
async function fillGap(
  tx: Tx,
  restored: { id: number; websiteId: number; rev: number } & RestoredFields,
): Promise<void> {
  const { id, websiteId, rev } = restored;
  const { rows } = await tx.execute<{ rev_to: number }>(sql`
    select rev_to from redirect_revisions where website_id = ${websiteId} and redirect_id = ${id} order by rev_to desc limit 1`);
  const nowhere = { inProd: null, inStaging: null, inDev: null };
  const gap = { ...restored, ...nowhere, redirectId: id, revFrom: rows[0]?.rev_to ?? rev, revTo: rev };
  await tx.insert(redirectRevisions).values(gap);
}

type RestoredFields = Pick<RedirectRow, 'key' | 'oldPath' | 'newPath' | 'statusCode' | 'isRegex'>;

async function takeBack(
  tx: Tx,
  actor: Actor,
  website: LockedWebsite,
  after: EventRedirect,
  previous: Partial<EventRedirect>,
  previousUpdatedAt: string | null,
): Promise<{ redirect: Redirect; deployments: QueuedDeployment[] }> {
  const [row] = await tx
    .select()
    .from(redirects)
    .where(and(eq(redirects.id, Number(after.id)), eq(redirects.websiteId, website.id)));
  if (!row || JSON.stringify(eventRedirect(redirectOf(row))) !== JSON.stringify(after)) {
    throw new DomainError('CONFLICT', 'The redirect has changed since', {
      details:
        'event_id: the redirect was changed or deleted after this event; take back the later event first',
    });
  }
  const plan = planChange(row, changeOf(previous), website);
  if (plan.issues.length > 0) throw validationError(plan.issues);
  if (previousUpdatedAt !== null) plan.row.updatedAt = new Date(previousUpdatedAt);
  await applyChange(tx, website, plan);
  await publishEvents(tx, actor, website.now, [updatedEvent(row, plan)]);
  const deployments = await queueAutomaticDeployments(tx, actor, website, plan.touched);
  return { redirect: redirectOf(plan.row), deployments };
}

function fieldsOf(was: EventRedirect) {
  return {
    oldPath: was.old_path,
    newPath: was.new_path,
    statusCode: was.status_code,
    isRegex: was.is_regex,
    groupId: was.group_id,
    notes: was.notes,
    environments: was.target_environments,
  };
}

function changeOf(previous: Partial<EventRedirect>): RedirectChange {
  return {
    oldPath: previous.old_path,
    newPath: previous.new_path,
    statusCode: previous.status_code,
    isRegex: previous.is_regex,
    groupId: previous.group_id,
    notes: previous.notes,
    environments: previous.target_environments,
  };
}
