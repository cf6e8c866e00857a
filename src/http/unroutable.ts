import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../platform/clock.ts';
import { DomainError, type ErrorCode } from '../vocabulary/error.ts';
import { errorBody, sendError } from './errors.ts';
import { STATUS } from './status.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RateLimit } from './rate-limit.ts';
import { isApiPath, securityHeaders } from './response-headers.ts';

const REASONS = new Map<string, [code: ErrorCode, message: string, details: string]>([
  [
    'HPE_HEADER_OVERFLOW',
    ['HEADERS_TOO_LARGE', 'The headers are too large', 'Request line and headers: at most 64 KiB together'],
  ],
  [
    'ERR_HTTP_REQUEST_TIMEOUT',
    ['REQUEST_TIMEOUT', 'The request arrives too slowly', 'The request did not arrive in time; send it again'],
  ],
]);
const INVALID: [ErrorCode, string, string] = [
  'INVALID_PARAMETER',
  'The request is invalid',
  'The request is not valid HTTP/1.1',
];

/** Responds to a request that is not valid HTTP with an error body, and closes the connection. */
export function sendClientError(clock: Clock, error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswered(socket)) return void socket.destroy();
  const [code, message, details] = REASONS.get(error.code ?? '') ?? INVALID;
  const status = STATUS[code];
  const body = JSON.stringify(errorBody(clock, new DomainError(code, message, { details })));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** Node's own fields of a connection, which it reads for the same decision. */
interface ServerSocket extends Socket {
  parser?: { incoming: IncomingMessage | null } | null;
  _httpMessage?: ServerResponse | null;
}

/** True if the request whose body is invalid has a response. A proxy could take a second one for the next request's. */
function isAnswered({ parser, _httpMessage: response }: ServerSocket): boolean {
  if (response) return response.headersSent;
  return parser?.incoming?.complete === false;
}

/**
 * Responds to a URL that the router cannot decode (`/api/%zz`). It reaches no hook, so this does the work of the hooks.
 */
export async function sendFrameworkError(
  error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
  { clock, rateLimit, publicUrl }: { clock: Clock; rateLimit: Pick<RateLimit, 'spend'>; publicUrl: string },
): Promise<void> {
  void reply.headers({ 'X-Request-Id': request.id, ...securityHeaders(request.url, publicUrl) });
  try {
    if (isApiPath(request.url)) await rateLimit.spend(request, reply);
    void sendError(clock, error, request, reply);
  } catch (limitError) {
    void sendError(clock, limitError, request, reply);
  }
}
