import type { Queryable } from '../../db/connection/client.ts';
import { checkRedirect } from '../../rules/check-redirect.ts';
import { needsOwnHost, withoutOwnHost } from '../../rules/own-target.ts';
import type { Issue } from '../../vocabulary/error.ts';
import type { Decision } from '../../vocabulary/moves.ts';
import { STATUS_CODES, statusHasTarget } from '../../vocabulary/status-code.ts';
import { readHosts, targetHostsOf, type WebsiteRow } from '../../websites/website.ts';

export interface RowDecision {
  /** null takes the decision back */
  decision: Decision | null;
  /** of a redirect */
  target: string | null;
  /** of a redirect or a gone row; null: the default of the apply */
  statusCode: number | null;
}

/** Plain text after a field's name. */
type Report = (path: 'url' | 'target' | 'status_code', code: Issue['code'], message: string) => Issue;

const issue: Report = (path, code, message) => ({ path, code, message });

/** Returns what is wrong with a decision about a URL. Its target must be a path or on an allowed host. */
export function checkDecision(
  url: string,
  { decision, target, statusCode }: RowDecision,
  allowedTargetHosts: readonly string[],
): Issue[] {
  if (decision !== 'redirect' && decision !== 'gone') {
    const only = 'only a redirect has one, and a gone row a status; send null';
    return [
      ...(target === null ? [] : [issue('target', 'TARGET_NOT_ALLOWED', only)]),
      ...(statusCode === null ? [] : [issue('status_code', 'INVALID_STATUS_CODE', only)]),
    ];
  }
  const hasTarget = decision === 'redirect';
  const allowed = STATUS_CODES.filter((status) => statusHasTarget(status) === hasTarget);
  if (statusCode !== null && !allowed.some((status) => status === statusCode))
    return [issue('status_code', 'INVALID_STATUS_CODE', `must be one of ${allowed.join(', ')} for ${decision}`)];
  if (hasTarget && target === null) return [issue('target', 'TARGET_REQUIRED', 'a redirect needs one')];
  const rule = { oldPath: url, newPath: target, statusCode: statusCode ?? (hasTarget ? 301 : 410), isRegex: false };
  return redirectIssues('url', rule, allowedTargetHosts);
}

/** Returns what is wrong with the redirect that a decision or rule stands for, whose path is the field `name`. */
export function redirectIssues(
  name: 'url' | 'pattern',
  rule: Pick<Parameters<typeof checkRedirect>[0], 'oldPath' | 'newPath' | 'statusCode' | 'isRegex'>,
  allowedTargetHosts: readonly string[],
): Issue[] {
  const { issues } = checkRedirect({ ...rule, activeFrom: null, activeUntil: null }, allowedTargetHosts);
  const words = (text: string): string => text.replaceAll('new_path', 'target').replaceAll('old_path', name);
  return issues.map(({ path, code, message }) => ({ path: words(path), code, message: words(message) }));
}

/** Returns a function that makes targets on the website's own hosts paths. Reads the hosts when a target needs them. */
export function createOwnTargets(db: Queryable, website: Pick<WebsiteRow, 'id' | 'allowedTargetHosts'>) {
  let hosts: Promise<ReturnType<typeof targetHostsOf>> | undefined;
  return async (url: string, target: string | null): Promise<string | null> => {
    if (target === null || !needsOwnHost(target, website.allowedTargetHosts)) return target;
    hosts ??= readHosts(db, website).then((found) => targetHostsOf({ ...website, hosts: found }));
    return withoutOwnHost(target, url, await hosts);
  };
}
