import { asApiError } from './api-error.ts';
import { noResponse, readResponse, sendAndAsk, writes } from './client.ts';

export interface UploadOptions {
  /** receives the bytes sent and the total */
  onSent: (bytes: number, total: number) => void;
  signal: AbortSignal;
}

/** Posts a form or a file like `call`. fetch does not report upload progress. */
export const upload = <Result>(url: string, body: FormData | Blob, options: UploadOptions): Promise<Result> =>
  sendAndAsk(() => uploadOnce<Result>(url, body, options));

function uploadOnce<Result>(url: string, body: FormData | Blob, { onSent, signal }: UploadOptions): Promise<Result> {
  const request = new XMLHttpRequest();
  return new Promise<Result>((resolve, reject) => {
    request.upload.onprogress = ({ loaded, total }) => onSent(loaded, total);
    request.upload.onload = ({ total }) => onSent(total, total);
    request.onload = () => {
      try {
        resolve(readResponse<Result>(request.status, request.responseText));
        writes.value += 1;
      } catch (thrown) {
        reject(asApiError(thrown));
      }
    };
    request.onerror = () => reject(noResponse());
    request.onabort = () => reject(new DOMException('aborted', 'AbortError'));
    signal.addEventListener('abort', () => request.abort());
    request.open('POST', url);
    // Over plain http, browsers do not say where a request comes from.
    request.setRequestHeader('X-Detour-Dashboard', '1');
    // The service looks at the content of files only.
    if (body instanceof Blob) request.setRequestHeader('Content-Type', 'application/octet-stream');
    request.send(body);
  });
}
