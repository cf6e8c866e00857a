/**
 * What an import would make of a row of a file. Stored by place: append only.
 * - new: the path has no redirect yet
 * - replaces: the redirect of the path would be changed (`on_conflict=update`)
 * - unchanged: the redirect of the path is already as the row says
 * - skipped: the path has another redirect, which stays (`on_conflict=skip`)
 * - repeated: another row of the file decides about the path
 * - invalid: the row is left out, with a reason
 */
export const VERDICTS = ['new', 'replaces', 'unchanged', 'skipped', 'repeated', 'invalid'] as const;

export type Verdict = (typeof VERDICTS)[number];

/** In what a row differs from the redirect that is there. Stored as bits by place: append only. */
export const ROW_CHANGES = [
  'new_path',
  'status_code',
  'is_regex',
  'group_id',
  'notes',
  'target_environments',
] as const;

export type RowChange = (typeof ROW_CHANGES)[number];
