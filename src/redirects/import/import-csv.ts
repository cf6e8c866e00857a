import type { Actor } from '../../vocabulary/actor.ts';
import { requireWebsite, resolveWebsiteId, type Website } from '../../websites/website.ts';
import { checkRedirect } from '../rule/check-redirect.ts';
import { planCsv } from '../read-csv/layout.ts';
import type { ColumnRole } from '../read-csv/column-role.ts';
import { readRows } from '../read-csv/read-rows.ts';
import { type CsvLayout, type CsvNotice, type CsvOptions, type CsvRow, isRowError } from '../read-csv/row.ts';
import { checkLabels, parseEnvironmentList } from '../rule/check-fields.ts';
import type { ImportEntry, ImportError } from './entry.ts';
import { assertRowLimit } from './limits.ts';
import { type ImportDeps, type ImportResult, runImport } from './run-import.ts';

export interface CsvImportInput {
  /** the spooled file */
  path: string;
  websiteId: number | undefined;
  onConflict: 'skip' | 'update';
  dryRun: boolean;
  addSlash: boolean;
  ignoreUnknown: boolean;
  /** header -> our field; '' ignores the column */
  columns: Record<string, string>;
  /** keep the verdict on every row for an hour; of a dry run only */
  report: boolean;
  /** the import's id where the caller names it */
  importId: string | undefined;
}

export interface CsvImportResult extends ImportResult {
  websiteId: number;
  notices: CsvNotice[];
  columns: ColumnRead[];
}

/** How a column of the file was read: as one of our fields, as something that only decides how others are read, or not at all. */
export interface ColumnRead {
  /** as the file has it; `column 1` and so on where it has no header */
  header: string;
  field: ColumnRole | null;
}

/** Imports a CSV file into one website. Refuses (UNKNOWN_COLUMN, plan limits, ...) before anything is applied. */
export async function importCsv(
  deps: ImportDeps,
  actor: Actor,
  input: CsvImportInput,
): Promise<CsvImportResult> {
  const { website, options, layout } = await chooseWebsite(deps, actor, input);
  const result = await runImport(deps, actor, {
    source: 'csv',
    mode: input.onConflict,
    batches: readEntries(input.path, actor, website, layout, options),
    importId: input.importId,
    keepsRows: input.report,
    settle: async () => ({ websiteId: website.id, dryRun: input.dryRun }),
  });
  return {
    ...result,
    websiteId: website.id,
    notices: layout.notices,
    columns: layout.columns.map(columnRead),
  };
}

function columnRead({ header, meaning }: CsvLayout['columns'][number]): ColumnRead {
  return { header, field: meaning === 'ignored' ? null : meaning };
}

/** The form field names the website, else the file's own column, else it is the account's only one. */
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
  const named = input.websiteId ?? (await websiteOfFile(path, await planCsv(path, undecided), undecided));
  const website = await requireWebsite(db, actor, await resolveWebsiteId(db, actor, named));
  const options = optionsFor(website);
  return { website, options, layout: await planCsv(path, options) };
}

/** The website that the first row names; rows that name another one are then refused by line. */
async function websiteOfFile(
  path: string,
  layout: CsvLayout,
  options: CsvOptions,
): Promise<number | undefined> {
  if (!layout.columns.some((column) => column.meaning === 'website_id')) return undefined;
  for await (const batch of readRows(path, layout, options)) {
    for (const row of batch) if (!isRowError(row) && row.websiteId !== undefined) return row.websiteId;
  }
  return undefined;
}

async function* readEntries(
  path: string,
  actor: Actor,
  website: Website,
  layout: CsvLayout,
  options: CsvOptions,
): AsyncGenerator<{ entries: ImportEntry[]; errors: ImportError[]; bytes: number }> {
  let total = 0;
  let bytes = 0;
  for await (const rows of readRows(path, layout, options, (read) => (bytes = read))) {
    total += rows.length;
    assertRowLimit(actor, total);
    const entries: ImportEntry[] = [];
    const errors: ImportError[] = [];
    for (const row of rows) {
      if (isRowError(row)) errors.push(row);
      else checkRow(row, website, entries, errors);
    }
    yield { entries, errors, bytes };
  }
}

function checkRow(row: CsvRow, website: Website, entries: ImportEntry[], errors: ImportError[]): void {
  const { line, oldPath, newPath = null, statusCode, isRegex, groupId, notes } = row;
  const refuse = (column: string, code: string, message: string): void =>
    void errors.push({ line, column, code, message, oldPath });
  const parsed = row.environments === undefined ? undefined : parseEnvironmentList(row.environments);
  if (parsed && 'problem' in parsed)
    return refuse('target_environments', 'INVALID_ENVIRONMENT', parsed.problem);
  const rule = { oldPath, newPath, statusCode: statusCode ?? 301, isRegex: isRegex ?? false };
  const { key, issues } = checkRedirect(rule, website.allowedTargetHosts);
  const issue = issues[0] ?? checkLabels(groupId ?? null, notes ?? null)[0];
  if (issue) return refuse(issue.path, issue.code, issue.message);
  const environments = row.draft ? [] : parsed?.environments;
  entries.push({ line, key, oldPath, newPath, statusCode, isRegex, groupId, notes, environments });
}
