/** How a command ends: exit codes, and errors with a message for the user. */
import { readText, type Response } from './http.ts';

/**
 * Exit codes. `refused`: the service accepted the request, but a guard, the gate or a conflict stopped it, and nothing
 * is wrong with the input.
 */
export const EXIT = { done: 0, failed: 1, usage: 2, refused: 3 } as const;

export type Exit = (typeof EXIT)[keyof typeof EXIT];

/** A wrong command line; the message says what to write. */
export class UsageError extends Error {}

/** A failure with a message for the user, and what `--json` prints of it. */
export class CommandError extends Error {
  readonly exit: Exit;
  readonly json: object;

  constructor(message: string, { exit = EXIT.failed, json = {} }: { exit?: Exit; json?: object } = {}) {
    super(message);
    this.exit = exit;
    this.json = json;
  }
}

/** The body of an error of the API; a 429 has fewer fields. */
export interface ErrorBody {
  error: string;
  details?: string;
  code?: string;
  /** invalid entries of a body */
  errors?: EntryError[];
  /** of a guard: the redirects before the call, and how many of them it may delete */
  total?: number;
  max_delete?: number;
  sync?: { deleted: number };
  /** of the guard of a list of URLs: how many of `total` leave it and may leave it */
  removed?: number;
  max_removed?: number;
  cleared?: Record<string, number>;
  /** of a website that has changed */
  revision?: number;
  history?: string | null;
}

export interface EntryError {
  /** position in a list or among lines of JSON, from 0 */
  index?: number;
  /** line of a CSV file, from 1 */
  line?: number;
  old_path?: string | null;
  code: string;
  message: string;
}

const MAX_LISTED = 20;

/** A response of 400 or more. A conflict (409) counts as refused. */
export class ApiError extends CommandError {
  readonly status: number;
  readonly code: string;
  readonly body: ErrorBody;

  /** `message`: instead of that of the body, whose names are those of the API */
  constructor(status: number, body: ErrorBody, message = messageOf(status, body)) {
    super(message, {
      exit: status === 409 ? EXIT.refused : EXIT.failed,
      json: { status, ...body },
    });
    this.status = status;
    this.code = body.code ?? (status === 429 ? 'RATE_LIMIT_EXCEEDED' : '');
    this.body = body;
  }
}

/** Reads the error of a response. A body that is not of the API gets a message that names the status. */
export async function apiError(response: Response): Promise<ApiError> {
  let body: unknown;
  try {
    body = JSON.parse(await readText(response));
  } catch {
    body = undefined;
  }
  const isOurs = typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string';
  const fallback = { error: `status ${response.status} without an explanation: check that the URL is the service's` };
  return new ApiError(response.status, isOurs ? (body as ErrorBody) : fallback);
}

function messageOf(status: number, { error, details, errors = [] }: ErrorBody): string {
  const isRepeated = !details || details === error || details.includes(error);
  const text = isRepeated ? details || error : `${error}: ${details}`;
  const hint = status === 401 ? '; run `detour login`, or set DETOUR_API_KEY' : '';
  return [text + hint, ...errorLines(errors)].join('\n');
}

/** `1 page is`, `2,000 pages are`. */
export const counted = (count: number, one: string, more: string): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : more}`;

/** The first of `count` entries, one an indented line, and the number of the others. */
export function firstLines<T>(entries: T[], count: number, toLine: (entry: T) => string): string[] {
  const lines = entries.slice(0, MAX_LISTED).map((entry) => `  ${toLine(entry)}`);
  const others = count - lines.length;
  return others > 0 ? [...lines, `  and ${others.toLocaleString('en')} more`] : lines;
}

/** The first of `count` errors of a file. */
export function errorLines(errors: EntryError[], count = errors.length): string[] {
  return firstLines(errors, count, ({ index, line, old_path: path, message }) => {
    const place = line === undefined ? `entry ${(index ?? 0) + 1}` : `line ${line}`;
    return `${place}${path ? ` (${path})` : ''}: ${message}`;
  });
}

/** The service cannot be reached, or a connection breaks. */
class UnreachableError extends CommandError {}

/** True if a later call may succeed although nothing was changed: no connection, a busy service or a full share. */
export function isTransient(error: unknown): boolean {
  return (
    error instanceof UnreachableError || (error instanceof ApiError && (error.status === 429 || error.status >= 500))
  );
}

/** The error for a service that cannot be reached, or a connection that breaks. */
export function unreachable(url: string, error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reasons: Record<string, string> = {
    ECONNREFUSED: 'the connection was refused: check that the service runs and that the URL is right',
    ENOTFOUND: 'the host has no address: check the URL',
    EAI_AGAIN: 'the host name cannot be looked up: check the network',
    ECONNRESET: 'the connection was closed before the end of the response: run the command again',
  };
  const message = error instanceof Error && error.message !== '' ? error.message : code;
  return new UnreachableError(`${url}: ${reasons[code] ?? message}`, {
    json: { error: 'The service cannot be reached', details: reasons[code] ?? message, code: code || 'NETWORK' },
  });
}
