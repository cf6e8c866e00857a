/** A file of an import, as rows: CSV, JSON, or the configuration of a server. */
import { hostNames, isWildcard, ruleHostNames } from '../../../resolver/host-table.ts';
import { invalid } from '../../../vocabulary/error.ts';
import { ROW_FIELDS } from '../../../vocabulary/import/verdict.ts';
import type { Plan } from '../../../vocabulary/plan.ts';
import { targetHostsOf, type Website } from '../../../websites/website.ts';
import type { ColumnRole } from '../../../formats/read/csv/column-role.ts';
import { correctRecord } from '../../../formats/read/csv/correct-row.ts';
import { sniffEncoding } from '../../../formats/rows/encoding.ts';
import type { RawRecord } from '../../../formats/read/csv/framing.ts';
import { unnamedColumn } from '../../../formats/read/csv/header.ts';
import type { CsvLayout, CsvOptions } from '../../../formats/read/csv/layout.ts';
import { readRows } from '../../../formats/read/csv/read-rows.ts';
import { readRecords } from '../../../formats/read/csv/records.ts';
import type { FileNotice, RowMarks } from '../../../formats/rows/notices.ts';
import { checkRow } from '../../../formats/rows/row.ts';
import { originalStatements, readServerRows, type ServerFile } from '../../../formats/read/servers/read-server-file.ts';
import { recognizeServerFile } from '../../../formats/read/servers/recognize.ts';
import { quoting, type ServerFormat } from '../../../formats/read/servers/statement.ts';
import { STATEMENT_HEADERS } from '../../../formats/read/servers/to-row.ts';
import { type JsonFormat, recognizeJson } from '../../../formats/read/json/json-file.ts';
import { type CallDefaults, type ImportEntry, isRowError, type RowError } from '../../../rules/entry.ts';
import { type JsonOptions, openJsonFile } from './json-rule-file.ts';
import type { ImportBatch } from '../engine/import-request.ts';
import { createTwinReader } from './slash-twins.ts';
import type { OriginalRows } from '../verdicts/store-originals.ts';

export interface FileColumn {
  header: string;
  field: ColumnRole | null;
}

export interface RuleFile {
  format: string;
  /** complete when the last row has been read */
  notices: FileNotice[];
  columns: FileColumn[];
  originals: OriginalRows;
  /** values that the file itself has for rows without one; complete when the last row has been read */
  defaults?: CallDefaults;
  /** `hasGroup`: an empty cell gets the group of the call; otherwise it clears the group. `marks` get the notices. */
  batches(website: Website, hasGroup?: boolean, marks?: RowMarks): AsyncGenerator<ImportBatch>;
}

export type KnownFormat = ServerFormat | JsonFormat;

/** Returns the format of a file, and undefined for CSV. Throws VALIDATION_ERROR for JSON of another kind. */
export async function recognizeRuleFile({ path, plan }: Pick<KnownFile, 'path' | 'plan'>, fileName: string) {
  const file = { path, plan, encoding: await sniffEncoding(path) };
  const json = await recognizeJson(file);
  if (json === 'json' || json === 'ndjson') return json;
  const format = await recognizeServerFile(file, fileName);
  if (format !== undefined || json === undefined) return format;
  throw invalid('file', 'the file is JSON, but has no redirects; write them as {"old_path": ..., "new_path": ...}');
}

/** Throws for an option that has no meaning in the file. A server file has no columns that could be unknown. */
export function assertNoCsvOptions(
  format: KnownFormat,
  { columns, addSlash, wildcards, corrections }: Pick<CsvOptions, 'columns' | 'addSlash' | 'wildcards' | 'corrections'>,
): void {
  const isServer = !isJsonFormat(format);
  const given = {
    columns: Object.keys(columns).length > 0,
    add_slash: addSlash,
    wildcards: wildcards !== undefined,
    corrections: corrections !== undefined && isServer,
  };
  for (const [name, isGiven] of Object.entries(given))
    if (isGiven) throw invalid(name, `applies to CSV files, and this file is of the format ${format}; leave it out`);
}

const isJsonFormat = (format: KnownFormat): format is JsonFormat => format === 'json' || format === 'ndjson';

