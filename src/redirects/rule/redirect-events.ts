/** Redirects in events: the only place that maps fields of a redirect to their names there, and back. */
import type { ChangedFields, EventRedirect, EventRedirectFields } from '../../events/event-schemas.ts';
import type { NewEvent } from '../../events/outbox.ts';
import { isoSeconds } from '../../platform/clock.ts';
import { inEnvironmentOrder } from '../../vocabulary/environment.ts';
import type { PlannedChange, RedirectChange } from './change.ts';
import { type Redirect, type RedirectFields, redirectOf, type RedirectRow, WIRE_NAMES } from './redirect.ts';

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

/** The event that a redirect was created or deleted. */
export function redirectEvent(event: 'redirect.created' | 'redirect.deleted', redirect: Redirect): NewEvent {
  const { websiteId, id } = redirect;
  return { event, websiteId, redirectId: id, data: { redirect: eventRedirect(redirect) } };
}

/** The event that a redirect was changed, with the previous values of the changed fields. */
export function updatedEvent(before: RedirectRow, plan: PlannedChange): NewEvent {
  const previous = eventFields(redirectOf(before));
  return {
    event: 'redirect.updated',
    websiteId: before.websiteId,
    redirectId: before.id,
    previousUpdatedAt: before.updatedAt,
    data: {
      redirect: eventRedirect(redirectOf(plan.row)),
      previous: Object.fromEntries(plan.changed.map((field) => [WIRE_NAMES[field], previous[WIRE_NAMES[field]]])),
    },
  };
}

/** Reads the fields of a stored event. Fields that the event lacks are undefined. */
export function fieldsOfEvent(fields: EventRedirectFields): RedirectFields;
export function fieldsOfEvent(fields: ChangedFields): RedirectChange;
export function fieldsOfEvent(fields: ChangedFields): RedirectChange {
  return Object.fromEntries(Object.entries(WIRE_NAMES).map(([field, name]) => [field, fields[name]]));
}

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
