import { isOwnAddress } from '../../resolver/follow.ts';
import { ruleKey } from '../../resolver/rule.ts';
import { isIssue, type Issue } from '../../vocabulary/error.ts';
import { environmentIssue, parseEnvironmentList } from '../../rules/check-fields.ts';
import { targetHost, type TargetHosts } from '../../rules/check-redirect.ts';
import { checkedEntry, type ImportEntry, type RowError, rowError } from '../../rules/entry.ts';
import { issue, show } from './cells.ts';

type Described = 'groupId' | 'notes' | 'activeFrom' | 'activeUntil';

/** One data row as fields of a redirect. `undefined`: not specified; `null`: explicitly none. */
export interface FileRow
  extends Pick<ImportEntry, 'line' | 'oldPath' | 'statusCode' | 'isRegex'>, Partial<Pick<ImportEntry, Described>> {
  newPath: string | null | undefined;
  /** the comma-separated names of the cell; '' is a draft */
  environments?: string | undefined;
  /** the file marks the rule as disabled */
  draft: boolean;
  websiteId?: number | undefined;
}

export function checkRow(row: FileRow, hosts: TargetHosts<readonly string[]>): ImportEntry | RowError {
  const { line, oldPath, newPath = null, statusCode, isRegex, groupId, notes, activeFrom, activeUntil } = row;
  const parsed = row.environments === undefined ? undefined : parseEnvironmentList(row.environments);
  if (parsed && 'problem' in parsed) return rowError(line, oldPath, environmentIssue(parsed.problem));
  const environments = row.draft ? [] : parsed?.environments;
  const labels = { groupId, notes, environments };
  const entry = checkedEntry(
    { line, oldPath, newPath, statusCode, isRegex, ...labels, activeFrom, activeUntil },
    hosts,
  );
  if (!isIssue(entry)) return entry;
  const isNotAllowed = entry.code === 'TARGET_HOST_NOT_ALLOWED';
  const rule = { key: ruleKey(oldPath, isRegex === true), isRegex: isRegex === true, newPath };
  if (isNotAllowed && isOwnAddress(rule, hosts.servesRules))
    return rowError(line, oldPath, withValue(OWN_ADDRESS, row));
  const host = isNotAllowed && newPath !== null ? targetHost(newPath) : undefined;
  return { ...rowError(line, oldPath, withValue(entry, row)), ...(host !== undefined && { host }) };
}

/** Allowing the host would not help. */
const OWN_ADDRESS = issue(
  'new_path',
  'REDIRECT_LOOP',
  'it is old_path itself on a host of the website, so the redirect would loop; change one of them',
);

function withValue(problem: Issue, row: FileRow): Issue {
  return quotingValue(problem, {
    old_path: row.oldPath,
    new_path: row.newPath,
    status_code: row.statusCode,
    group_id: row.groupId,
    notes: row.notes,
  });
}

/** Puts the value of the field before the message, unless the message has it. */
export function quotingValue({ path, code, message }: Issue, values: Readonly<Record<string, unknown>>): Issue {
  const value = values[path];
  if (value === undefined || value === null || message.startsWith(`${path} is "`)) return issue(path, code, message);
  return issue(path, code, `${path} is ${typeof value === 'string' ? show(value) : String(value)}: ${message}`);
}
