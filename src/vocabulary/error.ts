/**
 * All codes of error bodies, bulk entries and CSV rows. http/errors/status.ts maps each to a status; the API reference lists
 * them.
 */
export const ERROR_CODES = {
  // malformed requests
  INVALID_JSON: 'the body is not JSON',
  MISSING_PARAMETER: 'a required field or parameter is absent',
  INVALID_PARAMETER: 'a field or parameter has the wrong type or an unknown value',
  UNKNOWN_FIELD: 'a body field is unknown',
  DUPLICATE_FIELD: 'a top-level field is duplicated in a bulk body',
  BODY_TOO_LARGE: 'the body is larger than the limit',
  HEADERS_TOO_LARGE: 'the request line and the headers exceed 64 KiB, or there are more than 1,000 headers',
  EXPECTATION_FAILED: 'the Expect header has another value than 100-continue',
  REQUEST_TIMEOUT: 'the request or its body arrives too slowly',
  TOO_MANY_REDIRECTS: 'more than 1,000,000 redirects in one call',
  UNSUPPORTED_MEDIA_TYPE: 'the content type is not supported here',
  URI_TOO_LONG: 'the path is longer than 8 KiB',
  // credentials and limits
  UNAUTHORIZED: 'no valid credentials',
  INVALID_CREDENTIALS: 'email, password or code is wrong',
  TOTP_REQUIRED: 'signing in needs a code of the authenticator app, or a recovery code',
  SIGN_UP_CLOSED: 'sign-up is closed',
  INSUFFICIENT_ROLE: "the user's role does not allow this",
  INSUFFICIENT_SCOPE: 'a read key cannot write, and a key limited to websites changes nothing of the whole account',
  ADDRESS_NOT_ALLOWED: 'the address of the client may not read this',
  CROSS_ORIGIN: 'a browser sent this from another origin',
  CONFIRM_PASSWORD: 'the last sign-in is more than 30 minutes ago; POST /api/auth/confirm first',
  PLAN_REQUIRED: 'the feature is not in the plan',
  PLAN_LIMIT_EXCEEDED: "the call, or the account after it, is over the plan's count",
  RATE_LIMIT_EXCEEDED: 'too many requests in this minute',
  // missing or conflicting resources
  NOT_FOUND: 'no such endpoint',
  METHOD_NOT_ALLOWED: 'the path does not have this method',
  MISDIRECTED_REQUEST: 'this process does not serve the host of the request',
  WEBSITE_NOT_FOUND: 'no such website in this account',
  HOST_NOT_FOUND: 'no website responds for this host, or it is not verified',
  REDIRECT_NOT_FOUND: 'no such redirect in this account',
  DEPLOYMENT_NOT_FOUND: 'no such deployment in this account',
  IMPORT_NOT_FOUND: 'no such import in this account',
  USER_NOT_FOUND: 'no such user in this account',
  KEY_NOT_FOUND: 'no such API key in this account',
  INVITATION_NOT_FOUND: 'no such open invitation; the link was used, withdrawn or has expired',
  SESSION_NOT_FOUND: 'no such session of this user',
  WEBHOOK_NOT_FOUND: 'no such webhook in this account',
  DELIVERY_NOT_FOUND: 'no such delivery of this webhook',
  EVENT_NOT_FOUND: 'no such event in this account',
  EXPECTATION_NOT_FOUND: 'no such expectation of this website and environment',
  CHANGE_NOT_FOUND: 'no such change in this account, or it is older than 30 days',
  VERSION_NOT_FOUND: 'no such version of this website and environment',
  UPLOAD_NOT_FOUND: 'no such open upload of URLs; it was committed, or is older than 24 hours',
  LIST_NOT_FOUND: 'no such list of URLs of this website and environment, or its version is no longer retained',
  NOTICE_NOT_FOUND: 'no such notice in this account',
  MAIL_NOT_CONFIGURED: 'the service has no mail server (SMTP_URL)',
  VIEW_NOT_FOUND: 'no such saved view of this website',
  MOVE_NOT_FOUND: 'no such move of this website',
  TOO_MANY_MOVES: 'the website has 20 moves that were not applied',
  ROW_CHANGED: 'the row of a move has another revision, was decided by another call since, or is no longer there',
  CHECK_NOT_FOUND: 'no such check of this website',
  CHECK_RUNNING: 'the account has a check that is queued or running',
  TOO_MANY_GONE: 'a list of living URLs would lose more than `max_removed` allows; nothing is applied',
  TOO_MANY_URLS:
    'the website would have more than 1,000,000 URLs, or a move more rows or candidates than it can; nothing is applied',
  TOO_MANY_REMOVALS: 'the deployment would remove more live rules than `max_removals` allows; nothing is queued',
  ENVIRONMENT_HELD: 'a rollback or promotion holds the environment; with `resume: false` nothing is queued',
  VERSION_EXPIRED: 'the version is no longer retained',
  TOO_MANY_DELETES: 'a sync, or a list of expectations, would delete more than `max_delete` allows; nothing is applied',
  REVISION_CHANGED:
    'the website has another revision than `if_revision`, or another history than `if_history`; nothing is applied',
  CHANGED_SINCE: 'it was changed after `if_updated_at`; nothing is applied',
  CONFLICT: 'it conflicts with the present state, such as a path or host that exists already',
  // invalid values
  EMPTY_BODY: 'a body of NDJSON or CSV, or a list of URLs, has zero bytes',
  INVALID_XML: 'the sitemap is not well-formed, is truncated, or is in another encoding than UTF-8 or UTF-16',
  DTD_NOT_ALLOWED: 'the sitemap has a DOCTYPE',
  SITEMAP_INDEX: 'the sitemap lists other sitemaps instead of pages',
  MISSING_COLUMN: 'no column of the CSV has the URLs',
  NOT_VERIFIED: 'the TXT record that proves a host was not found',
  VALIDATION_ERROR: 'a value breaks a rule',
  TOO_MANY_ITEMS: 'a list is longer than the limit, or the account has the maximum',
  INVALID_OLD_PATH: 'old_path breaks a rule',
  INVALID_NEW_PATH: 'new_path breaks a rule',
  TARGET_REQUIRED: 'the status needs a new_path',
  TARGET_NOT_ALLOWED: 'a 410 or 451 has no new_path',
  TARGET_HOST_NOT_ALLOWED: "the target's host is not in allowed_target_hosts",
  INVALID_STATUS_CODE: 'the status code is not one of the allowed ones',
  INVALID_REGEX: 'the pattern is not supported',
  TOO_MANY_PATTERNS: 'the website has the maximum number of patterns, or they would take too long',
  REDIRECT_LOOP: 'the rule would redirect back to itself',
  INVALID_ENVIRONMENT: 'an environment is unknown or duplicated',
  INVALID_SCHEDULE: 'active_from or active_until is not a time, or active_until is not after active_from',
  INVALID_BOOLEAN: 'a cell is neither true nor false',
  INVALID_TEXT: 'a label or note breaks a rule',
  TOO_LONG: 'a value is longer than allowed',
  CONTROL_CHARACTER: 'a value contains a control character or a lone surrogate',
  SOURCE_HOST_MISMATCH: "the source is an address on a host that is not the website's",
  WEBSITE_MISMATCH: 'the row names another website',
  DELETE_NOT_SUPPORTED: 'an import deletes nothing',
  AMBIGUOUS_WILDCARD: 'the row may have a wildcard; nothing says whether it is one',
  CONDITION_NOT_SUPPORTED: 'the row has a condition that cannot be expressed',
  ORDER_CONFLICT: 'an earlier statement of the file answers first, but the redirect would win here',
  NO_OWN_URL: 'no URL of the body is on a host of the website; nothing is applied',
  MALFORMED_ROW: 'the row cannot be read',
  UNKNOWN_COLUMN: 'a column is unknown',
  DUPLICATE_COLUMN: 'two columns have the same field',
  SENDING_DISABLED: 'this service sends no webhooks',
  URL_NOT_ALLOWED: 'deliveries to this URL are not allowed',
  // the service
  BUSY: 'the website, or the share of the account in the service, is in use; retry',
  DATABASE_UNAVAILABLE: 'the database is unavailable',
  INTERNAL_ERROR: 'the service failed',
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

/** One error in one field. `path` is the field's name in the API. */
export interface Issue {
  path: string;
  code: ErrorCode;
  message: string;
}

export function isIssue(value: unknown): value is Issue {
  return typeof value === 'object' && value !== null && 'code' in value;
}

/** Thrown by operations; surfaces turn it into a body and http/errors/status.ts into a status. Never carries internals. */
export class DomainError extends Error {
  readonly code: ErrorCode;
  readonly details: string;
  readonly issues: Issue[];
  /** seconds for Retry-After, if a later retry can succeed */
  readonly retryAfter: number | undefined;
  /** of RATE_LIMIT_EXCEEDED: the allowed number */
  readonly limit: number | undefined;
  /** further fields of the error's body, as plain data */
  readonly extra: Readonly<Record<string, unknown>> | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    more: {
      details?: string;
      issues?: Issue[];
      retryAfter?: number;
      limit?: number;
      extra?: Readonly<Record<string, unknown>>;
    } = {},
  ) {
    super(message);
    this.name = 'DomainError';
    this.code = code;
    this.details = more.details ?? '';
    this.issues = more.issues ?? [];
    this.retryAfter = more.retryAfter;
    this.limit = more.limit;
    this.extra = more.extra;
  }
}

