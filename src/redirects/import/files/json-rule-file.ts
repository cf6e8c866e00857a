/** A JSON or NDJSON file of an import. Its entries are those of the bulk call. */
import { invalid, isIssue, type Issue } from '../../../vocabulary/error.ts';
import { ROW_FIELDS, type RowField } from '../../../vocabulary/import/verdict.ts';
import { targetHostsOf, type Website } from '../../../websites/website.ts';
import { issue, readBoolean, readStatusCode, show } from '../../../formats/rows/cells.ts';
import { createCorrectionCheck } from '../../../formats/read/csv/correct-row.ts';
import type { Correction, Corrections } from '../../../formats/read/csv/layout.ts';
import type { FileNotice, RowMarks } from '../../../formats/rows/notices.ts';
import { quotingValue } from '../../../formats/rows/row.ts';
import {
  callDefaults,
  checkEntry,
  type EntryContext,
  isEntryField,
  isReadOnly,
} from '../../../formats/read/json/check-entry.ts';
import {
  EXPORT_FIELDS,
  type FileEntry,
  type FileFields,
  type JsonFile,
  readJsonEntries,
} from '../../../formats/read/json/json-file.ts';
import { quoting } from '../../../formats/read/servers/statement.ts';
import { targetHost } from '../../../rules/check-redirect.ts';
import { type CallDefaults, type ImportEntry, isRowError, type RowError, rowError } from '../../../rules/entry.ts';
import type { ImportBatch } from '../engine/import-request.ts';
import type { OriginalRow } from '../verdicts/store-originals.ts';

export interface JsonOptions {
  corrections?: Corrections | undefined;
  /** ignores unknown fields of entries; otherwise the entry is invalid */
  ignoreUnknown: boolean;
}

/** The possible columns of the list of errors, which imports as CSV. `enabled` is false for a draft. */
const HEADERS = [...ROW_FIELDS, 'enabled'] as const;
type Header = (typeof HEADERS)[number];
/** Columns that the list has always. An empty cell of another one would remove the value of an existing redirect. */
const ALWAYS: readonly Header[] = ['old_path', 'new_path', 'status_code'];

export function openJsonFile(file: JsonFile, options: JsonOptions) {
  const notices: FileNotice[] = [];
  const defaults: CallDefaults = { groupId: undefined, environments: undefined };
  /** the columns of which an entry has a value */
  const present = new Set<Header>(ALWAYS);
  const headers = (): Header[] => HEADERS.filter((name) => present.has(name));
  async function* batches(website: Website, hasGroup = false, marks?: RowMarks): AsyncGenerator<ImportBatch> {
    const context = { ...targetHostsOf(website), defaults: { groupId: undefined, environments: undefined } };
    const corrections = createCorrectionCheck(options.corrections);
    const ignored = new Map<string, number>();
    let bytes = 0;
    for await (const entries of readJsonEntries(file, fieldsOf(website, defaults), (read) => (bytes = read))) {
      const rows = entries.map((entry) => {
        const correction = corrections.of(entry.line);
        const { value, problem } = readEntry(entry, correction);
        addPresent(problem ? correction : value, present);
        if (problem) return rowError(entry.line, null, problem);
        if (countIgnored(value, options.ignoreUnknown, ignored)) marks?.add('COLUMN_IGNORED', entry.line);
        const row = checkFileEntry(value, entry.line, context);
        if (hasGroup && !isRowError(row) && row.groupId === null) row.groupId = undefined;
        return row;
      });
      yield { rows, bytes };
    }
    addPresent(fieldsOfCall(defaults), present);
    corrections.assertUsed();
    for (const [column, count] of ignored) notices.push({ code: 'COLUMN_IGNORED', column, count });
  }
  return {
    ...{ format: file.format, notices, columns: [], defaults, batches },
    // Known once the entries are read
    originals: {
      get headers() {
        return headers();
      },
      get fields() {
        return headers().map((name): RowField | '' => (name === 'enabled' ? '' : name));
      },
      read: () => originalEntries(file, options.corrections, fieldsOfCall(defaults), headers()),
    },
  };
}

/** The fields of the file besides its entries: those of an export, and the defaults of a bulk call. */
function fieldsOf(website: Website, defaults: CallDefaults): FileFields {
  const known = ['redirects', 'website_id', 'group_id', 'target_environments', ...EXPORT_FIELDS];
  return {
    assertKnown(field) {
      if (known.includes(field)) return;
      const name = show(field);
      if (field !== 'dry_run' && field !== 'strict') throw invalid('file', `${name} is not a known field; remove it`);
      throw invalid('file', `${name} is a field of the bulk call; remove it, and choose it with the import`);
    },
    take(field, value) {
      if (field === 'redirects') throw invalid('file', 'redirects must be a list of redirects');
      if (field === 'website_id' && String(value) !== String(website.id))
        throw invalid('file', `its website_id is ${show(String(value))}, but the import is into website ${website.id}`);
      if (field === 'group_id') defaults.groupId = callDefaults(value, undefined).groupId;
      if (field === 'target_environments') defaults.environments = callDefaults(undefined, value).environments;
    },
  };
}

