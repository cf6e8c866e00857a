import type { RowField, Verdict } from '../../../src/vocabulary/import/verdict.ts';
import { call, queryText } from './client/client.ts';
import { upload, type UploadOptions } from './client/upload.ts';
import { redirectWrites } from './redirects.ts';
import type { CheckedRow, FileImported, ImportState } from './client/wire.ts';

const PATH = '/api/redirects/import';

export interface ImportOptions {
  website_id: number;
  dry_run: boolean;
  /** from newImportId, so that the progress can be polled */
  import_id: string;
  on_conflict: 'skip' | 'update';
  add_slash: boolean;
  /** header of the file -> field of a redirect; '' ignores the column */
  columns: Record<string, string>;
  /** how wildcards are read in rows that do not say it */
  wildcards?: 'convert' | 'literal' | undefined;
  /** of rows without a value, separated by commas; '': drafts; undefined: production */
  target_environments?: string | undefined;
  /** of rows without a value */
  group_id?: string | undefined;
  /** line of a row -> values that replace those of the file */
  corrections: Corrections;
}

export type Corrections = Record<number, Partial<Record<RowField, string>>>;

/**
 * Imports a file, or checks it with `dry_run`: the service then stores the verdict of each row for an hour. Unknown
 * columns are ignored; the response lists them.
 */
export function importFile(
  file: File,
  { columns, corrections, ...options }: ImportOptions,
  progress: UploadOptions,
): Promise<FileImported> {
  const report = options.dry_run ? true : undefined;
  const mapping = Object.keys(columns).length > 0 ? JSON.stringify(columns) : undefined;
  const query = { ...options, report, ignore_unknown: true, columns: mapping };
  const form = new FormData();
  if (Object.keys(corrections).length > 0) form.append('corrections', JSON.stringify(corrections));
  form.append('file', file);
  const response = upload<FileImported>(PATH + queryText(query), form, progress);
  return options.dry_run ? response : redirectWrites.track(response);
}

/** CSV download of the invalid rows of an import, with reasons. */
export const badRowsUrl = (importId: string): string => `/api/imports/${importId}/errors?format=csv`;

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** A random id for a new import. */
export function newImportId(): string {
  const random = crypto.getRandomValues(new Uint8Array(22));
  return `imp_${Array.from(random, (byte) => LETTERS[byte % LETTERS.length]).join('')}`;
}

/** The progress of an import of the website; undefined before it exists. */
export async function fetchProgress(
  website_id: number,
  id: string,
  signal: AbortSignal,
): Promise<ImportState['progress'] | undefined> {
  // The newest ones: an import that does not exist yet would be an error on the console.
  const { imports } = await call<{ imports: ImportState[] }>('GET', '/api/imports', {
    query: { website_id, limit: 10 },
    signal,
  });
  return imports.find((each) => each.id === id)?.progress;
}

/** The newest imports of a website, without dry runs. */
export const listImports = (query: { website_id: number; limit: number }, signal: AbortSignal) =>
  call<{ imports: ImportState[] }>('GET', '/api/imports', {
    query: { ...query, dry_run: false },
    signal,
    after: redirectWrites,
  });

/** A range of the rows of a checked file; `verdict` undefined: of all rows. */
export const listRows = (
  importId: string,
  query: { verdict: Verdict | undefined; offset: number; limit: number },
  signal: AbortSignal,
): Promise<{ rows: CheckedRow[]; total: number }> => call('GET', `/api/imports/${importId}/rows`, { query, signal });

/** CSV download of the rows of a checked file with their verdicts; `verdict` undefined: of all rows. */
export const reportUrl = (importId: string, verdict: Verdict | undefined): string =>
  `/api/imports/${importId}/report${queryText({ verdict })}`;
