/**
 * The fields of a redirect, one row each. What a change does comes from this table, in code and in SQL: single writes,
 * imports, undo, and the names in events. A test compares it with the columns that the triggers keep.
 */
import type { RedirectFields } from './redirect.ts';

interface Field {
  /** in events and in the API; also its column, but the environments have three */
  wire: string;
  /** type of the column; in SQL, the environments are bits */
  type: 'text' | 'smallint' | 'boolean' | 'timestamptz(3)' | 'bits';
  /** The resolver serves it: a change of it changes the rule in every environment. */
  served?: true;
  /** A change of it may close a loop. */
  routed?: true;
}

export const FIELDS = {
  oldPath: { wire: 'old_path', type: 'text', routed: true },
  newPath: { wire: 'new_path', type: 'text', served: true, routed: true },
  statusCode: { wire: 'status_code', type: 'smallint', served: true },
  isRegex: { wire: 'is_regex', type: 'boolean', served: true, routed: true },
  groupId: { wire: 'group_id', type: 'text' },
  notes: { wire: 'notes', type: 'text' },
  environments: { wire: 'target_environments', type: 'bits' },
  activeFrom: { wire: 'active_from', type: 'timestamptz(3)', served: true },
  activeUntil: { wire: 'active_until', type: 'timestamptz(3)', served: true },
} as const satisfies Record<keyof RedirectFields, Field>;

export type FieldName = keyof typeof FIELDS;

/** Values of a new redirect for the fields that a client may leave out. */
export const DEFAULTS: Omit<RedirectFields, 'oldPath' | 'newPath'> = {
  statusCode: 301,
  isRegex: false,
  groupId: null,
  notes: null,
  environments: ['production'],
  activeFrom: null,
  activeUntil: null,
};

export const FIELD_NAMES = Object.keys(FIELDS) as FieldName[];

/** Fields that a client may leave out. */
export const OPTIONAL_FIELDS = FIELD_NAMES.filter((name) => name !== 'oldPath' && name !== 'newPath');
/** Fields with a column of their own. */
export const COLUMN_FIELDS = FIELD_NAMES.filter((name) => name !== 'environments');
/** Columns with the revisions since which a rule is targeted, in the order of ENVIRONMENTS. */
export const TARGET_COLUMNS = ['in_prod', 'in_staging', 'in_dev'] as const;
/** SQL text: the environments of a row, as bits. */
export const targetBitsSql = (row: string): string =>
  `(${TARGET_COLUMNS.map((name, at) => `(${row}.${name} is not null)::int * ${1 << at}`).join(' + ')})`;

/** Fields that the resolver serves, besides the key. */
export const SERVED: ReadonlySet<FieldName> = new Set(FIELD_NAMES.filter((name) => 'served' in FIELDS[name]));
/** Fields whose change may close a loop. */
export const ROUTED: ReadonlySet<FieldName> = new Set(FIELD_NAMES.filter((name) => 'routed' in FIELDS[name]));
/** Fields that checkRedirect depends on. */
export const CHECKED: ReadonlySet<FieldName> = SERVED.union(ROUTED);

/** The names of fields in events and in the API. */
export const wireNames = (names: readonly FieldName[]): string[] => names.map((name) => FIELDS[name].wire);
/** Columns that the resolver serves. */
export const SERVED_COLUMNS = ['key', ...wireNames([...SERVED])];
/** Columns that it does not serve: the spelling of the path, group and notes. */
export const LABEL_COLUMNS = wireNames(COLUMN_FIELDS.filter((name) => !SERVED.has(name)));
