import { DomainError } from '../../vocabulary/error.ts';
import { checkRedirect } from '../rule/check-redirect.ts';
import { checkEnvironments, checkLabels, trimmedOrNull } from '../rule/check-fields.ts';
import type { CallDefaults, ImportEntry, ImportError } from '../import/entry.ts';

/** Fields of a redirect that an export writes and an import neither needs nor takes. */
const READ_ONLY = new Set([
  'id',
  'website_id',
  'created_at',
  'updated_at',
  'deployed_to_prod',
  'deployed_to_staging',
  'deployed_to_dev',
]);

/** What is known of the website while entries are read; undefined hosts: it is named after them. */
export interface EntryContext {
  allowedTargetHosts: readonly string[] | undefined;
  defaults: CallDefaults;
}

/** An entry that is good by itself, or why it is not. Written for a million entries: nothing is made that is not kept. */
export function checkEntry(value: unknown, index: number, context: EntryContext): ImportEntry | ImportError {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return refused(
      index,
      null,
      'redirects',
      'INVALID_PARAMETER',
      'an entry must be an object with old_path and new_path',
    );
  }
  const fields = value as Record<string, unknown>;
  const oldPath = typeof fields['old_path'] === 'string' ? fields['old_path'] : null;
  const problem = typeProblem(fields);
  if (problem) return refused(index, oldPath, ...problem);
  // typeProblem has seen every field.
  return checkFields(value as EntryFields, index, context);
}

interface EntryFields {
  old_path: string;
  new_path?: string | null;
  status_code?: number;
  is_regex?: boolean;
  group_id?: string | null;
  notes?: string | null;
  target_environments?: string[];
}

type Problem = [column: string, code: string, message: string];

/** Types and names of the fields; what is left then is an EntryFields. */
function typeProblem(fields: Record<string, unknown>): Problem | undefined {
  for (const name in fields) {
    const expected = expectedType(name, fields[name]);
    if (expected === 'unknown') return [name, 'UNKNOWN_FIELD', `"${name}" is not a known field; remove it`];
    if (expected !== undefined) return [name, 'INVALID_PARAMETER', `${name} must be ${expected}`];
  }
  if (fields['old_path'] === undefined) return ['old_path', 'MISSING_PARAMETER', 'old_path is required'];
  const status = fields['status_code'] ?? 301;
  if (fields['new_path'] !== undefined || status === 410 || status === 451) return undefined;
  return ['new_path', 'MISSING_PARAMETER', 'new_path is required; only a 410 or 451 goes without a target'];
}

/** What the field's value should have been; undefined where it is right. */
function expectedType(name: string, value: unknown): string | undefined {
  switch (name) {
    case 'old_path':
      return typeof value === 'string' ? undefined : 'a string';
    case 'new_path':
    case 'group_id':
    case 'notes':
      return typeof value === 'string' || value === null ? undefined : 'a string or null';
    case 'status_code':
      return typeof value === 'number' ? undefined : 'a number';
    case 'is_regex':
      return typeof value === 'boolean' ? undefined : 'true or false';
    case 'target_environments':
      return isTextList(value) ? undefined : 'an array of environment names';
    default:
      return READ_ONLY.has(name) ? undefined : 'unknown';
  }
}

export function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function checkFields(fields: EntryFields, index: number, context: EntryContext): ImportEntry | ImportError {
  const { old_path: oldPath, new_path: newPath = null, status_code: statusCode, is_regex: isRegex } = fields;
  const refuse = (...problem: Problem): ImportError => refused(index, oldPath, ...problem);
  const parsed = fields.target_environments && checkEnvironments(fields.target_environments);
  if (parsed && 'problem' in parsed)
    return refuse('target_environments', 'INVALID_ENVIRONMENT', parsed.problem);
  const rule = { oldPath, newPath, statusCode: statusCode ?? 301, isRegex: isRegex ?? false };
  const { allowedTargetHosts } = context;
  const { key, issues } = checkRedirect(rule, allowedTargetHosts ?? ANY_HOST);
  const issue = issues[0];
  if (issue) return refuse(issue.path, issue.code, issue.message);
  const { defaults } = context;
  const groupId = fields.group_id === undefined ? defaults.groupId : trimmedOrNull(fields.group_id);
  const notes = fields.notes === undefined ? undefined : trimmedOrNull(fields.notes);
  if (typeof fields.group_id === 'string' || typeof notes === 'string') {
    const label = checkLabels(groupId ?? null, notes ?? null)[0];
    if (label) return refuse(label.path, label.code, label.message);
  }
  const environments = parsed ? parsed.environments : defaults.environments;
  const isUndecided = allowedTargetHosts === undefined && newPath !== null && !newPath.startsWith('/');
  return {
    line: index,
    key,
    oldPath,
    newPath,
    statusCode,
    isRegex,
    groupId,
    notes,
    environments,
    isUndecided,
  };
}

/** Allows every host: the merge decides once the website is known. */
const ANY_HOST: readonly string[] = Object.assign([], { includes: () => true });

function refused(index: number, oldPath: string | null, ...[column, code, message]: Problem): ImportError {
  return { line: index, column, code, message, oldPath };
}

export function isRefused(checked: ImportEntry | ImportError): checked is ImportError {
  return 'code' in checked;
}

/** group_id and target_environments of the call itself; 400 or 422 where they are not such. */
export function callDefaults(groupId: unknown, environments: unknown): CallDefaults {
  if (groupId !== undefined && groupId !== null && typeof groupId !== 'string') {
    throw wrongType('group_id', 'must be a string or null');
  }
  if (environments !== undefined && !isTextList(environments)) {
    throw wrongType('target_environments', 'must be an array of environment names');
  }
  const group = groupId === undefined ? undefined : trimmedOrNull(groupId);
  const label = checkLabels(group ?? null, null)[0];
  if (label)
    throw new DomainError('VALIDATION_ERROR', label.message, {
      details: `group_id: ${label.message}`,
      issues: [label],
    });
  const parsed = environments && checkEnvironments(environments);
  if (parsed && 'problem' in parsed) {
    const issue = {
      path: 'target_environments',
      code: 'INVALID_ENVIRONMENT' as const,
      message: parsed.problem,
    };
    throw new DomainError('VALIDATION_ERROR', parsed.problem, {
      details: `target_environments: ${parsed.problem}`,
      issues: [issue],
    });
  }
  return { groupId: group, environments: parsed?.environments };
}

export function wrongType(field: string, message: string): DomainError {
  return new DomainError('INVALID_PARAMETER', `${field}: ${message}`, {
    details: `${field}: ${message}`,
    issues: [{ path: field, code: 'INVALID_PARAMETER', message }],
  });
}
