import { inEnvironmentOrder } from '../vocabulary/environment.ts';
import type { NewEvent } from '../webhooks/outbox.ts';
import type { PlannedChange } from './change.ts';
import {
  eventRedirect,
  redirectOf,
  type Redirect,
  type RedirectFields,
  type RedirectRow,
} from './redirect.ts';

const ON_THE_WIRE: Record<keyof RedirectFields, string> = {
  oldPath: 'old_path',
  newPath: 'new_path',
  statusCode: 'status_code',
  isRegex: 'is_regex',
  groupId: 'group_id',
  notes: 'notes',
  environments: 'target_environments',
};

/** redirect.updated: the redirect as it is, and what the changed fields were. */
export function updatedEvent(before: RedirectRow, plan: PlannedChange): NewEvent {
  const was = redirectOf(before);
  const previous = Object.fromEntries(
    plan.changed.map((field) => [ON_THE_WIRE[field], wireValue(was, field)]),
  );
  return {
    event: 'redirect.updated',
    websiteId: before.websiteId,
    redirectId: before.id,
    previousUpdatedAt: before.updatedAt,
    data: { redirect: eventRedirect(redirectOf(plan.row)), previous },
  };
}

function wireValue(redirect: Redirect, field: keyof RedirectFields): unknown {
  return field === 'environments' ? inEnvironmentOrder(redirect.environments) : redirect[field];
}
