/** Checks of single fields of a redirect. */
import type { Issue } from '../vocabulary/error.ts';
import { type Environment, ENVIRONMENTS, inEnvironmentOrder, isEnvironment } from '../vocabulary/environment.ts';

function isLongerThan(text: string, max: number): boolean {
  return text.length > max && [...text].length > max;
}

const CONTROL = /[\u0000-\u001f\u007f]/;
// Notes may contain tab, LF and CR.
const CONTROL_IN_NOTES = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/** Control characters could split a header or a log line; lone surrogates have no UTF-8 form. */
export function hasControlCharacter(text: string): boolean {
  return CONTROL.test(text) || !text.isWellFormed();
}

/** The stored form of a label or note: trimmed, null if empty. */
export function trimmedOrNull(text: string | null): string | null {
  const trimmed = text?.trim() ?? '';
  return trimmed === '' ? null : trimmed;
}

export function checkLabels(groupId: string | null, notes: string | null): Issue[] {
  return [labelIssue(groupId ?? ''), noteIssue('notes', notes ?? '', 2_000)].filter((issue) => issue !== undefined);
}

function labelIssue(text: string): Issue | undefined {
  const path = 'group_id';
  if (hasControlCharacter(text))
    return { path, code: 'CONTROL_CHARACTER', message: 'must not contain control characters, nor lone surrogates' };
  return isLongerThan(text, 200) ? { path, code: 'TOO_LONG', message: 'at most 200 characters' } : undefined;
}

/** Checks a text of several lines, at most `max` characters long. */
export function noteIssue(path: string, text: string, max: number): Issue | undefined {
  if (CONTROL_IN_NOTES.test(text) || !text.isWellFormed()) {
    const message = 'must not contain control characters except tab, CR and LF, nor lone surrogates';
    return { path, code: 'CONTROL_CHARACTER', message };
  }
  if (!isLongerThan(text, max)) return undefined;
  return { path, code: 'TOO_LONG', message: `at most ${max.toLocaleString('en')} characters` };
}

export const environmentIssue = (message: string): Issue => ({
  path: 'target_environments',
  code: 'INVALID_ENVIRONMENT',
  message,
});

/** Parses comma-separated names. Ignores white space around names; '' means no environment (a draft). */
export function parseEnvironmentList(text: string): { environments: Environment[] } | { problem: string } {
  if (text.trim() === '') return { environments: [] };
  return checkEnvironments(text.split(',').map((name) => name.trim()));
}

/** Returns the environments in the canonical order, or the problem if a name is unknown or repeated. */
export function checkEnvironments(names: string[]): { environments: Environment[] } | { problem: string } {
  const unknown = names.find((name) => !isEnvironment(name));
  if (unknown !== undefined) {
    return { problem: `${JSON.stringify(unknown)} is not an environment; use ${ENVIRONMENTS.join(', ')}` };
  }
  if (new Set(names).size < names.length) return { problem: 'an environment is repeated' };
  return { environments: inEnvironmentOrder(names.filter(isEnvironment)) };
}
