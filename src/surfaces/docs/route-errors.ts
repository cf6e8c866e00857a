/** The errors of an operation: those that follow from its route, and those that the route names. */
import { z } from 'zod';
import type { TableRoute } from '../../http/route-table.ts';
import { STATUS } from '../../http/errors/status.ts';
import type { ErrorCode } from '../../vocabulary/error.ts';

/** The surface that responds: the session API, the key API, or the process itself. */
export type Audience = 'session' | 'key' | 'service';

export function audienceOf({ url, config }: Pick<TableRoute, 'url' | 'config'>): Audience {
  if (config.keys === false) return 'session';
  if (/^\/(api\/v1|api\/webhooks|v1)(\/|$)/.test(url)) return 'key';
  return url.startsWith('/api/') ? 'session' : 'service';
}

/** By status; statuses and their codes are in ascending order. */
export function errorsOf(route: TableRoute): [status: number, codes: ErrorCode[]][] {
  const codes = new Set<ErrorCode>([
    ...fromRequest(route),
    ...fromAccess(route),
    ...(route.schema?.errors ?? []),
    'HEADERS_TOO_LARGE',
    'DATABASE_UNAVAILABLE',
    'INTERNAL_ERROR',
  ]);
  const statusOf = (code: ErrorCode): number => route.config.statuses?.[code] ?? STATUS[code];
  const statuses = [...new Set([...codes].map(statusOf))].toSorted((a, b) => a - b);
  return statuses.map((status) => [status, [...codes].filter((code) => statusOf(code) === status)]);
}

function* fromRequest(route: TableRoute): Generator<ErrorCode> {
  const { body, querystring } = route.schema ?? {};
  const { takes } = route.config;
  if (querystring instanceof z.ZodType) yield 'INVALID_PARAMETER';
  if (querystring instanceof z.ZodType && !isOptional(querystring)) yield 'MISSING_PARAMETER';
  if (!body && !takes) return;
  if (needsBody(route)) yield 'MISSING_PARAMETER';
  yield* ['INVALID_PARAMETER', 'UNKNOWN_FIELD', 'BODY_TOO_LARGE', 'REQUEST_TIMEOUT', 'UNSUPPORTED_MEDIA_TYPE'];
  if (!takes?.['multipart/form-data']) yield 'INVALID_JSON';
  if (takes?.['text/csv']) yield 'EMPTY_BODY';
}

function* fromAccess(route: TableRoute): Generator<ErrorCode> {
  const { method, config } = route;
  const audience = audienceOf(route);
  // Node's HTTP parser rejects some requests before any route.
  if (audience === 'service') return yield 'INVALID_PARAMETER';
  // A lock, a share of the account or the hashing of a password may take too long.
  yield* ['RATE_LIMIT_EXCEEDED', 'BUSY'];
  if (!config.public) yield 'UNAUTHORIZED';
  const isWrite = method !== 'GET';
  const role = config.role ?? (isWrite ? 'editor' : 'viewer');
  if (config.feature || audience === 'key') yield 'PLAN_REQUIRED';
  if (audience === 'session' ? role !== 'viewer' : config.role === 'owner') yield 'INSUFFICIENT_ROLE';
  if (audience === 'key' && (config.scope ?? (role === 'viewer' ? 'read' : 'write')) === 'write')
    yield 'INSUFFICIENT_SCOPE';
  if (isWrite) yield 'CROSS_ORIGIN';
  if (config.confirm) yield 'CONFIRM_PASSWORD';
}

/** False if the request may have no body at all. */
export function needsBody({ schema, config }: TableRoute): boolean {
  const { body, bodyRequired } = schema ?? {};
  return bodyRequired ?? !(body instanceof z.ZodType && !config.takes && isOptional(body));
}

const isOptional = (schema: z.ZodType): boolean => schema.safeDecode({}).success;
