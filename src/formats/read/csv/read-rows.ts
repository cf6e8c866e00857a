import { isComment, readRecords } from './records.ts';
import { correctRecord, createCorrectionCheck } from './correct-row.ts';
import type { RawRecord } from './framing.ts';
import { createRowMapper } from './map-row.ts';
import { type Correction, type CsvLayout, matchOptions } from './layout.ts';
import { createNotices, optionValues, type RowMarks, type RowNotices } from '../../rows/notices.ts';
import type { FileRow } from '../../rows/row.ts';
import type { RowError } from '../../../rules/entry.ts';
import { createRowOrder, type OrderedRow } from './tools/row-order.ts';

/**
 * Yields the data rows of a file in batches of at most 500, in file order: each as fields, or with the reason why it is
 * invalid. Reads at most 128 KiB ahead. Empty rows are omitted and counted; `layout.notices` is complete after the last
 * batch. Calls `onRead` with the bytes of the file read so far. Throws at the end if a correction has no row.
 */
export async function* readRows(layout: CsvLayout, onRead?: (bytes: number) => void, marks?: RowMarks) {
  const options = optionValues(matchOptions(layout));
  const notices = createNotices(options, marks);
  const order = createRowOrder(layout, notices);
  if (order) for await (const rows of orderedRows(layout, createNotices(options))) rows.forEach(order.add);
  for await (const rows of orderedRows(layout, notices, onRead)) {
    if (!order) {
      yield rows.map(({ row }) => row);
      continue;
    }
    const checked: (FileRow | RowError)[] = [];
    for (const row of rows) checked.push(await order.check(row));
    yield checked;
  }
  layout.notices.splice(0, layout.notices.length, ...notices.list());
}

async function* orderedRows(layout: CsvLayout, notices: RowNotices, onRead?: (bytes: number) => void) {
  const mapRow = createRowMapper(layout, notices);
  const corrections = createCorrectionCheck(layout.options.corrections);
  const headerLine = layout.headerLine ?? 0;
  for await (const records of readRecords(layout, onRead)) {
    const rows = records.flatMap((record): OrderedRow[] => {
      if (record.line <= headerLine || (layout.comments && isComment(record.cells))) return [];
      const correction = corrections.of(record.line);
      const row = correction ? mapCorrected(layout, record, correction, notices) : mapRow(record);
      return row ? [{ row, cells: record.cells }] : [];
    });
    if (rows.length > 0) yield rows;
  }
  corrections.assertUsed();
}

/** Corrections are few, and each may need columns that the file lacks: a mapper for each. */
function mapCorrected(layout: CsvLayout, raw: RawRecord, correction: Correction, notices: RowNotices) {
  const { record, columns } = correctRecord(raw, layout.columns, correction);
  return createRowMapper({ ...layout, columns }, notices)(record);
}
