/**
 * Responds to requests that reach no route: invalid HTTP, without Host, with too many headers, or with an expectation.
 * The service and the agent share it, so it imports no framework.
 */
import { type IncomingMessage, type RequestListener, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../platform/clock.ts';
import { DomainError } from '../../vocabulary/error.ts';
import { errorBody } from '../errors/plain-response.ts';
import { firstValue } from './raw-headers.ts';
import { STATUS } from '../errors/status.ts';

export interface MalformedOptions {
  clock: Clock;
  /** a new X-Request-Id, for a request that cannot be read */
  newRequestId: () => string;
  /** the X-Request-Id of a request */
  requestId: (request: IncomingMessage) => string;
}

/** Node.js 24 rejects more than these; Node.js 20 drops the others. */
const MAX_HEADERS = 1_000;

const HEADERS_TOO_LARGE = new DomainError('HEADERS_TOO_LARGE', 'The headers are too large', {
  details: 'Request line and headers: at most 64 KiB together, and at most 1,000 headers',
});
const TOO_SLOW = new DomainError('REQUEST_TIMEOUT', 'The request arrives too slowly', {
  details: 'The request did not arrive in time; send it again',
});
const INVALID = new DomainError('INVALID_PARAMETER', 'The request is invalid', {
  details: 'The request is not valid HTTP/1.1',
});
const NO_HOST = new DomainError('INVALID_PARAMETER', 'The request is invalid', {
  details: 'Host: is required in HTTP/1.1; send the name of the website or of the service',
});
const EXPECTATION = new DomainError('EXPECTATION_FAILED', 'The expectation is not supported', {
  details: 'Expect: send 100-continue, or omit the header',
});

/** Rejects malformed requests of a server, and passes the others to `listener`. */
export function rejectMalformed(server: Server, options: MalformedOptions, listener: RequestListener): void {
  server.on('request', (request, response) => {
    const problem = problemOf(request);
    if (problem) reject(request, response, problem);
    else listener(request, response);
  });
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
    reject(request, response, EXPECTATION),
  );
  server.on('clientError', (error, socket) => sendClientError(options, error, socket as Socket));

  function reject(request: IncomingMessage, response: ServerResponse, error: DomainError): void {
    const { status, headers, body } = rejection(options, error, options.requestId(request));
    response.writeHead(status, headers).end(request.method === 'HEAD' ? undefined : body);
  }
}

function problemOf({ rawHeaders, httpVersion }: IncomingMessage): DomainError | undefined {
  if (rawHeaders.length > 2 * MAX_HEADERS) return HEADERS_TOO_LARGE;
  return httpVersion === '1.1' && firstValue(rawHeaders, 'host') === undefined ? NO_HOST : undefined;
}

/** Responds to a request that is not valid HTTP, and closes the connection. */
function sendClientError(options: MalformedOptions, error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswered(socket)) return void socket.destroy();
  const { status, headers, body } = rejection(options, reasonOf(error.code), options.newRequestId());
  const lines = headers.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${headers[at + 1]}\r\n`] : []));
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
}

function reasonOf(code: string | undefined): DomainError {
  if (code === 'HPE_HEADER_OVERFLOW') return HEADERS_TOO_LARGE;
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? TOO_SLOW : INVALID;
}

/** `headers` alternates names and values. The rest of the connection cannot be trusted, so it closes. */
function rejection({ clock }: MalformedOptions, error: DomainError, requestId: string) {
  const body = JSON.stringify(errorBody(clock, error));
  const headers = ['X-Request-Id', requestId, 'Date', clock.now().toUTCString(), 'Connection', 'close'];
  headers.push('Content-Type', 'application/json; charset=utf-8', 'Content-Length', String(Buffer.byteLength(body)));
  return { status: STATUS[error.code], headers, body };
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
