import type { Issue } from '../../vocabulary/error.ts';

/** Bytes of the text in UTF-8. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text);
}

/** More than `max` characters, counted as people count: code points. */
export function isLongerThan(text: string, max: number): boolean {
  return text.length > max && [...text].length > max;
}

const CONTROL = /[\u0000-\u001f\u007f]/;
// Notes may hold tab, LF and CR.
const CONTROL_IN_NOTES = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/** Control characters could split a header or a log line; a lone surrogate has no UTF-8. */
export function hasControlCharacter(text: string): boolean {
  return CONTROL.test(text) || !text.isWellFormed();
}

/** Stored form of a label or note: trimmed, and null where nothing is left. */
export function trimmedOrNull(text: string | null): string | null {
  const trimmed = text?.trim() ?? '';
  return trimmed === '' ? null : trimmed;
}

/** group_id and notes against their rules (already trimmed). */
export function checkLabels(groupId: string | null, notes: string | null): Issue[] {
  const issues: Issue[] = [];
  if (groupId !== null) {
    if (hasControlCharacter(groupId)) issues.push(control('group_id', 'control characters'));
    else if (isLongerThan(groupId, 200)) issues.push(long('group_id', '200'));
  }
  if (notes !== null) {
    if (CONTROL_IN_NOTES.test(notes) || !notes.isWellFormed()) {
      issues.push(control('notes', 'control characters but for tab, CR and LF'));
    } else if (isLongerThan(notes, 2_000)) issues.push(long('notes', '2,000'));
  }
  return issues;
}

const control = (path: string, what: string): Issue => ({
  path,
  code: 'CONTROL_CHARACTER',
  message: `must not hold ${what}, nor lone surrogates`,
});

const long = (path: string, max: string): Issue => ({
  path,
  code: 'TOO_LONG',
  message: `at most ${max} characters`,
});
