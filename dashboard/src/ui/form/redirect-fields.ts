/** The fields of a redirect before and after a change, as texts. */
import { fullTime } from '../../format.ts';
import { shownPath } from '../text/path-parts.ts';

export interface FieldChange {
  label: string;
  /** '' if the field had no value to show */
  before: string;
  after: string;
}

const LABELS = {
  old_path: 'From',
  new_path: 'To',
  status_code: 'Status',
  is_regex: 'Pattern',
  group_id: 'Group',
  notes: 'Notes',
  target_environments: 'Environments',
  active_from: 'Active from',
  active_until: 'Active until',
};

/** The names of the fields, in the order of forms. */
export const REDIRECT_FIELDS = Object.keys(LABELS) as (keyof typeof LABELS)[];

type Fields = { [Name in keyof typeof LABELS]?: unknown };

/** The fields that differ. `changed` limits them to these names. */
export function fieldChanges(
  before: Fields,
  after: Fields,
  changed: readonly string[] = REDIRECT_FIELDS,
): FieldChange[] {
  return REDIRECT_FIELDS.filter(
    (name) => changed.includes(name) && valueText(before[name]) !== valueText(after[name]),
  ).map((name) => ({ label: LABELS[name], before: textOf(name, before[name]), after: textOf(name, after[name]) }));
}

function textOf(name: string, value: unknown): string {
  if (name === 'target_environments' && typeof value === 'string') return valueText(value.replaceAll(',', ', '));
  if (name.startsWith('active_') && typeof value === 'string') return fullTime(value);
  return name.endsWith('_path') && typeof value === 'string' ? shownPath(value).text : valueText(value);
}

/** `from Jan 1, 2030, 12:00 until ...`; '' without a window. */
export function windowText({ active_from, active_until }: Pick<Fields, 'active_from' | 'active_until'>): string {
  const bound = (word: string, time: unknown): string => (typeof time === 'string' ? `${word} ${fullTime(time)}` : '');
  return [bound('from', active_from), bound('until', active_until)].filter(Boolean).join(' ');
}

/** A stored value as text. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'None';
  if (Array.isArray(value)) return value.length === 0 ? 'None' : value.join(', ');
  return value === true ? 'Yes' : value === false ? 'No' : String(value);
}

/** `/old → /new 301`. */
export function ruleText({ old_path, new_path, status_code }: Fields): string {
  const target = new_path === null || new_path === undefined ? '' : ` → ${valueText(new_path)}`;
  return `${valueText(old_path)}${target} (${valueText(status_code)})`;
}
