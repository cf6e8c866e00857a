import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isDatabaseUnavailable, isLockTimeout } from '../../db/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { busy, DomainError, type ErrorCode } from '../../vocabulary/error.ts';
import { logError } from './log-error.ts';
import { bearerChallenge, errorBody } from './plain-response.ts';
// Declares app.allowedMethods.
import type {} from '../route-table.ts';
import { STATUS } from './status.ts';

const DATABASE_RETRY_SECONDS = 5;

/** Errors that Fastify throws before a handler runs, as ours. */
const FASTIFY_ERRORS = new Map<string, [code: ErrorCode, message: string, details: string]>([
  ['FST_ERR_CTP_INVALID_JSON_BODY', ['INVALID_JSON', 'The body is not valid JSON', 'body: send one JSON object']],
  [
    'FST_ERR_CTP_BODY_TOO_LARGE',
    [
      'BODY_TOO_LARGE',
      'The body is too large',
      'body: at most 1 MiB, 16 MiB with the hosts of a website, and 8 KiB below /api/auth',
    ],
  ],
  [
    'FST_ERR_CTP_INVALID_CONTENT_LENGTH',
    ['INVALID_PARAMETER', 'The body does not match its Content-Length', 'Content-Length: send the length in bytes'],
  ],
  ['FST_ERR_BAD_URL', ['NOT_FOUND', 'Endpoint not found', 'The path has an invalid % escape']],
]);

export function unauthorized(details = 'Sign in and send the session cookie', extra = {}): DomainError {
  return new DomainError('UNAUTHORIZED', 'Authentication is required', { details, extra });
}

/** The error for a request without a route: METHOD_NOT_ALLOWED, with `Allow`, if its path has other methods. */
export function unroutable(request: FastifyRequest, reply: FastifyReply): DomainError {
  const path = request.url.split('?', 1)[0] ?? '';
  const methods = request.server.allowedMethods(path).join(', ');
  if (methods === '') return routeNotFound(request);
  void reply.header('Allow', methods);
  return new DomainError('METHOD_NOT_ALLOWED', 'The method is not allowed', {
    details: `${path} has no ${request.method}; it has ${methods}`,
  });
}

export function routeNotFound(request: FastifyRequest): DomainError {
  const path = request.url.split('?', 1)[0];
  return new DomainError('NOT_FOUND', 'Endpoint not found', {
    details: `There is no ${request.method} ${path}`,
  });
}

/**
 * Sends every error in one format. Logs unexpected errors in full and responds with INTERNAL_ERROR. A client that
 * closes its connection is no error. `sendPage` may answer unknown paths.
 */
export function setErrorHandlers(app: FastifyInstance, clock: Clock, sendPage: SendPage = () => undefined): void {
  app.setErrorHandler((error, request, reply) => sendError(clock, error, request, reply));
  app.setNotFoundHandler((request, reply) => {
    const error = unroutable(request, reply);
    const page = error.code === 'NOT_FOUND' ? sendPage(request, reply) : undefined;
    return page ?? sendError(clock, error, request, reply);
  });
}

/** Sends a page for people instead of a NOT_FOUND in JSON, or returns undefined. */
type SendPage = (request: FastifyRequest, reply: FastifyReply) => FastifyReply | undefined;

export function sendError(clock: Clock, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const ours = asDomainError(error, request) ?? asBusy(error);
  // Not request.raw, which Node.js destroys when its body has been read.
  if (!ours && !reply.raw.destroyed) logError(request.log, error, 'request failed', { url: request.url });
  const shown =
    ours ??
    asDatabaseUnavailable(error) ??
    new DomainError('INTERNAL_ERROR', 'Internal error', { details: `Request ${request.id}` });
  // They describe the content that the route would have sent. With a tag, the next request would get 304 for an error.
  for (const name of ['etag', 'content-disposition', 'content-encoding']) void reply.removeHeader(name);
  if (shown.retryAfter !== undefined) void reply.header('Retry-After', shown.retryAfter);
  // The rest of the body would be read as the next request.
  if (shown.code === 'REQUEST_TIMEOUT') void reply.header('Connection', 'close');
  const status = request.routeOptions.config?.statuses?.[shown.code] ?? STATUS[shown.code];
  if (status === 401) void reply.header('WWW-Authenticate', bearerChallenge(request.headers));
  void reply.code(status).type('application/json; charset=utf-8').serializer(JSON.stringify);
  return reply.send(shown.code === 'RATE_LIMIT_EXCEEDED' ? limitBody(clock, shown) : errorBody(clock, shown));
}

function limitBody(clock: Clock, error: DomainError): object {
  const reset = Math.floor(clock.now().getTime() / 1000) + (error.retryAfter ?? 0);
  return { error: error.message, code: error.code, limit: error.limit ?? 0, reset };
}

/** A connection lost during a commit leaves it unknown whether the change was made. */
function asDatabaseUnavailable(error: unknown): DomainError | undefined {
  if (!isDatabaseUnavailable(error)) return undefined;
  return new DomainError('DATABASE_UNAVAILABLE', 'The database is unavailable', {
    details: 'Retry after the Retry-After delay; before repeating a write, check whether it was applied',
    retryAfter: DATABASE_RETRY_SECONDS,
  });
}

/** The transaction was rolled back: another one, such as an import or a migration, held a lock for too long. */
function asBusy(error: unknown): DomainError | undefined {
  if (!isLockTimeout(error)) return undefined;
  const details = 'Another operation, such as an import or an upgrade, uses the same data; retry in a few seconds';
  return busy(details, 5, 'The data is busy');
}

function asDomainError(error: unknown, request: FastifyRequest): DomainError | undefined {
  if (error instanceof DomainError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return unsupportedMediaType(request);
  const known = FASTIFY_ERRORS.get(code);
  return known && new DomainError(known[0], known[1], { details: known[2] });
}

/** The 415; names the types that the route takes. */
function unsupportedMediaType({ routeOptions }: FastifyRequest): DomainError {
  const types = Object.keys(routeOptions.config.takes ?? { 'application/json': true });
  return new DomainError('UNSUPPORTED_MEDIA_TYPE', 'The content type is not supported', {
    details: `Content-Type: send ${types.join(' or ')}`,
  });
}
