import { checkLabels, parseEnvironmentList } from '../rule/check-fields.ts';
import { checkRedirect } from '../rule/check-redirect.ts';
import { type ImportEntry, type RowError, rowError } from '../rule/entry.ts';
import type { CsvRow } from './row.ts';

/** Checks a row against the rules of a redirect; `allowedTargetHosts` are the website's. */
export function checkRow(row: CsvRow, allowedTargetHosts: readonly string[]): ImportEntry | RowError {
  const { line, oldPath, newPath = null, statusCode, isRegex, groupId, notes } = row;
  const parsed = row.environments === undefined ? undefined : parseEnvironmentList(row.environments);
  if (parsed && 'problem' in parsed) {
    const issue = {
      path: 'target_environments',
      code: 'INVALID_ENVIRONMENT',
      message: parsed.problem,
    } as const;
    return rowError(line, oldPath, issue);
  }
  const rule = { oldPath, newPath, statusCode: statusCode ?? 301, isRegex: isRegex ?? false };
  const { key, issues } = checkRedirect(rule, allowedTargetHosts);
  const issue = issues[0] ?? checkLabels(groupId ?? null, notes ?? null)[0];
  if (issue) return rowError(line, oldPath, issue);
  const environments = row.draft ? [] : parsed?.environments;
  return { line, key, oldPath, newPath, statusCode, isRegex, groupId, notes, environments };
}
