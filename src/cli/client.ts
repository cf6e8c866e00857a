/** The key API: JSON calls, uploads and downloads, with retries. */
import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from './config.ts';
import { ApiError, apiError, unreachable } from './errors.ts';
import { readText, type Response, send } from './http.ts';

/** The version of the CLI. */
export const VERSION: string = readVersion();

const MAX_TRIES = 5;
/** The longest wait for one call over all its retries. The rate limit lets everything pass after a minute. */
const MAX_WAIT_MS = 120_000;
const DEFAULT_RETRY_SECONDS = 2;

/** Undefined values are omitted. */
export type Query = Record<string, string | number | boolean | undefined>;

export interface Body {
  type: string;
  headers?: Record<string, string>;
  open(): Readable | string;
  /** whether `open` can be called again, which standard input cannot */
  isReplayable: boolean;
}

export interface Call {
  method: string;
  /** below /api/v1, with a slash at the start */
  path: string;
  query?: Query;
  headers?: Record<string, string>;
  body?: Body;
  /** whether the call may be repeated although a former try may have been applied; default: GET, PUT and DELETE */
  canRepeat?: boolean;
  /** closes a connection without traffic after this time; default 15 minutes */
  idleTimeoutMs?: number;
  signal?: AbortSignal;
}

export interface Client {
  /** the URL of the service */
  url: string;
  /** Calls an operation and returns its JSON body. Throws an ApiError for a status of 400 or more. */
  call<T>(call: Call): Promise<T>;
  get<T>(path: string, query?: Query): Promise<T>;
  post<T>(path: string, body: object, options?: { canRepeat?: boolean }): Promise<T>;
  /** The response as a stream, of a status below 400. The caller must read or destroy it. */
  stream(call: Call): Promise<Response>;
}

export interface ClientOptions {
  /** receives a line about each wait */
  note(line: string): void;
  /** waits; tests replace it */
  wait?: (ms: number) => Promise<unknown>;
}

export function createClient(connection: Connection, { note, wait = sleep }: ClientOptions): Client {
  const shared = { authorization: `Bearer ${connection.apiKey}`, 'user-agent': `detour-cli/${VERSION}` };

  async function tryOnce(call: Call, body: Readable | string | undefined): Promise<Response> {
    const url = new URL(`${connection.url}/api/v1${call.path}`);
    for (const [name, value] of Object.entries(call.query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const type = call.body && { 'content-type': call.body.type, ...call.body.headers };
    const headers = { ...shared, accept: '*/*', ...type, ...call.headers };
    try {
      const { method, idleTimeoutMs, signal } = call;
      const limits = { ...(idleTimeoutMs !== undefined && { idleTimeoutMs }), ...(signal && { signal }) };
      return await send({ method, url, headers, ...limits, ...(body !== undefined && { body }) });
    } catch (error) {
      throw unreachable(connection.url, error);
    }
  }

  async function stream(call: Call): Promise<Response> {
    let waited = 0;
    for (let tries = 1; ; tries++) {
      const body = call.body?.open();
      const response = await tryOnce(call, body);
      if (response.status < 400) return response;
      const error = await apiError(response);
      const seconds = retrySeconds(call, error, response);
      waited += seconds * 1000;
      const canReplay = call.body?.isReplayable ?? true;
      if (seconds === 0 || tries === MAX_TRIES || waited > MAX_WAIT_MS || !canReplay) throw error;
      note(`${error.message}; retrying in ${seconds} s`);
      await wait(seconds * 1000);
    }
  }

  async function call<T>(one: Call): Promise<T> {
    const response = await stream(one);
    let text: string;
    try {
      text = await readText(response);
    } catch (error) {
      throw unreachable(connection.url, error);
    }
    try {
      return JSON.parse(text) as T;
    } catch {
      throw new ApiError(response.status, { error: `${connection.url} did not respond with JSON: check the URL` });
    }
  }

  return {
    url: connection.url,
    stream,
    call,
    get: (path, query) => call({ method: 'GET', path, ...(query && { query }) }),
    post: (path, value, options = {}) => {
      const body = { type: 'application/json', open: () => JSON.stringify(value), isReplayable: true };
      return call({ method: 'POST', path, ...options, body });
    },
  };
}

/** Seconds until the next try; 0: none. A 429, and BUSY, say that nothing was applied. */
function retrySeconds({ method, canRepeat }: Call, { code }: ApiError, { status, headers }: Response): number {
  const isSafe = status === 429 || code === 'BUSY' || (canRepeat ?? method !== 'POST');
  if ((status !== 429 && status !== 503) || !isSafe) return 0;
  const seconds = Number(headers['retry-after'] ?? DEFAULT_RETRY_SECONDS);
  return Number.isFinite(seconds) && seconds > 0 ? seconds : DEFAULT_RETRY_SECONDS;
}

/** The bundle in dist/cli is as deep below package.json as this file is. */
function readVersion(): string {
  const file: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const version = typeof file === 'object' && file !== null && 'version' in file ? file.version : undefined;
  if (typeof version !== 'string') throw new Error('package.json has no version: install detour again');
  return version;
}
