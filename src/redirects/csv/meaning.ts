/** What a column of a file says. The first eight are fields of ours; the others decide about them or are refused. */
export type Meaning =
  | 'old_path'
  | 'new_path'
  | 'status_code'
  | 'is_regex'
  | 'group_id'
  | 'notes'
  | 'target_environments'
  | 'website_id'
  /** true or false: a rule that is off becomes a draft; `state` says it as a word (active, disabled) */
  | 'enabled'
  | 'disabled'
  | 'state'
  /** true is 308, false is 307 */
  | 'permanent'
  /** how the source is compared: exact, regex, start, contains, end */
  | 'match'
  /** what the rule does, where that may be other than to redirect */
  | 'action'
  /** what happens to the request's query */
  | 'query'
  /** NEW, MERGE, UPDATE, DELETE */
  | 'command'
  /** true: everything below the source too; true: the rest of the path goes behind the target */
  | 'subpaths'
  | 'suffix'
  /** source and target where the plain column of the row is empty */
  | 'old_path_parts'
  | 'new_path_parts'
  /** the host that the rule is for: one of the website's own, or the row is refused */
  | 'host'
  /** a condition: empty or false, or the row is refused */
  | 'condition'
  /** something that is the website's option with us, not the rule's: read, counted, not kept */
  | 'option'
  | 'ignored'
  /** a code, a way to match or an action: decided by the first cell with content */
  | 'type'
  /** a code or a state: decided by the first cell with content */
  | 'status';

/** What `columns` may map a header to; '' ignores it. */
export const MAPPABLE = [
  'old_path',
  'new_path',
  'status_code',
  'is_regex',
  'group_id',
  'notes',
  'target_environments',
  'website_id',
  'enabled',
  'disabled',
  'permanent',
  'match',
  'query',
  'command',
] as const satisfies Meaning[];

/** Two columns that say the same thing in different forms; a file may have one of them. */
const SAME: Partial<Record<Meaning, Meaning>> = {
  disabled: 'enabled',
  state: 'enabled',
  match: 'is_regex',
};

/** Meanings that any number of columns may have. */
const MANY: ReadonlySet<Meaning> = new Set(['ignored', 'option', 'condition', 'host']);

/** The field that a column fills, for the rule that two columns may not fill one; undefined where they may. */
export function fieldOf(meaning: Meaning): Meaning | undefined {
  return MANY.has(meaning) ? undefined : (SAME[meaning] ?? meaning);
}
