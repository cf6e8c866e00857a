import type { Verdict } from '../../../../src/vocabulary/import-verdict.ts';

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
