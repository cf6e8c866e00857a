import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../platform/clock.ts';
import { DomainError } from '../vocabulary/error.ts';
import { errorBody, sendError } from './errors.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RateLimit } from './rate-limit.ts';
import { SECURITY_HEADERS } from './response-headers.ts';

const REASONS = new Map([
  ['HPE_HEADER_OVERFLOW', { status: 431, details: 'The request line and headers have at most 64 KiB' }],
  ['ERR_HTTP_REQUEST_TIMEOUT', { status: 408, details: 'The request did not arrive in time' }],
]);

/** What cannot be read as HTTP has no route, no caller and no budget; it gets our error body and the connection ends. */
export function answerClientError(clock: Clock, error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const known = REASONS.get(error.code ?? '');
  const { status, details } = known ?? { status: 400, details: 'The request is not valid HTTP/1.1' };
  const shown = new DomainError('INVALID_PARAMETER', 'The request cannot be understood', { details });
  const body = JSON.stringify(errorBody(clock, shown));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** Where every answer carries the rate-limit headers. */
const LIMITED = /^\/(api|v1)(\/|\?|$)/;

/** An address that the router cannot read (`/api/%zz`) reaches no hook, so what hooks do for other answers is done here. */
export async function answerFrameworkError(
  error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
  { clock, rateLimit }: { clock: Clock; rateLimit: RateLimit },
): Promise<void> {
  void reply.headers({ 'X-Request-Id': request.id, ...SECURITY_HEADERS });
  try {
    if (LIMITED.test(request.url)) await rateLimit(request, reply);
    void sendError(clock, error, request, reply);
  } catch (refused) {
    void sendError(clock, refused, request, reply);
  }
}
