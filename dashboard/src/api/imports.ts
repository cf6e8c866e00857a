import { asApiError } from './api-error.ts';
import { noAnswer, queryText, readAnswer } from './client.ts';

const PATH = '/api/redirects/import';

export interface ImportOptions {
  website_id: number;
  dry_run: boolean;
  on_conflict: 'skip' | 'update';
  add_slash: boolean;
  /** header of the file -> field of ours; '' reads past it */
  columns: Record<string, string>;
}

export interface RowError {
  line: number;
  column: string;
  code: string;
  message: string;
}

/** What became of a file, or would. */
export interface ImportResult {
  imported: number;
  skipped: number;
  updated: number;
  errors: RowError[];
  error_count: number;
  notices: { code: string; column: string; count: number }[];
  columns: { header: string; field: string | null }[];
  import_id: string;
  deployments: string[];
}

/**
 * Sends a file to be imported, or with `dry_run` to be checked. `onSent` hears which part of it has been sent, from 0 to 1; what comes
 * after that is the service's work. Columns that are not known are read past: the answer names them.
 */
export function importFile(
  file: File,
  { columns, ...options }: ImportOptions,
  { onSent, signal }: { onSent: (part: number) => void; signal: AbortSignal },
): Promise<ImportResult> {
  const query = { ...options, ignore_unknown: true, columns: JSON.stringify(columns) };
  const form = new FormData();
  form.append('file', file);
  // fetch tells nothing of how far an upload has come.
  const request = new XMLHttpRequest();
  return new Promise((resolve, reject) => {
    request.upload.onprogress = ({ loaded, total }) => onSent(total === 0 ? 1 : loaded / total);
    request.onload = () => {
      try {
        resolve(readAnswer<ImportResult>(PATH, request.status, request.responseText));
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
