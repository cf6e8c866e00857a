/** A write to the redirects of a website, as the list of changes shows it. */

export const CHANGE_KINDS = [
  'create',
  'update',
  'delete',
  'bulk_update',
  'bulk_delete',
  'import',
  'sync',
  'flatten',
  'restore',
  'undo',
] as const;

/** The operation that wrote a change. */
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** Days for which changes are listed and can be undone. */
export const CHANGE_RETENTION_DAYS = 30;

/**
 * Why an undo leaves a redirect as it is: it changed after the change; another redirect has its former path; or the
 * website no longer allows the host of its former target, or has no room for its former pattern.
 */
export const UNDO_CONFLICTS = ['CHANGED_SINCE', 'CONFLICT', 'TARGET_HOST_NOT_ALLOWED', 'TOO_MANY_PATTERNS'] as const;

export type UndoConflict = (typeof UNDO_CONFLICTS)[number];