export function openCsv(layout: CsvLayout): RuleFile {
  const columns = layout.columns.map(({ header, role }) => ({
    header,
    field: role === 'ignored' || role === 'report' ? null : role,
  }));
  const format = layout.format === 'plain' ? 'csv' : layout.format;
  return {
    ...{ format, columns },
    notices: layout.notices,
    originals: originalRows(layout),
    batches(website, hasGroup = false, marks) {
      const targetHosts = targetHostsOf(website);
      const readTwin = createTwinReader(layout.format, website);
      return checkedBatches(readRows, layout, marks, (row) => {
        if (isRowError(row)) return row;
        if (hasGroup && row.groupId === null) row.groupId = undefined;
        return checkRow(readTwin(row), targetHosts);
      });
    },
  };
}

async function* checkedBatches<Source, Row>(
  read: (source: Source, onRead: (bytes: number) => void, marks?: RowMarks) => AsyncIterable<Row[]>,
  source: Source,
  marks: RowMarks | undefined,
  check: (row: Row) => ImportEntry | RowError,
): AsyncGenerator<ImportBatch> {
  let bytes = 0;
  for await (const rows of read(source, (received) => (bytes = received), marks))
    yield { rows: rows.map(check), bytes };
}

/** The rows of a file for the list of errors, without the columns that such a list has added. */
function originalRows(layout: CsvLayout): OriginalRows {
  const { columns, headerLine } = layout;
  const kept = columns.flatMap(({ role }, at) => (role === 'report' ? [] : [at]));
  const hasReport = kept.length < columns.length;
  return {
    fields: kept.map((at) => ROW_FIELDS.find((field) => field === columns[at]?.role) ?? ''),
    headers: kept.map((at) => {
      const { header = '' } = columns[at] ?? {};
      const isUnnamed = headerLine !== undefined && header === unnamedColumn(at);
      return isUnnamed ? '' : header;
    }),
    async *read() {
      for await (const records of readRecords(layout)) {
        yield records.map((record) => {
          const { line, cells, text } = corrected(layout, record);
          if (text !== undefined) return { line, cells: [text] };
          if (!hasReport) return { line, cells };
          return { line, cells: [...kept.map((at) => cells[at] ?? ''), ...cells.slice(columns.length)] };
        });
      }
    },
  };
}

/** The row with its correction, without the fields that the file has no column for. */
function corrected({ options, columns }: CsvLayout, record: RawRecord): RawRecord {
  const correction = options.corrections?.get(record.line);
  if (!correction) return record;
  const { line, cells } = correctRecord(record, columns, correction).record;
  return { line, cells: cells.slice(0, columns.length), problem: undefined };
}

interface KnownFile {
  path: string;
  plan: Plan;
  fileName: string;
  format: KnownFormat;
}

/** Opens a file that is not CSV. */
export async function openKnownFile(file: KnownFile, website: Website, options: JsonOptions): Promise<RuleFile> {
  const { path, fileName, format, plan } = file;
  const encoding = await sniffEncoding(path);
  if (isJsonFormat(format)) return openJsonFile({ path, encoding, format, plan }, options);
  return openServerFile({ path, encoding, format, plan }, fileName, website);
}

function openServerFile(known: Omit<ServerFile, 'context' | 'notices'>, fileName: string, website: Website): RuleFile {
  const { hosts, query, trailingSlash, caseSensitive } = website;
  const file: ServerFile = {
    ...{ ...known, notices: [] },
    context: {
      hosts: [...ruleHostNames(hosts)].filter((host) => !isWildcard(host)),
      ownHosts: hostNames(hosts),
      ruleHosts: ruleHostNames(hosts),
      ...{ query, trailingSlash, caseSensitive, fileName },
    },
  };
  return {
    ...{ format: file.format, notices: file.notices, columns: [] },
    originals: { headers: STATEMENT_HEADERS, fields: null, read: () => originalStatements(file) },
    batches(_website, _hasGroup, marks) {
      const targetHosts = targetHostsOf(website);
      const readTwin = createTwinReader(file.format, website);
      return checkedBatches(readServerRows, file, marks, ({ row, text }) => {
        if (isRowError(row)) return row;
        const checked = checkRow(readTwin(row), targetHosts);
        return isRowError(checked) ? { ...checked, message: quoting(checked.message, text) } : checked;
      });
    },
  };
}
