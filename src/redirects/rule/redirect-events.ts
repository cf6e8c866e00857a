/** Redirects in events: the only place that maps fields of a redirect to their names there, and back. */
import type { ChangedFields, EventRedirect, EventRedirectFields } from '../../events/event-schemas.ts';
import type { NewEvent } from '../../events/outbox.ts';
import { isoSeconds } from '../../platform/clock.ts';
import { inEnvironmentOrder } from '../../vocabulary/environment.ts';
import type { PlannedChange, RedirectChange } from './change.ts';
import { type Redirect, type RedirectFields, redirectOf, type RedirectRow } from './redirect.ts';

/** The redirect as events carry it: ids as strings, environments in the canonical order, null rather than absent. */
export function eventRedirect(redirect: Redirect): EventRedirect {
  return {
    id: String(redirect.id),
    website_id: String(redirect.websiteId),
    ...eventFields(redirect),
    created_at: isoSeconds(redirect.createdAt),
    updated_at: isoSeconds(redirect.updatedAt),
  };
}

/** The event that a redirect was created. */
export function createdEvent(redirect: Redirect): NewEvent {
  return redirectEvent('redirect.created', redirect);
}

/** The event that a redirect was deleted. */
export function deletedEvent(redirect: Redirect): NewEvent {
  return redirectEvent('redirect.deleted', redirect);
}

/**
 * The event that a redirect was changed: the redirect after the change, and the previous values of the changed fields.
 */
export function updatedEvent(before: RedirectRow, plan: PlannedChange): NewEvent {
  const previous = eventFields(redirectOf(before));
  return {
    event: 'redirect.updated',
    websiteId: before.websiteId,
    redirectId: before.id,
    previousUpdatedAt: before.updatedAt,
    data: {
      redirect: eventRedirect(redirectOf(plan.row)),
      previous: Object.fromEntries(plan.changed.map((field) => [NAMES[field], previous[NAMES[field]]])),
    },
  };
}

/** Reads the fields of a stored event. Fields that the event lacks are undefined. */
export function fieldsOfEvent(fields: EventRedirectFields): RedirectFields;
export function fieldsOfEvent(fields: ChangedFields): RedirectChange;
export function fieldsOfEvent(fields: ChangedFields): RedirectChange {
  return {
    oldPath: fields.old_path,
    newPath: fields.new_path,
    statusCode: fields.status_code,
    isRegex: fields.is_regex,
    groupId: fields.group_id,
    notes: fields.notes,
    environments: fields.target_environments,
  };
}

const NAMES = {
  oldPath: 'old_path',
  newPath: 'new_path',
  statusCode: 'status_code',
  isRegex: 'is_regex',
  groupId: 'group_id',
  notes: 'notes',
  environments: 'target_environments',
} as const satisfies Record<keyof RedirectFields, keyof EventRedirectFields>;

function eventFields(fields: RedirectFields): EventRedirectFields {
  return {
    old_path: fields.oldPath,
    new_path: fields.newPath,
    status_code: fields.statusCode,
    is_regex: fields.isRegex,
    group_id: fields.groupId,
    notes: fields.notes,
    target_environments: inEnvironmentOrder(fields.environments),
  };
}

function redirectEvent(event: 'redirect.created' | 'redirect.deleted', redirect: Redirect): NewEvent {
  return {
    event,
    websiteId: redirect.websiteId,
    redirectId: redirect.id,
    data: { redirect: eventRedirect(redirect) },
  };
}
