/** What a column of a file says. The first eight are fields of ours; the others decide about them or are refused. */
export type ColumnRole =
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
] as const satisfies ColumnRole[];

/** Two columns that say the same thing in different forms; a file may have one of them. */
const SAME: Partial<Record<ColumnRole, ColumnRole>> = {
  disabled: 'enabled',
  state: 'enabled',
  match: 'is_regex',
};

/** Meanings that any number of columns may have. */
const MANY: ReadonlySet<ColumnRole> = new Set(['ignored', 'option', 'condition', 'host']);

/** The field that a column fills, for the rule that two columns may not fill one; undefined where they may. */
export function fieldOf(meaning: ColumnRole): ColumnRole | undefined {
  return MANY.has(meaning) ? undefined : (SAME[meaning] ?? meaning);
}

// Names as other tools write them, after normalHeader. A name that stands for a field in one tool and for something
// else in another is decided in formats.ts by the company it keeps.
const NAMES: Partial<Record<ColumnRole, string>> = {
  old_path: `oldpath old oldurl source sourceurl sourcepath from fromurl frompath redirectfrom origin originalurl
    matchurl requestpath legacyurl path address shortcode`,
  new_path: `newpath new newurl target targeturl targetpath to tourl topath redirectto destination destinationurl
    redirecturl resultredirecturl location finaladdress longurl`,
  status_code: 'statuscode code httpcode httpstatus resultstatuscode redirecttype redirectcode',
  permanent: 'permanent',
  type: 'type',
  status: 'status',
  is_regex: 'isregex regex',
  match: 'format matching matchtype',
  group_id: 'groupid group category tag tags team',
  notes: 'notes note title description comment label rulename',
  target_environments: 'targetenvironments environments environment env',
  website_id: 'websiteid',
  enabled: 'enabled active',
  disabled: 'disabled',
  query: `query querymode preservequeryparams preservequerystring forwardquery useincomingquerystring
    resultuseincomingquerystring`,
  command: 'command',
  subpaths: 'subpathmatching',
  suffix: 'preservepathsuffix forwardpath',
  condition: 'includesubdomains',
  option: 'casesensitive',
  ignored: `id hits hitcount count lasthitat createdat updatedat domain storeid deployedtoprod deployedtostaging
    deployedtodev`,
};

const MEANINGS = new Map<string, ColumnRole>();
for (const [meaning, names] of Object.entries(NAMES)) {
  for (const name of names.split(/\s+/)) MEANINGS.set(name, meaning as ColumnRole);
}

/** The form in which headers are compared: no case, no spaces, `_`, `-` or `.`. */
export function normalHeader(header: string): string {
  return header.replace(/[\s\ufeff_.-]/g, '').toLowerCase();
}

/** What a header means whatever stands beside it. */
export function meaningOf(header: string): ColumnRole | undefined {
  return MEANINGS.get(normalHeader(header));
}