/** The 503 for a resource that others use. `details` says which one, and what to do. */
export function busy(details: string, retryAfter = 5, message = 'The service is busy'): DomainError {
  return new DomainError('BUSY', message, { details, retryAfter });
}

/** Codes of a 422 with one issue. Any other is VALIDATION_ERROR with issues. */
const NAMED = new Set<ErrorCode>([
  'INVALID_REGEX',
  'TOO_MANY_PATTERNS',
  'REDIRECT_LOOP',
  'URL_NOT_ALLOWED',
  'UNKNOWN_COLUMN',
  'DUPLICATE_COLUMN',
  'TOO_MANY_ITEMS',
  'INVALID_XML',
  'DTD_NOT_ALLOWED',
  'SITEMAP_INDEX',
  'MISSING_COLUMN',
]);

/** Issues that an error lists. The others are counted. */
const MAX_ISSUES = 20;

/** The first issues, and their text with the number of all others. */
export function listIssues(issues: Issue[]): { details: string; issues: Issue[] } {
  const listed = issues.slice(0, MAX_ISSUES);
  const lines = listed.map((issue) => `${issue.path}: ${issue.message}`);
  const others = issues.length - listed.length;
  if (others > 0) lines.push(`and ${others.toLocaleString('en')} more`);
  return { details: lines.join('; '), issues: listed };
}