function readEntry(entry: FileEntry, correction: Correction | undefined): { value?: unknown; problem?: Issue } {
  if (correction) return correctEntry(entry, correction);
  if ('value' in entry) return { value: entry.value };
  return { problem: issue('row', 'MALFORMED_ROW', quoting(entry.problem, entry.text)) };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The known fields of the entry with those of the correction, which are text as in a cell. */
function correctEntry(entry: FileEntry, correction: Correction): { value: unknown } | { problem: Issue } {
  const value = 'value' in entry && isObject(entry.value) ? entry.value : {};
  const fields = Object.fromEntries(Object.entries(value).filter(([name]) => isEntryField(name)));
  for (const [name, text] of Object.entries(correction)) {
    const read = readCell(name as RowField, text.trim());
    if (isIssue(read)) return { problem: read };
    if (read === undefined) delete fields[name];
    else fields[name] = read;
  }
  return { value: fields };
}

/** The value of a field; undefined if an empty text leaves it unspecified. */
function readCell(field: RowField, text: string): unknown {
  if (field === 'old_path') return text;
  if (field === 'status_code') return readStatusCode(text);
  if (field === 'is_regex') return readBoolean(text, field, field);
  if (text === '') return field === 'target_environments' ? undefined : null;
  return field === 'target_environments' ? text.split(',').map((name) => name.trim()) : text;
}

/** The defaults of a bulk body, as fields of an entry. */
function fieldsOfCall({ groupId, environments }: CallDefaults): Record<string, unknown> {
  return { ...(groupId && { group_id: groupId }), ...(environments && { target_environments: environments }) };
}

function addPresent(value: unknown, present: Set<Header>): void {
  if (!isObject(value)) return;
  for (const name of ROW_FIELDS) if (name in value) present.add(name);
  if (isDraft(value)) present.add('enabled');
}

const isDraft = ({ target_environments: environments }: Record<string, unknown>): boolean =>
  Array.isArray(environments) && environments.length === 0;

/** Removes unknown fields if the import ignores them. Counts what is ignored, and returns whether anything is. */
function countIgnored(value: unknown, ignoreUnknown: boolean, ignored: Map<string, number>): boolean {
  if (!isObject(value)) return false;
  let isAny = false;
  for (const name in value) {
    const isUnknown = ignoreUnknown && !isEntryField(name);
    if (!isUnknown && !isReadOnly(name)) continue;
    isAny = true;
    const column = ignored.has(name) || ignored.size < MAX_NAMES ? name.slice(0, 100) : 'further fields';
    ignored.set(column, (ignored.get(column) ?? 0) + 1);
    if (isUnknown) delete value[name];
  }
  return isAny;
}

/** Different unknown fields that notices name. */
const MAX_NAMES = 100;

/** Checks an entry as the bulk call does. Messages quote the value, as those of other files. */
function checkFileEntry(value: unknown, line: number, context: EntryContext): ImportEntry | RowError {
  const row = checkEntry(value, line, context);
  if (!isRowError(row)) return row;
  if (!isObject(value)) return { ...row, column: 'row', code: 'MALFORMED_ROW' };
  const { column, code, message } = row;
  const sent = value[column];
  if (code === 'INVALID_PARAMETER') return { ...row, message: `${message}; it is ${shown(sent)}` };
  if (code === 'MISSING_PARAMETER' || code === 'UNKNOWN_FIELD') return row;
  const host = code === 'TARGET_HOST_NOT_ALLOWED' && typeof sent === 'string' ? targetHost(sent) : undefined;
  const quoted = rowError(line, row.oldPath, quotingValue({ path: column, code, message }, value));
  return { ...quoted, ...(host !== undefined && { host }) };
}

const shown = (value: unknown): string =>
  typeof value === 'string' ? show(value) : JSON.stringify(value).slice(0, 60);

const NO_FIELDS: FileFields = { assertKnown: () => {}, take: () => {} };

/** The entries with their corrections, as cells for the list of errors. A line that is not JSON is one cell. */
async function* originalEntries(
  file: JsonFile,
  corrections: Corrections | undefined,
  ofCall: Record<string, unknown>,
  headers: readonly Header[],
): AsyncGenerator<OriginalRow[]> {
  for await (const entries of readJsonEntries(file, NO_FIELDS)) {
    yield entries.map((entry) => {
      const { line } = entry;
      const value = 'value' in entry && isObject(entry.value) ? entry.value : undefined;
      const correction = corrections?.get(line);
      if (correction) return { line, cells: cellsOf({ ...ofCall, ...value, ...correction }, headers) };
      if (value) return { line, cells: cellsOf({ ...ofCall, ...value }, headers) };
      return { line, cells: ['value' in entry ? JSON.stringify(entry.value) : entry.text] };
    });
  }
}

function cellsOf(value: Record<string, unknown>, headers: readonly Header[]): string[] {
  return headers.map((name) => (name === 'enabled' ? (isDraft(value) ? 'false' : '') : cellOf(value[name])));
}

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(cellOf).join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
