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

/** Fields of a row of a file that a correction may set. */
export const ROW_FIELDS = ['old_path', ...ROW_CHANGES] as const;

export type RowField = (typeof ROW_FIELDS)[number];
