import { hostNames, ruleHostNames } from '../../../resolver/host-table.ts';
import type { Actor } from '../../../vocabulary/actor.ts';
import { omitUndefined } from '../../../vocabulary/omit-undefined.ts';
import { requireRoleAt, requireWebsite, resolveWebsiteId, type Website } from '../../../websites/website.ts';
import type { Corrections, CsvLayout, CsvOptions } from '../../../formats/read/csv/layout.ts';
import { planCsv } from '../../../formats/read/csv/plan-csv.ts';
import { readRows } from '../../../formats/read/csv/read-rows.ts';
import { createRowMarks, type FileNotice } from '../../../formats/rows/notices.ts';
import { callDefaults } from '../../../formats/read/json/check-entry.ts';
import { type ConflictMode, isRowError } from '../../../rules/entry.ts';
import { assertNoCsvOptions, type FileColumn, openCsv, openKnownFile, recognizeRuleFile } from './rule-file.ts';
import type { ImportDeps, ImportResult } from '../engine/import-request.ts';
import { runImport } from '../engine/run-import.ts';
import { storeOriginals } from '../verdicts/store-originals.ts';
import { dropSurplusVerdicts, storeVerdicts } from '../verdicts/store-verdicts.ts';

export interface FileImportInput extends Pick<CsvOptions, 'addSlash' | 'wildcards' | 'ignoreUnknown' | 'columns'> {
  /** the uploaded file on disk */
  path: string;
  /** as the client named the file: a hint at its format */
  fileName?: string | undefined;
  /** values that replace those of single rows */
  corrections?: Corrections | undefined;
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

export interface FileImportResult extends ImportResult {
  websiteId: number;
  /** `csv`, `json`, `ndjson`, or the tool or server whose format the file has */
  format: string;
  notices: FileNotice[];
  /** header: as in the file, `column 1` and so on if it has none; field: null if the column was ignored */
  columns: FileColumn[];
}

/**
 * Imports a file into one website: CSV, JSON or the configuration of a server. Throws UNKNOWN_COLUMN, plan limits and
 * the like before it applies anything.
 */
export async function importFile(deps: ImportDeps, actor: Actor, importId: string, input: FileImportInput) {
  const defaults = callDefaults(input.defaults?.groupId, input.defaults?.environments);
  const { website, file } = await openFile(deps, actor, input);
  const { id: websiteId } = website;
  const { format, notices, columns, originals } = file;
  const marks = input.report ? createRowMarks() : undefined;
  const result = await runImport(deps, actor, {
    source: 'csv',
    mode: input.onConflict,
    batches: file.batches(website, typeof defaults.groupId === 'string', marks),
    ...{ importId, websiteId, fileName: input.fileName },
    complete: (errors) => storeOriginals(deps.permits.db, importId, originals, errors),
    keepRows: marks && ((tx, run) => storeVerdicts(tx, run, marks)),
    settle: async () => ({
      ...{ websiteId, dryRun: input.dryRun, isStrict: input.isStrict },
      defaults: { ...defaults, ...omitUndefined(file.defaults ?? {}) },
    }),
  });
  if (result.verdicts) await dropSurplusVerdicts(deps.db, actor.accountId);
  return { ...result, websiteId, format, notices, columns };
}

/** The website of the form field, else of the file's column, else the account's only one. */
async function openFile(deps: ImportDeps, actor: Actor, input: FileImportInput) {
  const { path, fileName = '' } = input;
  const { plan } = actor;
  const format = await recognizeRuleFile({ path, plan: actor.plan }, fileName);
  if (format) assertNoCsvOptions(format, input);
  const id =
    input.websiteId ??
    (format ? undefined : await websiteOfFile(await planCsv(path, csvOptions({ ...input, plan }, undefined))));
  const website = await requireWebsite(deps.db, actor, await resolveWebsiteId(deps.db, actor, id));
  if (!input.dryRun) await requireRoleAt(deps.db, actor, website.id, 'editor');
  if (format) return { website, file: await openKnownFile({ path, fileName, format, plan }, website, input) };
  return { website, file: openCsv(await planCsv(path, csvOptions({ ...input, plan }, website))) };
}

/** The options of a call, with those that the website adds. */
export function csvOptions(options: CallOptions, website: Website | undefined): CsvOptions {
  const { hosts = [] } = website ?? {};
  return {
    ...options,
    ownHosts: hostNames(hosts),
    ruleHosts: ruleHostNames(hosts),
    websiteId: website?.id ?? null,
    query: website?.query,
    caseSensitive: website?.caseSensitive,
    trailingSlash: website?.trailingSlash,
  };
}

type CallOptions = Omit<
  CsvOptions,
  'ownHosts' | 'ruleHosts' | 'websiteId' | 'query' | 'caseSensitive' | 'trailingSlash'
>;

/** The website of the first row that names one. Rows that name another one become errors later. */
async function websiteOfFile(layout: CsvLayout): Promise<number | undefined> {
  if (!layout.columns.some((column) => column.role === 'website_id')) return undefined;
  for await (const batch of readRows(layout)) {
    for (const row of batch) if (!isRowError(row) && row.websiteId !== undefined) return row.websiteId;
  }
  return undefined;
}
