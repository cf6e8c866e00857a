import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { onTestFinished } from 'vitest';

import type { CsvLayout, CsvOptions } from '../../../../src/formats/read/csv/layout.ts';
import { planCsv } from '../../../../src/formats/read/csv/plan-csv.ts';
import { readRows } from '../../../../src/formats/read/csv/read-rows.ts';
import type { FileRow } from '../../../../src/formats/rows/row.ts';
import { isRowError, type RowError } from '../../../../src/rules/entry.ts';

/** Options of an import into a website with the host example.com, with the given changes. */
export function csvOptions(changes: Partial<CsvOptions> = {}): CsvOptions {
  return {
    plan: 'enterprise',
    addSlash: false,
    ignoreUnknown: false,
    columns: {},
    ownHosts: new Set(['example.com', 'xn--bcher-kva.example']),
    websiteId: null,
    ...changes,
  };
}

/** Writes a file that is removed when the test ends. */
export function csvFile(content: string | Buffer): string {
  const folder = mkdtempSync(join(tmpdir(), 'detour-csv-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'redirects.csv');
  writeFileSync(path, content);
  return path;
}

export interface ReadCsv {
  layout: CsvLayout;
  rows: FileRow[];
  errors: RowError[];
}

/** Reads all rows and errors of a file. */
export async function readCsv(content: string | Buffer, changes: Partial<CsvOptions> = {}): Promise<ReadCsv> {
  return readPath(csvFile(content), csvOptions(changes));
}

export async function readPath(path: string, options: CsvOptions): Promise<ReadCsv> {
  const layout = await planCsv(path, options);
  const rows: FileRow[] = [];
  const errors: RowError[] = [];
  for await (const batch of readRows(layout)) {
    for (const row of batch) {
      if (isRowError(row)) errors.push(row);
      else rows.push(row);
    }
  }
  return { layout, rows, errors };
}

/** A row that specifies only the given fields. */
export function csvRow(line: number, oldPath: string, fields: Partial<FileRow> = {}): FileRow {
  return {
    line,
    oldPath,
    newPath: undefined,
    statusCode: undefined,
    isRegex: undefined,
    groupId: undefined,
    notes: undefined,
    environments: undefined,
    activeFrom: undefined,
    activeUntil: undefined,
    draft: false,
    websiteId: undefined,
    ...fields,
  };
}
