import { isComment, readRecords } from './records.ts';
import { type RowError } from '../../../rules/entry.ts';
import { correctRecord, createCorrectionCheck } from './correct-row.ts';
import type { RawRecord } from './framing.ts';
import { createRowMapper } from './map-row.ts';
import type { Correction, CsvLayout } from './layout.ts';
import type { NoticeCode } from '../../../vocabulary/import/issue.ts';
import type { Count, FileNotice, FileRow } from '../../rows/row.ts';

/**
 * Yields the data rows of a file in batches of at most 500, in file order: each as fields, or with the reason why it is
 * invalid. Reads at most 128 KiB ahead. Empty rows are omitted and counted; `layout.notices` is complete after the last
 * batch. Calls `onRead` with the bytes of the file read so far. Throws at the end if a correction has no row.
 */
export async function* readRows(
  layout: CsvLayout,
  onRead?: (bytes: number) => void,
): AsyncGenerator<(FileRow | RowError)[]> {
  const notices = new Map<string, FileNotice>();
  const count: Count = (...notice) => countNotice(notices, ...notice);
  const mapRow = createRowMapper(layout, count);
  const corrections = createCorrectionCheck(layout.options.corrections);
  const headerLine = layout.headerLine ?? 0;
  for await (const records of readRecords(layout, onRead)) {
    const rows: (FileRow | RowError)[] = [];
    for (const record of records) {
      if (record.line <= headerLine || (layout.comments && isComment(record.cells))) continue;
      const correction = corrections.of(record.line);
      const row = correction ? mapCorrected(layout, record, correction, count) : mapRow(record);
      if (row) rows.push(row);
    }
    if (rows.length > 0) yield rows;
  }
  corrections.assertUsed();
  layout.notices.splice(0, layout.notices.length, ...notices.values());
}

/** Corrections are few, and each may need columns that the file lacks: a mapper for each. */
function mapCorrected(layout: CsvLayout, raw: RawRecord, correction: Correction, count: Count) {
  const { record, columns } = correctRecord(raw, layout.columns, correction);
  return createRowMapper({ ...layout, columns }, count)(record);
}

function countNotice(notices: Map<string, FileNotice>, code: NoticeCode, column: string, value?: string): void {
  const key = `${code} ${column} ${value ?? ''}`;
  const notice = notices.get(key);
  if (notice) notice.count++;
  else notices.set(key, { code, column, ...(value !== undefined && { value }), count: 1 });
}
