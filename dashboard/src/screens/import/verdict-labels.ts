import { capitalized } from '../../format.ts';
import type { Verdict } from '../../../../src/vocabulary/import-verdict.ts';

/** True for sources without a leading slash, which an import option can add. */
export const isMissingSlash = (message: string): boolean => message.endsWith('add_slash=true');

/** The message of a rejected row, without names of the API. */
export function rowErrorText(message: string): string {
  if (isMissingSlash(message)) return 'The source does not start with /.';
  return capitalized(
    message
      .replace(/; set is_regex in the row, or import with wildcards=.*$/, '')
      .replace(" is not in the website's allowed_target_hosts; add it there first", ' is not allowed for this website')
      .replaceAll('old_path', 'From')
      .replaceAll('new_path', 'To')
      .replaceAll('status_code', 'Status')
      .replaceAll('is_regex', 'Pattern'),
  );
}

interface Labels {
  /** at a row */
  label: string;
  /** below the count of these rows */
  plural: string;
  /** heading of a list of these rows */
  title: string;
  tone: 'ok' | 'warn' | 'danger' | 'quiet';
}

export const VERDICT_LABELS: Record<Verdict, Labels> = {
  new: { label: 'New', plural: 'new', title: 'New redirects', tone: 'ok' },
  replaces: { label: 'Update', plural: 'to update', title: 'Redirects to update', tone: 'warn' },
  unchanged: { label: 'Unchanged', plural: 'unchanged', title: 'Unchanged redirects', tone: 'quiet' },
  skipped: { label: 'Skipped', plural: 'skipped', title: 'Skipped redirects', tone: 'quiet' },
  repeated: { label: 'Repeated', plural: 'repeated', title: 'Repeated rows', tone: 'quiet' },
  invalid: { label: 'Invalid', plural: 'invalid rows', title: 'Invalid rows', tone: 'danger' },
};
