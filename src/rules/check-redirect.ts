import { utf8Length } from '../resolver/literals/byte-text.ts';
import { canonicalPath } from '../resolver/spelling/canonical-path.ts';
import { admitPattern, type Pattern } from '../resolver/patterns/pattern.ts';
import { type Rule, ruleKey } from '../resolver/rule.ts';
import { targetParts, targetReferences } from '../resolver/target.ts';
import type { ErrorCode, Issue } from '../vocabulary/error.ts';
import { isStatusCode, STATUS_CODES, statusHasTarget } from '../vocabulary/status-code.ts';
import { hasControlCharacter } from './check-fields.ts';
import { demandsQuery } from './demands-query.ts';
import { checkSchedule, type Schedule } from './schedule.ts';

const MAX_PATH_BYTES = 2_048;
/** Each may be as long as the path of a request. */
const MAX_REFERENCES = 20;

/** A website's allowed_target_hosts; 'any' while the website is unknown. */
export type AllowedHosts = readonly string[] | 'any';

/** The hosts of a website, as far as they decide about an absolute target. */
export interface TargetHosts<Allowed extends AllowedHosts = AllowedHosts> {
  allowedTargetHosts: Allowed;
  /** in any environment */
  servesRules: (host: string) => boolean;
}

type RuleFields = Pick<Rule, 'newPath' | 'statusCode' | 'isRegex'> & { oldPath: string };

export interface CheckedRedirect {
  /** the canonical form of the path, or the text of the pattern; meaningless if there are issues */
  key: string;
  /** the compiled pattern; null for a literal path */
  pattern: Pattern | null;
  issues: Issue[];
}

/**
 * Checks a redirect against the rules of docs/api.md that need only the redirect and the website's target hosts. Pure:
 * callers check uniqueness, limits and loops through other redirects.
 */
export function checkRedirect(fields: RuleFields & Schedule, allowedTargetHosts: AllowedHosts): CheckedRedirect {
  const never = checkSchedule(fields);
  if (isPlain(fields) && !never) return { key: fields.oldPath, pattern: null, issues: [] };
  const issues: Issue[] = never ? [never] : [];
  const reporter =
    (path: string, usualCode: ErrorCode): Report =>
    (message, code = usualCode) =>
      void issues.push({ path, code, message });
  const reportOld = reporter('old_path', 'INVALID_OLD_PATH');
  const reportNew = reporter('new_path', 'INVALID_NEW_PATH');
  const { newPath, statusCode, isRegex } = fields;
  const pattern = checkOldPath(fields.oldPath, isRegex, reportOld);
  if (!isStatusCode(statusCode)) {
    reporter('status_code', 'INVALID_STATUS_CODE')(`must be one of ${STATUS_CODES.join(', ')}`);
  } else if (statusHasTarget(statusCode) && newPath === null) {
    reportNew(`a ${statusCode} needs a new_path`, 'TARGET_REQUIRED');
  } else if (!statusHasTarget(statusCode) && newPath !== null) {
    reportNew(`a ${statusCode} has no target; omit new_path or send null`, 'TARGET_NOT_ALLOWED');
  }
  if (newPath !== null) checkNewPath(newPath, allowedTargetHosts, reportNew);
  if (issues.length > 0) return { key: '', pattern: null, issues };
  if (pattern && newPath !== null) checkReferences(newPath, pattern, reportNew);
  const key = ruleKey(fields.oldPath, isRegex);
  if (utf8Length(key) > MAX_PATH_BYTES) reportOld(tooLong('old_path, in canonical form,'), 'TOO_LONG');
  if (!isRegex && newPath !== null && redirectsToItself(key, newPath)) {
    reportNew('old_path and new_path are the same path; the redirect would loop', 'REDIRECT_LOOP');
  }
  return { key, pattern, issues };
}

/** Nonempty segments of unreserved characters, none with a leading dot: such a path is its own canonical form. */
const PLAIN_PATH = /^\/(?:[\w~-][\w.~-]*(?:\/|$))*$/;

/** Fast path for two plain paths, which most redirects are: a tenth of the full checks (1.2 s for 1,000,000). */
function isPlain({ oldPath, newPath, statusCode, isRegex }: RuleFields): boolean {
  return (
    !isRegex &&
    newPath !== null &&
    oldPath !== newPath &&
    oldPath.length <= MAX_PATH_BYTES &&
    newPath.length <= MAX_PATH_BYTES &&
    isStatusCode(statusCode) &&
    statusHasTarget(statusCode) &&
    PLAIN_PATH.test(oldPath) &&
    PLAIN_PATH.test(newPath)
  );
}

