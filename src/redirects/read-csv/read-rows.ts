import { createRowMapper } from './map-row.ts';
import { isComment, readRecords } from './records.ts';
import type { CsvLayout, CsvNotice, CsvOptions, CsvRow, CsvRowError, NoticeCode } from './row.ts';

/**
 * The data rows of a file in batches of at most 500, in the order of the file, each in our words or with the reason
 * why it cannot be. The reader's slice is the file's: nothing is read ahead of it but 128 KiB. Rows without content
 * are left out and counted; `layout.notices` is complete when the last batch has been taken. `onRead` hears how many
 * bytes of the file have been read.
 */
export async function* readRows(
  path: string,
  layout: CsvLayout,
  options: CsvOptions,
  onRead?: (bytes: number) => void,
): AsyncGenerator<(CsvRow | CsvRowError)[]> {
  const notices = new Map<string, CsvNotice>();
  const mapRow = createRowMapper(layout, options, (code, column) => countNotice(notices, code, column));
  const headerLine = layout.headerLine ?? 0;
  for await (const records of readRecords(path, layout.encoding, layout.delimiter, onRead)) {
    const rows: (CsvRow | CsvRowError)[] = [];
    for (const record of records) {
      if (record.line <= headerLine || (layout.comments && isComment(record.cells))) continue;
      const row = mapRow(record);
      if (row) rows.push(row);
    }
    if (rows.length > 0) yield rows;
  }
  layout.notices.splice(0, layout.notices.length, ...notices.values());
}

function countNotice(notices: Map<string, CsvNotice>, code: NoticeCode, column: string): void {
  const key = `${code} ${column}`;
  const notice = notices.get(key);
  if (notice) notice.count++;
  else notices.set(key, { code, column, count: 1 });
}
