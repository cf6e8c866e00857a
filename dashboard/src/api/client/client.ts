import { signal } from '@preact/signals';
import type { Issue } from '../../../../src/vocabulary/error.ts';
import { capitalized } from '../../format.ts';
import { ApiError } from './api-error.ts';
import type { ErrorResponse, InvalidEntry } from './wire.ts';

/** A list repeats its parameter. */
export type QueryValue = string | number | boolean | undefined | readonly (string | number)[];

export interface CallOptions {
  query?: { [name: string]: QueryValue };
  body?: object;
  /** a file as the body, instead of JSON */
  file?: { content: Blob; type: string };
  /** a form as the body */
  form?: FormData;
  signal?: AbortSignal | undefined;
  /** sends the request after these writes have ended */
  after?: Writes;
  /** a request that changes nothing, whatever its method */
  isRead?: boolean;
  /** fails without asking the user if the session has ended */
  isSilent?: boolean;
  /** goes on after the page is closed; browsers take only 64 KiB of such bodies */
  keepalive?: boolean;
  /** the last response to this read, which a response without a change returns again */
  last?: LastResponse | undefined;
}

/** Kept by a reader that repeats its read: responses of the API are not to be stored by the browser. */
export interface LastResponse {
  etag?: string | undefined;
  body?: unknown;
}

/** Parameters of a list that is read page by page. */
export interface PageQuery {
  cursor?: string | undefined;
  limit: number;
}