/** The 422 for one or more invalid values. `issues` must not be empty. */
export function validationError(issues: Issue[]): DomainError {
  const first = issues[0];
  if (!first) throw new Error('validationError needs an issue');
  const code = issues.length === 1 && NAMED.has(first.code) ? first.code : 'VALIDATION_ERROR';
  const listed = listIssues(issues);
  return new DomainError(code, issues.length === 1 ? listed.details : 'Several fields are invalid', listed);
}

/** Throws the 422 for the issues, if there are any. */
export function assertNoIssue(...issues: (Issue | undefined)[]): void {
  const found = issues.filter((issue) => issue !== undefined);
  if (found.length > 0) throw validationError(found);
}

export function invalid(path: string, message: string, code: ErrorCode = 'VALIDATION_ERROR'): DomainError {
  return validationError([{ path, code, message }]);
}

/** The 400 for a required field or parameter that is absent. */
export function missing(path: string, message = 'is required'): DomainError {
  return wrongParameter(path, message, 'MISSING_PARAMETER');
}

/** The 400 for a field or parameter of the wrong type, or with an unknown value. */
export function wrongParameter(path: string, message: string, code: ErrorCode = 'INVALID_PARAMETER'): DomainError {
  const details = `${path}: ${message}`;
  return new DomainError(code, details, { details, issues: [{ path, code, message }] });
}
