/** Redirects in events: the only place that maps fields of a redirect to their names there, and back. */
import type { DeployedTimes } from '../../deployments/live/database/deployed-at.ts';
import type { ChangedFields, EventRedirect, EventRedirectFields, StoredRedirect } from '../../events/event-schemas.ts';
import type { NewEvent } from '../../events/outbox.ts';
import { isoSeconds } from '../../platform/clock.ts';
import { inEnvironmentOrder } from '../../vocabulary/environment.ts';
import type { PlannedChange, RedirectChange } from './change.ts';
import { FIELD_NAMES, FIELDS } from './fields.ts';
import { type Redirect, type RedirectFields, redirectOf, type RedirectRow } from './redirect.ts';

/** The redirect as events store it: ids as strings, environments in the canonical order, null rather than absent. */
export function storedRedirect(redirect: Redirect): StoredRedirect {
  return {
    id: String(redirect.id),
    website_id: String(redirect.websiteId),
    ...eventFields(redirect),
    created_at: isoSeconds(redirect.createdAt),
    updated_at: isoSeconds(redirect.updatedAt),
  };
}

function eventRedirect(redirect: Redirect, deployed: DeployedTimes): EventRedirect {
  return {
    ...storedRedirect(redirect),
    ...deployedFields(deployed),
  };
}

/** When the live rule of a redirect was published, as events have it. */
export function deployedFields({ production, staging, development }: DeployedTimes) {
  return {
    deployed_to_prod: production && isoSeconds(production),
    deployed_to_staging: staging && isoSeconds(staging),
    deployed_to_dev: development && isoSeconds(development),
  };
}

/** The event that a redirect was created or deleted. `deployed`: the times of its live rule. */
export function redirectEvent(
  event: 'redirect.created' | 'redirect.deleted',
  redirect: Redirect,
  deployed: DeployedTimes,
): NewEvent {
  const { websiteId, id } = redirect;
  return { event, websiteId, redirectId: id, data: { redirect: eventRedirect(redirect, deployed) } };
}

/**
 * The event that a redirect was changed, with the previous values of the changed fields. `deployed`: the times of its
 * live rule, which a change keeps until the next deployment.
 */
export function updatedEvent(before: RedirectRow, plan: PlannedChange, deployed: DeployedTimes): NewEvent {
  const previous = eventFields(redirectOf(before));
  return {
    event: 'redirect.updated',
    websiteId: before.websiteId,
    redirectId: before.id,
    previousUpdatedAt: before.updatedAt,
    data: {
      redirect: eventRedirect(redirectOf(plan.row), deployed),
      previous: Object.fromEntries(plan.changed.map((name) => [FIELDS[name].wire, previous[FIELDS[name].wire]])),
    },
  };
}

/** Reads the fields of a stored event. Fields that the event lacks are undefined. */
export function fieldsOfEvent(fields: EventRedirectFields): RedirectFields;
export function fieldsOfEvent(fields: ChangedFields): RedirectChange;
export function fieldsOfEvent(fields: ChangedFields): RedirectChange {
  const { active_from: from, active_until: until } = fields;
  return {
    ...Object.fromEntries(FIELD_NAMES.map((name) => [name, fields[FIELDS[name].wire]])),
    activeFrom: typeof from === 'string' ? new Date(from) : from,
    activeUntil: typeof until === 'string' ? new Date(until) : until,
  };
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
    active_from: fields.activeFrom && isoSeconds(fields.activeFrom),
    active_until: fields.activeUntil && isoSeconds(fields.activeUntil),
  };
}