type Report = (message: string, code?: ErrorCode) => void;

const tooLong = (what: string): string => `${what} is longer than ${MAX_PATH_BYTES} bytes`;

/** Checks that apply to both paths. Returns false if further checks of the text make no sense. */
function checkPathText(path: string, text: string, report: Report): boolean {
  if (hasControlCharacter(text)) {
    report('must not contain control characters or lone surrogates; percent-encode them', 'CONTROL_CHARACTER');
  } else if (text.trim() !== text) {
    report('must not begin or end with white space');
  } else if (utf8Length(text) > MAX_PATH_BYTES) {
    report(tooLong(path), 'TOO_LONG');
  } else {
    return true;
  }
  return false;
}

const NO_QUERY =
  'a pattern does not see the query; for a query write a path such as /page?id=5 without is_regex, and for the character in a path %3F';

function checkOldPath(oldPath: string, isRegex: boolean, report: Report): Pattern | null {
  if (!checkPathText('old_path', oldPath, report)) return null;
  if (isRegex) {
    const admitted = admitPattern(oldPath);
    if (!admitted.ok) report(admitted.reason, 'INVALID_REGEX');
    else if (demandsQuery(oldPath)) report(NO_QUERY, 'INVALID_REGEX');
    else return admitted.pattern;
  } else if (!oldPath.startsWith('/') || oldPath.startsWith('//')) {
    report('must begin with exactly one "/", such as /old-page');
  } else if (oldPath.includes('#')) {
    report('must not contain a fragment: browsers do not send the part after "#"; write %23 for the character');
  } else if (canonicalPath(oldPath).startsWith('//')) {
    report('must not begin with "//" after dot segments are resolved');
  }
  return null;
}

function checkNewPath(newPath: string, allowedTargetHosts: AllowedHosts, report: Report): void {
  if (!checkPathText('new_path', newPath, report)) return;
  if (!/^https?:\/\//i.test(newPath)) {
    if (/^\/(?![/\\])/.test(newPath)) return;
    report('must begin with exactly one "/", such as /new-page, or be an https URL on an allowed target host');
    return;
  }
  const host = targetHost(newPath);
  if (host === undefined) {
    report('an absolute target must be https://host/path, with an ASCII host and no user name or port');
  } else if (allowedTargetHosts !== 'any' && !allowedTargetHosts.includes(host)) {
    const message = `the host ${host} is not in the website's allowed_target_hosts; add it there first`;
    report(message, 'TARGET_HOST_NOT_ALLOWED');
  }
}

/** The host of an absolute target as a website's allowed_target_hosts have it; undefined if it is not https://host/path. */
export function targetHost(newPath: string): string | undefined {
  const [, host] = /^https:\/\/([a-z0-9._-]+)(?::443)?\//i.exec(newPath) ?? [];
  return host?.toLowerCase().replace(/\.$/, '');
}

/** Checks that `$3` and `${name}` are groups of the pattern. Any other use of `$` may be a typing error. */
function checkReferences(newPath: string, pattern: Pattern, report: Report): void {
  const { groups, names, invalid } = targetReferences(newPath);
  const unknown = [
    ...groups.filter((group) => group > pattern.groupCount).map((group) => `$${group}`),
    ...names.filter((name) => !pattern.groupNames.includes(name)).map((name) => `\${${name}}`),
  ];
  if (unknown.length > 0) {
    const has = pattern.groupCount === 1 ? '1 group' : `${pattern.groupCount} groups`;
    report(`${unknown.join(', ')}: the pattern has ${has} and none of that name or number`);
  } else if (targetParts(newPath).filter((part) => typeof part !== 'string').length > MAX_REFERENCES) {
    report(`has more than ${MAX_REFERENCES} references to groups of the pattern; use each group once or twice`);
  } else if (invalid.length > 0) {
    report(`${invalid.join(', ')} is not a reference to a group; write $$ for a dollar sign`);
  }
}

/** Ignores the fragment of the target, because browsers do not send it. */
function redirectsToItself(key: string, newPath: string): boolean {
  if (!newPath.startsWith('/')) return false;
  const fragment = newPath.indexOf('#');
  return ruleKey(fragment < 0 ? newPath : newPath.slice(0, fragment), false) === key;
}
