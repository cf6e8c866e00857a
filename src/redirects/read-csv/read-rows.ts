import { isComment, readRecords } from './records.ts';
import { type RowError } from '../rule/entry.ts';
import { createRowMapper } from './map-row.ts';
import type { CsvLayout } from './layout.ts';
import type { CsvNotice, CsvRow, NoticeCode } from './row.ts';

/**
 * Yields the data rows of a file in batches of at most 500, in file order: each as fields, or with the reason why it is
 * invalid. Reads at most 128 KiB ahead. Empty rows are omitted and counted; `layout.notices` is complete after the last
 * batch. Calls `onRead` with the bytes of the file read so far.
 */
export async function* readRows(
  layout: CsvLayout,
  onRead?: (bytes: number) => void,
): AsyncGenerator<(CsvRow | RowError)[]> {
  const notices = new Map<string, CsvNotice>();
  const mapRow = createRowMapper(layout, (...notice) => countNotice(notices, ...notice));
  const headerLine = layout.headerLine ?? 0;
  for await (const records of readRecords(layout, onRead)) {
    const rows: (CsvRow | RowError)[] = [];
    for (const record of records) {
      if (record.line <= headerLine || (layout.comments && isComment(record.cells))) continue;
      const row = mapRow(record);
      if (row) rows.push(row);
    }
    if (rows.length > 0) yield rows;
  }
  layout.notices.splice(0, layout.notices.length, ...notices.values());
}

function countNotice(notices: Map<string, CsvNotice>, code: NoticeCode, column: string, value?: string): void {
  const key = `${code} ${column} ${value ?? ''}`;
  const notice = notices.get(key);
  if (notice) notice.count++;
  else notices.set(key, { code, column, ...(value !== undefined && { value }), count: 1 });
}
