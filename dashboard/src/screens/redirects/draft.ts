import { statusHasTarget } from '../../../../src/vocabulary/status-code.ts';
import type { Redirect, RedirectFields } from '../../api/wire.ts';

/** A redirect while it is written. Fields are texts, as the controls hold them. */
export type Draft = { [Field in keyof RedirectFields]: NonNullable<RedirectFields[Field]> };

export const EMPTY_DRAFT: Draft = {
  old_path: '',
  new_path: '',
  status_code: 301,
  is_regex: false,
  group_id: '',
  notes: '',
  target_environments: 'production',
};

export function draftOf(redirect: Redirect): Draft {
  const { old_path, new_path, status_code, is_regex, group_id, notes, target_environments } = redirect;
  return {
    old_path,
    new_path: new_path ?? '',
    status_code,
    is_regex,
    group_id: group_id ?? '',
    notes: notes ?? '',
    target_environments,
  };
}

/** As the service wants it: a status without target has none, an empty label is null. */
export function fieldsOf(draft: Draft): RedirectFields {
  return {
    ...draft,
    old_path: draft.old_path.trim(),
    new_path: statusHasTarget(draft.status_code) ? draft.new_path.trim() : null,
    group_id: draft.group_id.trim() || null,
    notes: draft.notes.trim() || null,
  };
}

/** The fields that differ, which are all that is sent. */
export function changesOf(before: Redirect, draft: Draft): Partial<RedirectFields> {
  const fields = fieldsOf(draft);
  const entries = Object.entries(fields).filter(
    ([name, value]) => value !== Object.entries(before).find(([key]) => key === name)?.[1],
  );
  return Object.fromEntries(entries);
}

export type LocalErrors = { [Field in keyof Draft]?: string };

/**
 * What is plainly wrong while it is written, by field. Only what needs nothing but the eye: the service knows the rest, and says it in
 * the same places.
 */
export function localErrors(draft: Draft, targetHosts: readonly string[]): LocalErrors {
  return { ...sourceErrors(draft), ...targetErrors(draft, targetHosts) };
}

function sourceErrors({ old_path: raw, is_regex }: Draft): { old_path?: string } {
  const path = raw.trim();
  if (path === '') return {};
  if (/^https?:\/\//i.test(path))
    return { old_path: 'Only the path, without scheme and host: the website has the host' };
  if (is_regex) return /^\^?\//.test(path) ? {} : { old_path: 'A pattern begins with / or ^/' };
  if (!path.startsWith('/')) return { old_path: 'Begin the path with /' };
  if (path.startsWith('//')) return { old_path: 'Begin the path with one / only' };
  if (path.includes('#')) return { old_path: 'Leave out what follows #: browsers do not send it' };
  return {};
}

function targetErrors(draft: Draft, targetHosts: readonly string[]): { new_path?: string } {
  const target = draft.new_path.trim();
  if (!statusHasTarget(draft.status_code) || target === '') return {};
  const host = /^https:\/\/([^/?#]+)/i.exec(target)?.[1]?.toLowerCase();
  if (host !== undefined) {
    if (targetHosts.includes(host)) return {};
    return {
      new_path: `${host} is not among the target hosts of this website; add it in the website's settings`,
    };
  }
  if (/^http:/i.test(target)) return { new_path: 'Write https://' };
  if (!target.startsWith('/')) return { new_path: 'Begin the path with /' };
  if (/^\/[/\\]/.test(target)) return { new_path: 'Begin the path with one / only' };
  if (!draft.is_regex && target === draft.old_path.trim())
    return { new_path: 'It would lead back to itself' };
  return {};
}
