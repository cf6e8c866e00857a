import { type Issue, validationError, wrongParameter } from '../../../vocabulary/error.ts';
import { checkEnvironments, checkLabels, environmentIssue, trimmedOrNull } from '../../../rules/check-fields.ts';
import { type AllowedHosts, checkRedirect, type TargetHosts } from '../../../rules/check-redirect.ts';
import { isOwnAddress } from '../../../resolver/follow.ts';
import { isScheduleIssue, readMoment } from '../../../rules/schedule.ts';
import { type CallDefaults, type ImportEntry, type RowError, rowError } from '../../../rules/entry.ts';

/** Fields that an export writes and an import ignores. */
const READ_ONLY = new Set([
  'id',
  'website_id',
  'created_at',
  'updated_at',
  'deployed_to_prod',
  'deployed_to_staging',
  'deployed_to_dev',
]);

/** True for a field that an entry may have and an import ignores. */
export const isReadOnly = (name: string): boolean => READ_ONLY.has(name);

/** True for a field that an entry may have. */
export const isEntryField = (name: string): boolean => expectedType(name, undefined) !== 'unknown';

/** Values of the call that are known while its entries are read. */
export interface EntryContext extends TargetHosts {
  /** 'any' until the call names its website; the merge then checks the hosts */
  allowedTargetHosts: AllowedHosts;
  defaults: CallDefaults;
}

interface EntryFields {
  old_path: string;
  new_path?: string | null;
  status_code?: number;
  is_regex?: boolean;
  group_id?: string | null;
  notes?: string | null;
  target_environments?: string[];
  active_from?: string | null;
  active_until?: string | null;
}

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

/** Checks names and types of the fields; an object without an issue is an EntryFields. */
function typeIssue(fields: Record<string, unknown>): Issue | undefined {
  for (const path in fields) {
    const expected = expectedType(path, fields[path]);
    if (expected === 'unknown')
      return { path, code: 'UNKNOWN_FIELD', message: `"${path}" is not a known field; remove it` };
    if (expected) return { path, code: 'INVALID_PARAMETER', message: `${path} must be ${expected}` };
  }
  if (fields['old_path'] === undefined)
    return { path: 'old_path', code: 'MISSING_PARAMETER', message: 'old_path is required' };
  const status = fields['status_code'] ?? 301;
  if (fields['new_path'] !== undefined || status === 410 || status === 451) return undefined;
  const message = 'new_path is required; only a 410 or 451 has no target';
  return { path: 'new_path', code: 'MISSING_PARAMETER', message };
}

/** The type that the field should have; undefined if it has it. */
function expectedType(name: string, value: unknown): string | undefined {
  switch (name) {
    case 'old_path':
      return typeof value === 'string' ? undefined : 'a string';
    case 'new_path':
    case 'group_id':
    case 'notes':
    case 'active_from':
    case 'active_until':
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

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function checkFields(fields: EntryFields, index: number, context: EntryContext): ImportEntry | RowError {
  const { old_path: oldPath, new_path: newPath = null, status_code: statusCode, is_regex: isRegex } = fields;
  const parsed = fields.target_environments && checkEnvironments(fields.target_environments);
  if (parsed && 'problem' in parsed) return rowError(index, oldPath, environmentIssue(parsed.problem));
  const activeFrom = readMoment('active_from', fields.active_from);
  if (isScheduleIssue(activeFrom)) return rowError(index, oldPath, activeFrom);
  const activeUntil = readMoment('active_until', fields.active_until);
  if (isScheduleIssue(activeUntil)) return rowError(index, oldPath, activeUntil);
  const window = { activeFrom: activeFrom ?? null, activeUntil: activeUntil ?? null };
  const rule = { oldPath, newPath, statusCode: statusCode ?? 301, isRegex: isRegex ?? false, ...window };
  const { allowedTargetHosts, servesRules, defaults } = context;
  const { key, issues } = checkRedirect(rule, allowedTargetHosts);
  if (issues[0]) return rowError(index, oldPath, issues[0]);
  const groupId = fields.group_id === undefined ? defaults.groupId : trimmedOrNull(fields.group_id);
  const notes = fields.notes === undefined ? undefined : trimmedOrNull(fields.notes);
  if (typeof fields.group_id === 'string' || typeof notes === 'string') {
    const label = checkLabels(groupId ?? null, notes ?? null)[0];
    if (label) return rowError(index, oldPath, label);
  }
  const environments = parsed ? parsed.environments : defaults.environments;
  const isAddress = newPath !== null && !newPath.startsWith('/');
  const isUndecided = isAddress && (allowedTargetHosts === 'any' || isOwnAddress({ ...rule, key }, servesRules));
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
    activeFrom,
    activeUntil,
    isUndecided,
  };
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