/** A page of such a list. */
export interface NextPage {
  /** null: the last page */
  next_cursor: string | null;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Successful writes of this page, and the end of their deployments. */
export const writes = signal(0);

/**
 * Asks the user for what a rejected request lacks. Resolves with true if the request can be repeated. `sentAt`: when it
 * was sent, in the time of `performance.now()`.
 */
type Ask = (sentAt: number) => Promise<boolean>;

let whenSessionEnded: Ask = () => Promise.resolve(false);
let whenConfirmRequired: Ask = () => Promise.resolve(false);

/** Calls `ask` when a response says that the session has ended. */
export function onSessionEnded(ask: Ask): void {
  whenSessionEnded = ask;
}

/** Calls `ask` when a request needs the password again. */
export function onConfirmRequired(ask: Ask): void {
  whenConfirmRequired = ask;
}

/**
 * Calls the service with the session cookie, and asks the user to sign in or for the password if the service requires
 * it. Resolves with the JSON of a 2xx response. Rejects with an AbortError if `signal` aborts, otherwise with an
 * ApiError.
 */
export async function call<Body>(method: Method, path: string, options: CallOptions = {}): Promise<Body> {
  if (options.after) await options.after.ended();
  const send = (): Promise<Body> => callOnce<Body>(method, path, options);
  return options.isSilent ? send() : sendAndAsk(send);
}

/** Sends a request, and once more if the user enters what it lacks. */
export async function sendAndAsk<Result>(request: () => Promise<Result>): Promise<Result> {
  const sentAt = performance.now();
  try {
    return await request();
  } catch (thrown) {
    const ask = thrown instanceof ApiError ? questionOf(thrown) : undefined;
    if (!ask) throw thrown;
    if (await ask(sentAt)) return request();
    throw ask === whenConfirmRequired ? notConfirmed() : thrown;
  }
}

const notConfirmed = (): ApiError => new ApiError(403, 'CONFIRM_PASSWORD', 'you did not confirm your password');

function questionOf({ code }: ApiError): Ask | undefined {
  if (code === 'CONFIRM_PASSWORD') return whenConfirmRequired;
  return code === 'UNAUTHORIZED' ? whenSessionEnded : undefined;
}

async function callOnce<Body>(method: Method, path: string, options: CallOptions): Promise<Body> {
  const { query, body, file, form, signal, last, keepalive = false, isRead = method === 'GET' } = options;
  const response = await send(path + queryText(query ?? {}), {
    method,
    keepalive,
    ...(signal && { signal }),
    ...(body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    ...(file && { headers: { 'Content-Type': file.type }, body: file.content }),
    ...(form && { body: form }),
    ...(last?.etag && { headers: { 'If-None-Match': last.etag } }),
  });
  if (response.status === 304) return last?.body as Body;
  const result = readResponse<Body>(response.status, await response.text());
  if (last) Object.assign(last, { etag: response.headers.get('ETag') ?? undefined, body: result });
  if (!isRead) writes.value += 1;
  return result;
}

type Writes = ReturnType<typeof createWrites>;

/** Writes in progress. Screens show some results before the write ends, so that later reads wait for it. */
export function createWrites() {
  let last: Promise<unknown> = Promise.resolve();
  return {
    /** Resolves when the writes so far have ended; never rejects. */
    ended: (): Promise<unknown> => last,
    /** Returns `write`, and makes later reads wait for it. */
    track<Result>(write: Promise<Result>): Promise<Result> {
      // Without the results, which would be kept for as long as the page is open.
      last = Promise.allSettled([last, write]).then(() => undefined);
      return write;
    },
  };
}

export interface NamedFile {
  name: string;
  content: Blob;
}

/** Downloads a file completely. Asks and rejects like `call`. */
export const fetchFile = (url: string, signal: AbortSignal): Promise<NamedFile> =>
  sendAndAsk(() => fetchOnce(url, signal));

async function fetchOnce(url: string, signal: AbortSignal): Promise<NamedFile> {
  const response = await send(url, { signal });
  if (!response.ok) return readResponse(response.status, await response.text());
  const [, name = 'download'] = /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition') ?? '') ?? [];
  return { name, content: await response.blob().catch(rethrow(signal)) };
}

/** Maps a failed download to NO_RESPONSE, and keeps AbortErrors. */
function rethrow(signal: AbortSignal): (thrown: unknown) => never {
  return (thrown) => {
    throw signal.aborted ? thrown : noResponse();
  };
}

/** A query string with its `?`, or ''. Skips undefined values. */
export function queryText(query: { [name: string]: QueryValue }): string {
  const entries = Object.entries(query).flatMap(([name, value]) =>
    [value ?? []].flat().map((each) => [name, String(each)]),
  );
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries).toString()}`;
}

/** The JSON of a 2xx response; the parse boundary of the dashboard. Throws an ApiError for any other status. */
export function readResponse<Body>(status: number, text: string): Body {
  if (status >= 200 && status < 300) return JSON.parse(text) as Body;
  const error = errorOf(status, text);
  if (status !== 401 || error.code !== 'UNAUTHORIZED') throw error;
  throw sessionEnded();
}

const sessionEnded = (): ApiError =>
  new ApiError(401, 'UNAUTHORIZED', 'Your session has ended', { details: 'Sign in to go on, then retry.' });

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    // Over plain http, browsers do not say where a request comes from.
    return await fetch(url, { ...init, headers: { ...init.headers, 'X-Detour-Dashboard': '1' } });
  } catch (thrown) {
    if (init.signal?.aborted) throw thrown;
    throw noResponse();
  }
}

export function noResponse(): ApiError {
  return new ApiError(0, 'NO_RESPONSE', 'The service cannot be reached', {
    details: 'Check your connection and that the service is running, then retry.',
  });
}

function errorOf(status: number, text: string): ApiError {
  const body = parseObject(text);
  if (status === 429) {
    return new ApiError(429, 'RATE_LIMIT_EXCEEDED', 'Too many requests this minute', {
      ...(typeof body.reset === 'number' && { reset: body.reset }),
      ...(typeof body.details === 'string' && { details: body.details }),
    });
  }
  const { error, code, details, issues } = body;
  if (error === undefined || code === undefined) {
    return new ApiError(status, 'INTERNAL_ERROR', `The service responded with status ${status}`, {
      details: 'Retry in a moment.',
    });
  }
  if (code === 'PLAN_LIMIT_EXCEEDED') {
    return new ApiError(status, code, "Your plan's limit is reached", { details: asSentences(details ?? ''), issues });
  }
  const { changed_by: by, changed_at: at, redirect, website } = body;
  if (code === 'CHANGED_SINCE' && at !== undefined) {
    return new ApiError(status, code, error, { details, changed: { by: by?.name, at, redirect, website } });
  }
  if (body.errors) {
    return new ApiError(status, code, error, { details: asSentences(details ?? ''), issues: body.errors.map(issueOf) });
  }
  return new ApiError(status, code, error, { details, issues });
}

/** The issue of an invalid entry; its message begins with the field. */
const issueOf = ({ field, code, message }: InvalidEntry): Issue => ({
  path: field,
  code,
  message: message.startsWith(`${field} `) ? message.slice(field.length + 1) : message,
});

/** The clauses of details, after the name of a field, as sentences. */
const asSentences = (details: string): string =>
  details
    .replace(/^\w+: /, '')
    .split('; ')
    .map((clause) => `${capitalized(clause)}.`)
    .join(' ');

function parseObject(text: string): Partial<ErrorResponse> & { reset?: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
