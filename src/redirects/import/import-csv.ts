import type { Actor } from '../../vocabulary/actor.ts';
import { requireWebsite, resolveWebsiteId, type Website } from '../../websites/website.ts';
import type { ColumnRole } from '../read-csv/column-role.ts';
import type { CsvLayout, CsvOptions } from '../read-csv/layout.ts';
import { planCsv } from '../read-csv/plan-csv.ts';
import { readRows } from '../read-csv/read-rows.ts';
import { checkRow, type CsvNotice } from '../read-csv/row.ts';
import { type ConflictMode, isRowError } from '../rule/entry.ts';
import { assertRowLimit } from './limits.ts';
import { type ImportBatch, type ImportDeps, type ImportResult, runImport } from './run-import.ts';

export interface CsvImportInput {
  /** the uploaded file on disk */
  path: string;
  websiteId: number | undefined;
  onConflict: ConflictMode;
  dryRun: boolean;
  addSlash: boolean;
  ignoreUnknown: boolean;
  /** header -> field; '' ignores the column */
  columns: Record<string, string>;
  /** dry runs only: stores the verdict on every row for an hour */
  report: boolean;
  /** the caller's own id for the import */
  importId: string | undefined;
}

export interface CsvImportResult extends ImportResult {
  websiteId: number;
  notices: CsvNotice[];
  columns: ColumnRead[];
}

export interface ColumnRead {
  /** as in the file; `column 1` and so on if it has none */
  header: string;
  /** null: ignored */
  field: ColumnRole | null;
}

/** Imports a CSV file into one website. Throws UNKNOWN_COLUMN, plan limits and the like before it applies anything. */
export async function importCsv(
  deps: ImportDeps,
  actor: Actor,
  input: CsvImportInput,
): Promise<CsvImportResult> {
  const { website, options, layout } = await chooseWebsite(deps, actor, input);
  const result = await runImport(deps, actor, {
    source: 'csv',
    mode: input.onConflict,
    batches: readBatches(input.path, actor, website, layout, options),
    importId: input.importId,
    keepsRows: input.report,
    settle: async () => ({ websiteId: website.id, dryRun: input.dryRun }),
  });
  const columns = layout.columns.map(({ header, role }) => ({
    header,
    field: role === 'ignored' ? null : role,
  }));
  return { ...result, websiteId: website.id, notices: layout.notices, columns };
}

/** The website of the form field, else of the file's column, else the account's only one. */
async function chooseWebsite(
  { db }: ImportDeps,
  actor: Actor,
  input: CsvImportInput,
): Promise<{ website: Website; options: CsvOptions; layout: CsvLayout }> {
  const { addSlash, ignoreUnknown, columns, path } = input;
  const optionsFor = (website: Website | undefined): CsvOptions => ({
    addSlash,
    ignoreUnknown,
    columns,
    ownHosts: new Set(website?.hosts.map((host) => host.hostname)),
    websiteId: website?.id ?? null,
    ...(website && { query: website.query }),
  });
  const undecided = optionsFor(undefined);
  const id = input.websiteId ?? (await websiteOfFile(path, await planCsv(path, undecided), undecided));
  const website = await requireWebsite(db, actor, await resolveWebsiteId(db, actor, id));
  const options = optionsFor(website);
  return { website, options, layout: await planCsv(path, options) };
}

/** The website of the first row that names one. Rows that name another one become errors later. */
async function websiteOfFile(
  path: string,
  layout: CsvLayout,
  options: CsvOptions,
): Promise<number | undefined> {
  if (!layout.columns.some((column) => column.role === 'website_id')) return undefined;
  for await (const batch of readRows(path, layout, options)) {
    for (const row of batch) if (!isRowError(row) && row.websiteId !== undefined) return row.websiteId;
  }
  return undefined;
}

async function* readBatches(
  path: string,
  actor: Actor,
  website: Website,
  layout: CsvLayout,
  options: CsvOptions,
): AsyncGenerator<ImportBatch> {
  let total = 0;
  let bytes = 0;
  for await (const rows of readRows(path, layout, options, (read) => (bytes = read))) {
    total += rows.length;
    assertRowLimit(actor, total);
    const batch: ImportBatch = { entries: [], errors: [], bytes };
    for (const row of rows) {
      const checked = isRowError(row) ? row : checkRow(row, website.allowedTargetHosts);
      if (isRowError(checked)) batch.errors.push(checked);
      else batch.entries.push(checked);
    }
    yield batch;
  }
}
