import { valueByWord } from '../../rows/cells.ts';

/** The roles that the option `columns` may map a header to. The first ten are fields of a redirect. */
export const MAPPABLE = [
  'old_path',
  'new_path',
  'status_code',
  'is_regex',
  'group_id',
  'notes',
  'target_environments',
  'website_id',
  'active_from',
  'active_until',
  /** true or false: a disabled rule becomes a draft */
  'enabled',
  'disabled',
  /** true is 308, false is 307 */
  'permanent',
  /** how the source is compared with a path: exact, regex, start, contains, end */
  'match',
  /** how the request's query is treated */
  'query',
  /** NEW, MERGE, UPDATE, DELETE */
  'command',
] as const;

export type ColumnRole =
  | (typeof MAPPABLE)[number]
  /** active or disabled */
  | 'state'
  /** the rule's action, in tools that have more than redirecting */
  | 'action'
  /** true: also everything below the source */
  | 'subpaths'
  /** true: the rest of the path is appended to the target */
  | 'suffix'
  /** source and target if the plain column of the row is empty */
  | 'old_path_parts'
  | 'new_path_parts'
  /** the host of the source: one of the website's own, or the row is invalid */
  | 'host'
  /** a condition: empty or false, or the row is invalid */
  | 'condition'
  /** here an option of the website, not of the rule: counted, not stored */
  | 'option'
  /** of one tool, whose reader in tool-rows.ts uses it */
  | 'tool'
  | 'ignored'
  /** of the list of an import's errors: ignored and not counted */
  | 'report'
  /** a code, a way to match or an action: decided by the first cell with content */
  | 'type'
  /** a code or a state: decided by the first cell with content */
  | 'status';

/** Roles that fill the same field in different forms; a file may have one of them. */
const SAME_FIELD: Partial<Record<ColumnRole, ColumnRole>> = {
  disabled: 'enabled',
  state: 'enabled',
  match: 'is_regex',
};

const MANY: ReadonlySet<ColumnRole> = new Set(['ignored', 'report', 'option', 'condition', 'host', 'tool']);

/** The field that at most one column may fill; undefined for roles of any number of columns. */
export function fieldOf(role: ColumnRole): ColumnRole | undefined {
  return MANY.has(role) ? undefined : (SAME_FIELD[role] ?? role);
}

/** Normal headers by role, separated by white space. */
export type HeaderNames = Partial<Record<ColumnRole, string>>;

export function rolesByHeader(names: HeaderNames): Map<string, ColumnRole> {
  return valueByWord(Object.entries(names) as [ColumnRole, string][]);
}

// Names in other tools, and in German, French, Spanish, Italian, Portuguese and Dutch. csv-formats.ts decides about names
// that differ in meaning between tools.
const ROLES = rolesByHeader({
  old_path: `oldpath old oldurl source sourceurl sourcepath from fromurl frompath redirectfrom origin originalurl
    matchurl requestpath legacyurl path address shortcode quelle quellurl quellpfad alteurl alterpfad von
    ancienneurl ancienchemin origine origen urlorigen urlantigua origem urlorigem bron oudeurl`,
  new_path: `newpath new newurl target targeturl targetpath to tourl topath redirectto destination destinationurl
    redirecturl resultredirecturl location finaladdress longurl ziel zielurl zielpfad neueurl neuerpfad nach
    nouvelleurl nouveauchemin cible destino urldestino urlnueva destinazione doel nieuweurl`,
  status_code: 'statuscode code httpcode httpstatus resultstatuscode redirecttype redirectcode codehttp códigohttp',
  permanent: 'permanent',
  type: 'type',
  status: 'status',
  is_regex: 'isregex regex',
  match: 'format matching matchtype',
  group_id: 'groupid group category tag tags team gruppe kategorie groupe catégorie grupo categoría',
  notes: 'notes note title description comment label rulename notiz bemerkung kommentar commentaire notas comentario',
  target_environments: 'targetenvironments environments environment env',
  website_id: 'websiteid',
  active_from: 'activefrom validfrom startsat startdate starts start',
  active_until: 'activeuntil validuntil expiresat expirydate expirationdate enddate ends end expires until',
  enabled: 'enabled active',
  disabled: 'disabled',
  query: `query querymode preservequeryparams preservequerystring forwardquery useincomingquerystring
    resultuseincomingquerystring`,
  command: 'command',
  subpaths: 'subpathmatching',
  suffix: 'preservepathsuffix forwardpath',
  condition: 'includesubdomains',
  option: 'casesensitive sensitive',
  ignored: `id hits hitcount count lasthitat createdat updatedat domain storeid deployedtoprod deployedtostaging
    deployedtodev statement`,
});

/** The form in which headers are compared: lower case, without spaces, `_`, `-` and `.`. */
export function normalHeader(header: string): string {
  return header.replace(/[\s\ufeff_.-]/g, '').toLowerCase();
}

export function roleOf(header: string): ColumnRole | undefined {
  return ROLES.get(normalHeader(header));
}
