import { isIssue, type Issue, validationError, wrongParameter } from '../../../vocabulary/error.ts';
import { checkEnvironments, checkLabels, environmentIssue, trimmedOrNull } from '../../../rules/check-fields.ts';
import type { TargetHosts } from '../../../rules/check-redirect.ts';
import { readMoment } from '../../../rules/schedule.ts';
import { type CallDefaults, checkedEntry, type ImportEntry, type RowError, rowError } from '../../../rules/entry.ts';

/** Fields that an export writes and an import ignores. */
const READ_ONLY = new Set(
  'id website_id created_at updated_at deployed_to_prod deployed_to_staging deployed_to_dev'.split(' '),
);

export const isReadOnly = (name: string): boolean => READ_ONLY.has(name);

export const isEntryField = (name: string): boolean => FIELDS.has(name) || READ_ONLY.has(name);

/** Values of the call that are known while its entries are read. */
export interface EntryContext extends TargetHosts {
  defaults: CallDefaults;
}

const TEXT_FIELDS = ['new_path', 'group_id', 'notes', 'active_from', 'active_until'] as const;

type EntryFields = { [Name in (typeof TEXT_FIELDS)[number]]?: string | null } & {
  old_path: string;
  status_code?: number;
  is_regex?: boolean;
  target_environments?: string[];
};

/** Checks one entry of a body. Written for a million entries: allocates only what is kept. */
export function checkEntry(value: unknown, index: number, context: EntryContext): ImportEntry | RowError {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return rowError(index, null, NOT_OBJECT);
  const fields = value as Record<string, unknown>;
  const oldPath = typeof fields['old_path'] === 'string' ? fields['old_path'] : null;
  const issue = typeIssue(fields);
  if (issue) return rowError(index, oldPath, issue);
  // typeIssue has checked every field.
  return checkFields(value as EntryFields, index, context);
}

const NOT_OBJECT: Issue = {
  path: 'redirects',
  code: 'INVALID_PARAMETER',
  message: 'an entry must be an object with old_path and new_path',
};

const TEXT_OR_NULL = {
  expected: 'a string or null',
  accepts: (value: unknown): boolean => typeof value === 'string' || value === null,
};
const FIELDS = new Map([
  ['old_path', { expected: 'a string', accepts: (value: unknown) => typeof value === 'string' }],
  ['status_code', { expected: 'a number', accepts: (value: unknown) => typeof value === 'number' }],
  ['is_regex', { expected: 'true or false', accepts: (value: unknown) => typeof value === 'boolean' }],
  ['target_environments', { expected: 'an array of environment names', accepts: isTextList }],
  ...TEXT_FIELDS.map((name) => [name, TEXT_OR_NULL] as const),
]);

/** Checks names and types of the fields; an object without an issue is an EntryFields. */
function typeIssue(fields: Record<string, unknown>): Issue | undefined {
  for (const path in fields) {
    const field = FIELDS.get(path);
    if (!field && !READ_ONLY.has(path))
      return { path, code: 'UNKNOWN_FIELD', message: `"${path}" is not a known field; remove it` };
    if (field && !field.accepts(fields[path]))
      return { path, code: 'INVALID_PARAMETER', message: `${path} must be ${field.expected}` };
  }
  if (fields['old_path'] === undefined)
    return { path: 'old_path', code: 'MISSING_PARAMETER', message: 'old_path is required' };
  const status = fields['status_code'] ?? 301;
  if (fields['new_path'] !== undefined || status === 410 || status === 451) return undefined;
  const message = 'new_path is required; only a 410 or 451 has no target';
  return { path: 'new_path', code: 'MISSING_PARAMETER', message };
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function checkFields(fields: EntryFields, index: number, context: EntryContext): ImportEntry | RowError {
  const { old_path: oldPath, new_path: newPath = null, status_code: statusCode, is_regex: isRegex } = fields;
  const parsed = fields.target_environments && checkEnvironments(fields.target_environments);
  if (parsed && 'problem' in parsed) return rowError(index, oldPath, environmentIssue(parsed.problem));
  const activeFrom = readMoment('active_from', fields.active_from);
  if (isIssue(activeFrom)) return rowError(index, oldPath, activeFrom);
  const activeUntil = readMoment('active_until', fields.active_until);
  if (isIssue(activeUntil)) return rowError(index, oldPath, activeUntil);
  const { defaults } = context;
  const groupId = fields.group_id === undefined ? defaults.groupId : trimmedOrNull(fields.group_id);
  const notes = fields.notes === undefined ? undefined : trimmedOrNull(fields.notes);
  const environments = parsed ? parsed.environments : defaults.environments;
  const labels = { groupId, notes, environments };
  const values = { line: index, oldPath, newPath, statusCode, isRegex, ...labels, activeFrom, activeUntil };
  const entry = checkedEntry(values, context);
  return 'code' in entry ? rowError(index, oldPath, entry) : entry;
}

/** Checks group_id and target_environments of the call itself. Throws INVALID_PARAMETER or VALIDATION_ERROR. */
export function callDefaults(groupId: unknown, environments: unknown): CallDefaults {
  if (groupId !== undefined && groupId !== null && typeof groupId !== 'string')
    throw wrongParameter('group_id', 'must be a string or null');
  if (environments !== undefined && !isTextList(environments))
    throw wrongParameter('target_environments', 'must be an array of environment names');
  const group = groupId === undefined ? undefined : trimmedOrNull(groupId);
  const label = checkLabels(group ?? null, null)[0];
  if (label) throw validationError([label]);
  const parsed = environments && checkEnvironments(environments);
  if (parsed && 'problem' in parsed) throw validationError([environmentIssue(parsed.problem)]);
  return { groupId: group, environments: parsed?.environments };
}
