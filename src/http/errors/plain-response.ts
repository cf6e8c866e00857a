/** Responses without Fastify, for processes and moments without an API. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { type Clock, isoSeconds } from '../../platform/clock.ts';
import { DomainError } from '../../vocabulary/error.ts';
import { STATUS } from './status.ts';

/** Sends a body as JSON, and no body to HEAD. Ignores the body of the request. */
export function sendJson(request: IncomingMessage, response: ServerResponse, status: number, body: object): void {
  sendText(request, response, status, 'application/json; charset=utf-8', JSON.stringify(body));
}

export function sendText(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  type: string,
  text: string,
): void {
  request.resume();
  response.statusCode = status;
  response.setHeader('Content-Type', type);
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(request.method === 'HEAD' ? undefined : text);
}

/** The body of every error, except of a rate limit. */
export function errorBody(clock: Clock, error: DomainError): object {
  return {
    error: error.message,
    details: error.details,
    code: error.code,
    timestamp: isoSeconds(clock.now()),
    ...(error.issues.length > 0 && { issues: error.issues }),
    ...error.extra,
  };
}

/**
 * The `WWW-Authenticate` of a 401 for a bearer token (RFC 6750, 3). It names an error only if a token was sent.
 */
export function bearerChallenge({ authorization = '' }: IncomingHttpHeaders): string {
  return /^bearer /i.test(authorization) ? 'Bearer realm="Detour", error="invalid_token"' : 'Bearer realm="Detour"';
}

/** Sends an error without Fastify. */
export function sendPlainError(
  request: IncomingMessage,
  response: ServerResponse,
  clock: Clock,
  error: DomainError,
): void {
  if (error.retryAfter !== undefined) response.setHeader('Retry-After', error.retryAfter);
  if (STATUS[error.code] === 401) response.setHeader('WWW-Authenticate', bearerChallenge(request.headers));
  sendJson(request, response, STATUS[error.code], errorBody(clock, error));
}

/** The 421 for a host that this process does not serve. `reason` also says what to do. */
export function misdirected(host: string, reason: string): DomainError {
  const details = `${host || 'no host'}: ${reason}`;
  return new DomainError('MISDIRECTED_REQUEST', 'This process does not serve this host', { details });
}
