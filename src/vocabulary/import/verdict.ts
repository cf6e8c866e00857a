/**
 * The effect of a row of an import. Stored by index: append only.
 * - new: the path has no redirect yet
 * - replaces: changes the redirect of the path (`on_conflict=update`)
 * - unchanged: the redirect of the path equals the row
 * - skipped: the path has another redirect, which stays (`on_conflict=skip`)
 * - repeated: another row of the file has the same path and takes precedence
 * - invalid: excluded, with a reason
 */
export const VERDICTS = ['new', 'replaces', 'unchanged', 'skipped', 'repeated', 'invalid'] as const;

export type Verdict = (typeof VERDICTS)[number];

/** Fields in which a row differs from the existing redirect. Stored as bits by index: append only. */
export const ROW_CHANGES = [
  'new_path',
  'status_code',
  'is_regex',
  'group_id',
  'notes',
  'target_environments',
  'active_from',
  'active_until',
] as const;

export type RowChange = (typeof ROW_CHANGES)[number];

/**
 * The notices of a row: a code, an option of which the row wants another value than the website has, or `option:value`,
 * a value that it wants. Stored as bits by index: append only, at most 31.
 */
export const ROW_NOTICES = [
  'COLUMN_IGNORED',
  'WEBSITE_OPTION',
  'HOST_REMOVED',
  'SLASH_ADDED',
  'CONVERTED_TO_PATTERN',
  'PATTERN_ANCHORED',
  'DISABLED_AS_DRAFT',
  'QUERY_PAIRS',
  'ORDER_DIFFERS',
  'query',
  'case_sensitive',
  'trailing_slash',
  'query:pass',
  'query:drop',
  'query:exact',
  'case_sensitive:true',
  'case_sensitive:false',
  'trailing_slash:exact',
  'trailing_slash:ignore',
] as const;

export type RowNotice = (typeof ROW_NOTICES)[number];

/** Fields of a row of a file that a correction may set. */
export const ROW_FIELDS = ['old_path', ...ROW_CHANGES] as const;

export type RowField = (typeof ROW_FIELDS)[number];
