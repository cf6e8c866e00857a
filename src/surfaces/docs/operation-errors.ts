/** Which errors an operation can answer: those that follow from how its route is made, and those that its text names. */
import { z } from 'zod';
import type { TableRoute } from '../../http/route-table.ts';
import { STATUS } from '../../http/status.ts';
import type { ErrorCode } from '../../vocabulary/error.ts';
import type { OperationText } from './operation-text.ts';

type Said = Pick<OperationText, 'errors' | 'needsBody'>;

/** Who answers: the session API (C), the key API (A and B), or the process itself. */
export type Audience = 'session' | 'key' | 'service';

export function audienceOf(url: string): Audience {
  if (/^\/(api\/v1|api\/webhooks|v1)(\/|$)/.test(url)) return 'key';
  return url.startsWith('/api/') ? 'session' : 'service';
}

/** By status, both in rising order. */
export function errorsOf(route: TableRoute, text: Said): [status: number, ErrorCode[]][] {
  const codes = new Set<ErrorCode>([
    ...fromRequest(route, text),
    ...fromAccess(route),
    ...(text.errors ?? []),
    'DATABASE_UNAVAILABLE',
    'INTERNAL_ERROR',
  ]);
  const statuses = [...new Set([...codes].map((code) => STATUS[code]))].toSorted((a, b) => a - b);
  return statuses.map((status) => [status, [...codes].filter((code) => STATUS[code] === status)]);
}

function* fromRequest({ schema, config }: TableRoute, text: Said): Generator<ErrorCode> {
  const { body, querystring } = schema ?? {};
  if (querystring instanceof z.ZodType) yield 'INVALID_PARAMETER';
  if (querystring instanceof z.ZodType && !takesNothing(querystring)) yield 'MISSING_PARAMETER';
  if (!body && !config.takes) return;
  if (needsBody({ schema, config }, text)) yield 'MISSING_PARAMETER';
  yield* ['INVALID_PARAMETER', 'UNKNOWN_FIELD', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];
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

/** False where the whole body may be left out. */
export function needsBody({ schema, config }: Pick<TableRoute, 'schema' | 'config'>, text: Said): boolean {
  const { body } = schema ?? {};
  return text.needsBody ?? !(body instanceof z.ZodType && !config.takes && takesNothing(body));
}

/** True where nothing has to be given. */
function takesNothing(schema: z.ZodType): boolean {
  return schema.safeDecode({}).success;
}
