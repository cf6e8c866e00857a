/** Corrections of single rows: cells that are read in place of those of the file. */
import { invalid } from '../../../vocabulary/error.ts';
import type { RowField } from '../../../vocabulary/import/verdict.ts';
import type { ColumnRole } from './column-role.ts';
import type { RawRecord } from './framing.ts';
import type { Correction, Corrections, CsvColumn } from './layout.ts';

/** Columns that fill the field in another form: they are empty in a row whose field is corrected. */
const OTHER_FORMS: Partial<Record<RowField, readonly ColumnRole[]>> = {
  old_path: ['old_path_parts'],
  new_path: ['new_path_parts'],
  status_code: ['permanent'],
  is_regex: ['match', 'subpaths', 'suffix'],
  target_environments: ['enabled', 'disabled', 'state'],
};

/**
 * Returns the row with its corrections, and its columns: those of the file, then one for each corrected field that the
 * file lacks. Cells beyond the columns of the file are dropped, as are those of a row that cannot be read.
 */
export function correctRecord({ line, cells }: RawRecord, columns: readonly CsvColumn[], correction: Correction) {
  const corrected = columns.map((_, at) => cells[at] ?? '');
  const all = [...columns];
  for (const [name, value] of Object.entries(correction)) {
    const field = name as RowField;
    for (const [at, { role }] of columns.entries()) if (OTHER_FORMS[field]?.includes(role)) corrected[at] = '';
    const at = all.findIndex(({ role }) => role === field);
    if (at < 0) all.push({ header: field, role: field });
    corrected[at < 0 ? all.length - 1 : at] = value.trim();
  }
  const record: RawRecord = { line, cells: corrected, problem: undefined };
  return { record, columns: all };
}

/** Counts the corrections that a row has. `assertUsed` throws if one has no row: nothing is dropped silently. */
export function createCorrectionCheck(corrections: Corrections | undefined) {
  const unused = new Set(corrections?.keys());
  return {
    of(line: number): Correction | undefined {
      unused.delete(line);
      return corrections?.get(line);
    },
    assertUsed(): void {
      const [line] = unused;
      if (line === undefined) return;
      throw invalid('corrections', `no row begins at line ${line}; send the line of an invalid row`);
    },
  };
}
