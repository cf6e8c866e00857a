import { hostNames, ruleHostNames } from '../../resolver/host-table.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { requireWebsite, resolveWebsiteId, type Website } from '../../websites/website.ts';
import type { ColumnRole } from '../read-csv/column-role.ts';
import { unnamedColumn } from '../read-csv/header.ts';
import type { CsvLayout, CsvOptions } from '../read-csv/layout.ts';
import { planCsv } from '../read-csv/plan-csv.ts';
import { readRows } from '../read-csv/read-rows.ts';
import { readRecords } from '../read-csv/records.ts';
import { checkRow, type CsvNotice } from '../read-csv/row.ts';
import { callDefaults } from '../read-json/check-entry.ts';
import { type ConflictMode, isRowError } from '../rule/entry.ts';
import { type ImportBatch, type ImportDeps, type ImportResult, runImport } from './run-import.ts';
import type { OriginalRows } from './store-originals.ts';

export interface CsvImportInput extends Pick<CsvOptions, 'addSlash' | 'wildcards' | 'ignoreUnknown' | 'columns'> {
  /** the uploaded file on disk */
  path: string;
  websiteId: number | undefined;
  onConflict: ConflictMode;
  dryRun: boolean;
  /** dry runs only: stores the verdict on every row for an hour */
  report: boolean;
  /** the caller's own id for the import */
  importId: string | undefined;
  /** values of rows without one */
  defaults?: { groupId: string | undefined; environments: string[] | undefined };
  /** an invalid row makes the import throw VALIDATION_ERROR */
  isStrict?: boolean | undefined;
}

export interface CsvImportResult extends ImportResult {
  websiteId: number;
  notices: CsvNotice[];
  /** header: as in the file, `column 1` and so on if it has none; field: null if the column was ignored */
  columns: { header: string; field: ColumnRole | null }[];
}

/** Imports a CSV file into one website. Throws UNKNOWN_COLUMN, plan limits and the like before it applies anything. */
export async function importCsv(
  deps: ImportDeps,
  actor: Actor,
  importId: string,
  input: CsvImportInput,
): Promise<CsvImportResult> {
  const defaults = callDefaults(input.defaults?.groupId, input.defaults?.environments);
  const { website, layout } = await chooseWebsite(deps, actor, input);
  const { id: websiteId } = website;
  const result = await runImport(deps, actor, {
    source: 'csv',
    mode: input.onConflict,
    batches: csvBatches(layout, website, typeof defaults.groupId === 'string'),
    importId,
    websiteId,
    keepsRows: input.report,
    originals: originalRows(layout),
    settle: async () => ({ websiteId, dryRun: input.dryRun, isStrict: input.isStrict, defaults }),
  });
  const columns = layout.columns.map(({ header, role }) => ({
    header,
    field: role === 'ignored' || role === 'report' ? null : role,
  }));
  return { ...result, websiteId, notices: layout.notices, columns };
}

/** The rows of a file for the list of errors, without the columns that such a list has added. */
function originalRows(layout: CsvLayout): OriginalRows {
  const { columns, headerLine } = layout;
  const kept = columns.flatMap(({ role }, at) => (role === 'report' ? [] : [at]));
  const hasReport = kept.length < columns.length;
  return {
    headers: kept.map((at) => {
      const { header = '' } = columns[at] ?? {};
      const isUnnamed = headerLine !== undefined && header === unnamedColumn(at);
      return isUnnamed ? '' : header;
    }),
    async *read() {
      for await (const records of readRecords(layout)) {
        yield records.map(({ line, cells, text }) => {
          if (text !== undefined) return { line, cells: [text] };
          if (!hasReport) return { line, cells };
          return { line, cells: [...kept.map((at) => cells[at] ?? ''), ...cells.slice(columns.length)] };
        });
      }
    },
  };
}

/** The website of the form field, else of the file's column, else the account's only one. */
async function chooseWebsite({ db }: ImportDeps, actor: Actor, input: CsvImportInput) {
  const { addSlash, wildcards, ignoreUnknown, columns, path } = input;
  const planFor = (website: Website | undefined): Promise<CsvLayout> =>
    planCsv(path, {
      addSlash,
      wildcards,
      ignoreUnknown,
      columns,
      ownHosts: hostNames(website?.hosts ?? []),
      ruleHosts: ruleHostNames(website?.hosts ?? []),
      websiteId: website?.id ?? null,
      ...(website && { query: website.query }),
    });
  const id = input.websiteId ?? (await websiteOfFile(await planFor(undefined)));
  const website = await requireWebsite(db, actor, await resolveWebsiteId(db, actor, id));
  return { website, layout: await planFor(website) };
}

/** The website of the first row that names one. Rows that name another one become errors later. */
async function websiteOfFile(layout: CsvLayout): Promise<number | undefined> {
  if (!layout.columns.some((column) => column.role === 'website_id')) return undefined;
  for await (const batch of readRows(layout)) {
    for (const row of batch) if (!isRowError(row) && row.websiteId !== undefined) return row.websiteId;
  }
  return undefined;
}

/** Reads the rows of a file. `hasGroup`: an empty cell gets the group of the call; otherwise it clears the group. */
export async function* csvBatches(
  layout: CsvLayout,
  { allowedTargetHosts }: Website,
  hasGroup = false,
): AsyncGenerator<ImportBatch> {
  let bytes = 0;
  for await (const rows of readRows(layout, (read) => (bytes = read))) {
    yield {
      rows: rows.map((row) => {
        if (isRowError(row)) return row;
        if (hasGroup && row.groupId === null) row.groupId = undefined;
        return checkRow(row, allowedTargetHosts);
      }),
      bytes,
    };
  }
}
