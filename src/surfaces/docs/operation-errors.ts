/** Which errors an operation can answer: those that follow from how its route is made, and those that its text names. */
import { z } from 'zod';
import type { TableRoute } from '../../http/route-table.ts';
import { STATUS } from '../../http/status.ts';
import type { ErrorCode } from '../../vocabulary/error.ts';

/** Who answers: the session API (C), the key API (A and B), or the process itself. */
export type Audience = 'session' | 'key' | 'service';

export function audienceOf(url: string): Audience {
  if (/^\/(api\/v1|api\/webhooks|v1)(\/|$)/.test(url)) return 'key';
  return url.startsWith('/api/') ? 'session' : 'service';
}

/** By status, both in rising order. */
export function errorsOf(
  route: TableRoute,
  named: readonly ErrorCode[] = [],
): [status: number, ErrorCode[]][] {
  const codes = new Set<ErrorCode>([...fromRequest(route), ...fromAccess(route), ...named, 'INTERNAL_ERROR']);
  const statuses = [...new Set([...codes].map((code) => STATUS[code]))].toSorted((a, b) => a - b);
  return statuses.map((status) => [status, [...codes].filter((code) => STATUS[code] === status)]);
}

function* fromRequest({ schema, config }: TableRoute): Generator<ErrorCode> {
  const { body, querystring } = schema ?? {};
  if (querystring instanceof z.ZodType) yield 'INVALID_PARAMETER';
  if (querystring instanceof z.ZodType && !takesNothing(querystring)) yield 'MISSING_PARAMETER';
  if (!body && !config.takes) return;
  yield* [
    'INVALID_PARAMETER',
    'MISSING_PARAMETER',
    'UNKNOWN_FIELD',
    'BODY_TOO_LARGE',
    'UNSUPPORTED_MEDIA_TYPE',
  ];
  if (!config.takes?.['multipart/form-data']) yield 'INVALID_JSON';
}

function* fromAccess({ method, url, config }: TableRoute): Generator<ErrorCode> {
  const audience = audienceOf(url);
  // What Node's parser refuses; elsewhere it is one more 400.
  if (audience === 'service') return yield 'INVALID_PARAMETER';
  yield 'RATE_LIMIT_EXCEEDED';
  if (!config.public) yield 'UNAUTHORIZED';
  const isWrite = method !== 'GET';
  const role = config.role ?? (isWrite ? 'editor' : 'viewer');
  if (config.feature || audience === 'key') yield 'PLAN_REQUIRED';
  if (audience === 'session' ? role !== 'viewer' : config.role === 'owner') yield 'INSUFFICIENT_ROLE';
  if (audience === 'key' && isWrite && config.scope !== 'read') yield 'INSUFFICIENT_SCOPE';
  if (isWrite) yield 'CROSS_ORIGIN';
}

/** True where nothing has to be given. */
export function takesNothing(schema: z.ZodType): boolean {
  return schema.safeDecode({}).success;
}
