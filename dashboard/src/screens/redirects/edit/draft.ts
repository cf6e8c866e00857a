import { statusHasTarget } from '../../../../../src/vocabulary/status-code.ts';
import type { Redirect, RedirectFields } from '../../../api/client/wire.ts';
import { fieldChanges, REDIRECT_FIELDS } from '../../../ui/form/redirect-fields.ts';

/** The values of the form for a redirect; empty texts instead of null. Times are ISO times. */
export type Draft = { [Field in keyof RedirectFields]: NonNullable<RedirectFields[Field]> };

/** The fields of a redirect or of a former version. */
export const ruleOf = (redirect: RedirectFields): RedirectFields =>
  Object.fromEntries(REDIRECT_FIELDS.map((name) => [name, redirect[name]])) as RedirectFields;

export const draftOf = (redirect: RedirectFields): Draft =>
  Object.fromEntries(REDIRECT_FIELDS.map((name) => [name, redirect[name] ?? ''])) as Draft;

export const EMPTY_DRAFT: Draft = draftOf({
  old_path: '',
  new_path: null,
  status_code: 301,
  is_regex: false,
  group_id: null,
  notes: null,
  target_environments: 'production',
  active_from: null,
  active_until: null,
});

/** The body of the request: no target for a status without one, null for empty group, notes and times. */
export function fieldsOf(draft: Draft): RedirectFields {
  return {
    ...draft,
    old_path: draft.old_path.trim(),
    new_path: statusHasTarget(draft.status_code) ? draft.new_path.trim() : null,
    group_id: draft.group_id.trim() || null,
    notes: draft.notes.trim() || null,
    active_from: draft.active_from || null,
    active_until: draft.active_until || null,
  };
}

/** The fields that differ from the stored redirect; only these are sent. */
export function changesOf(before: Redirect, draft: Draft): Partial<RedirectFields> {
  const fields = fieldsOf(draft);
  return Object.fromEntries(
    REDIRECT_FIELDS.filter((name) => fields[name] !== before[name]).map((name) => [name, fields[name]]),
  );
}

/** Fields that are one setting: a change of one may not fit that of another. */
const SETTINGS: readonly (readonly string[])[] = [
  ['old_path', 'new_path', 'status_code', 'is_regex'],
  ['active_from', 'active_until'],
];

/** Whether someone else has changed only settings that `mine` leaves as they were. */
export function areApart(before: Redirect, theirs: Redirect, mine: Partial<RedirectFields>): boolean {
  const names = Object.keys(mine);
  const settings = SETTINGS.filter((fields) => fields.some((name) => name in mine)).flat();
  return fieldChanges(before, theirs, [...names, ...settings]).length === 0;
}

export type LocalErrors = { [Field in keyof Draft]?: string };

/** Errors by field that need no request. The service reports all others. */
export function localErrors(draft: Draft, targetHosts: readonly string[]): LocalErrors {
  return { ...sourceErrors(draft), ...targetErrors(draft, targetHosts), ...scheduleErrors(draft) };
}

function scheduleErrors({ active_from: from, active_until: until }: Draft): { active_until?: string } {
  if (from === '' || until === '' || Date.parse(from) < Date.parse(until)) return {};
  return { active_until: 'The end must be after the start' };
}

function sourceErrors({ old_path: raw, is_regex }: Draft): { old_path?: string } {
  const path = raw.trim();
  if (path === '') return {};
  if (/^https?:\/\//i.test(path)) return { old_path: 'Enter only the path, without scheme and host' };
  if (is_regex) return /^\^?\//.test(path) ? {} : { old_path: 'Start the pattern with / or ^/' };
  if (!path.startsWith('/')) return { old_path: 'Start the path with /' };
  if (path.startsWith('//')) return { old_path: 'Start the path with a single /' };
  if (path.includes('#')) return { old_path: 'Remove the # part: browsers do not send it' };
  return {};
}

const HTTPS_HOST = /^https:\/\/([^/?#]+)/i;

/** The host of the target, if the website does not allow it. */
export function foreignTarget(
  { new_path: target, status_code: status }: Draft,
  targetHosts: readonly string[],
): string | undefined {
  if (!statusHasTarget(status)) return undefined;
  const host = HTTPS_HOST.exec(target.trim())?.[1]?.toLowerCase();
  return host !== undefined && !targetHosts.includes(host) ? host : undefined;
}

function targetErrors(draft: Draft, targetHosts: readonly string[]): { new_path?: string } {
  const target = draft.new_path.trim();
  if (!statusHasTarget(draft.status_code) || target === '') return {};
  const host = foreignTarget(draft, targetHosts);
  if (host !== undefined) return { new_path: `${host} is not an allowed target host` };
  if (HTTPS_HOST.test(target)) return {};
  if (/^http:/i.test(target)) return { new_path: 'Use https://' };
  if (!target.startsWith('/')) return { new_path: 'Start the path with /' };
  if (/^\/[/\\]/.test(target)) return { new_path: 'Start the path with a single /' };
  if (!draft.is_regex && target === draft.old_path.trim()) return { new_path: 'The target is the same as the source' };
  return {};
}
