import { asApiError } from './api-error.ts';
import type { Verdict } from '../../../src/vocabulary/import-verdict.ts';
import { call, noAnswer, queryText, readAnswer } from './client.ts';
import type { CheckedRow, FileImported, ImportAnswer } from './wire.ts';

const PATH = '/api/redirects/import';

export interface ImportOptions {
  website_id: number;
  dry_run: boolean;
  /** made here (newImportId), so that the import can be watched while it runs */
  import_id: string;
  on_conflict: 'skip' | 'update';
  add_slash: boolean;
  /** header of the file -> field of ours; '' reads past it */
  columns: Record<string, string>;
}

/**
 * Sends a file to be imported, or with `dry_run` to be checked, every row's verdict kept for an hour. `onSent` hears which part of it has been sent, from 0 to 1; what comes
 * after that is the service's work. Columns that are not known are read past: the answer names them.
 */
export function importFile(
  file: File,
  { columns, ...options }: ImportOptions,
  { onSent, signal }: { onSent: (bytes: number, total: number) => void; signal: AbortSignal },
): Promise<FileImported> {
  const report = options.dry_run ? true : undefined;
  const query = { ...options, report, ignore_unknown: true, columns: JSON.stringify(columns) };
  const form = new FormData();
  form.append('file', file);
  // fetch tells nothing of how far an upload has come.
  const request = new XMLHttpRequest();
  return new Promise((resolve, reject) => {
    request.upload.onprogress = ({ loaded, total }) => onSent(loaded, total);
    request.upload.onload = ({ total }) => onSent(total, total);
    request.onload = () => {
      try {
        resolve(readAnswer<FileImported>(PATH, request.status, request.responseText));
      } catch (thrown) {
        reject(asApiError(thrown));
      }
    };
    request.onerror = () => reject(noAnswer());
    request.onabort = () => reject(new DOMException('overtaken', 'AbortError'));
    signal.addEventListener('abort', () => request.abort());
    request.open('POST', PATH + queryText(query));
    request.send(form);
  });
}

/** Every bad row of an import with its reason, as a file. */
export const badRowsAddress = (importId: string): string => `/api/imports/${importId}/errors?format=csv`;

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** An id for an import that is about to be sent. */
export function newImportId(): string {
  const random = crypto.getRandomValues(new Uint8Array(22));
  return `imp_${Array.from(random, (byte) => LETTERS[byte % LETTERS.length]).join('')}`;
}

/** How far an import has come. */
export const fetchImport = (id: string, signal: AbortSignal): Promise<{ import: ImportAnswer }> =>
  call('GET', `/api/imports/${id}`, { signal });

/** A window of the rows of a file that was checked, of all or of one verdict. */
export const listRows = (
  importId: string,
  query: { verdict: Verdict | undefined; offset: number; limit: number },
  signal: AbortSignal,
): Promise<{ rows: CheckedRow[]; total: number }> =>
  call('GET', `/api/imports/${importId}/rows`, { query, signal });

/** The rows of a file that was checked, of all or of one verdict, each with its verdict, as a file. */
export const reportAddress = (importId: string, verdict: Verdict | undefined): string =>
  `/api/imports/${importId}/report${queryText({ verdict })}`;
