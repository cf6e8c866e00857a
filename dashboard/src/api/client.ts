import { ApiError } from './api-error.ts';
import type { ErrorAnswer } from './wire.ts';

export type QueryValue = string | number | boolean | undefined;

export interface CallOptions {
  query?: { [name: string]: QueryValue };
  body?: object;
  signal?: AbortSignal | undefined;
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

let whenSignedOut = (): void => {};

/** Hears that the session has ended, from whichever call noticed it first. */
export function onSignedOut(listener: () => void): void {
  whenSignedOut = listener;
}

/**
 * One call to the service with the session cookie. Resolves with the JSON of a 2xx; rejects with an ApiError otherwise, and with an
 * AbortError where `signal` was the reason.
 */
export async function call<Answer>(method: Method, path: string, options: CallOptions = {}): Promise<Answer> {
  const { query, body, signal } = options;
  const response = await send(path + queryText(query ?? {}), {
    method,
    ...(signal && { signal }),
    ...(body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
  });
  return readAnswer(path, response.status, await response.text());
}

export interface NamedFile {
  name: string;
  content: Blob;
}

/** A file that the service makes, whole or not at all. Rejects as a call does. */
export async function fetchFile(address: string, signal: AbortSignal): Promise<NamedFile> {
  const response = await send(address, { signal });
  if (!response.ok) return readAnswer(address, response.status, await response.text());
  const [, name = 'download'] =
    /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition') ?? '') ?? [];
  return { name, content: await response.blob().catch(rethrow(signal)) };
}

/** What broke off on the way is no answer; what was aborted stays that. */
function rethrow(signal: AbortSignal): (thrown: unknown) => never {
  return (thrown) => {
    throw signal.aborted ? thrown : noAnswer();
  };
}

/** A query string with its `?`, or nothing; what is undefined is left out. */
export function queryText(query: { [name: string]: QueryValue }): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}

/** Surfaces for programs: they take the cookie only where the browser vouches for the page, which it does not over plain http. */
const FOR_KEYS = /^\/(api\/v1|api\/webhooks|v1)(\/|$)/;

/** The JSON of a 2xx, typed by whoever asked: the parse boundary of the dashboard. */
export function readAnswer<Answer>(path: string, status: number, text: string): Answer {
  if (status >= 200 && status < 300) return JSON.parse(text) as Answer;
  const error = errorOf(status, text);
  if (status !== 401 || error.code !== 'UNAUTHORIZED') throw error;
  if (!FOR_KEYS.test(path)) whenSignedOut();
  else if (!isSecureContext) throw needsHttps();
  throw error;
}

function needsHttps(): ApiError {
  return new ApiError(401, 'UNAUTHORIZED', 'This needs https', {
    details:
      'Over plain http a browser does not vouch for the page. Open the dashboard by https, or on the machine itself.',
  });
}

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (thrown) {
    if (init.signal?.aborted) throw thrown;
    throw noAnswer();
  }
}

export function noAnswer(): ApiError {
  return new ApiError(0, 'NO_ANSWER', 'The service cannot be reached', {
    details: 'Look at your connection, or whether the service is running, and try again.',
  });
}

function errorOf(status: number, text: string): ApiError {
  const body = parseObject(text);
  if (status === 429) {
    return new ApiError(429, 'RATE_LIMIT_EXCEEDED', 'Too many requests in this minute', {
      ...(typeof body.reset === 'number' && { reset: body.reset }),
      ...(typeof body.details === 'string' && { details: body.details }),
    });
  }
  const { error, code, details, issues } = body;
  if (error === undefined || code === undefined) {
    return new ApiError(status, 'INTERNAL_ERROR', `The service answered ${status}`, {
      details: 'Try again in a moment.',
    });
  }
  return new ApiError(status, code, error, { details, issues });
}

function parseObject(text: string): Partial<ErrorAnswer> & { reset?: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
