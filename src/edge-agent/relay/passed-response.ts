/** A response of the service that the relay passes on as it is. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { bearerChallenge } from '../../http/errors/plain-response.ts';
import { DomainError } from '../../vocabulary/error.ts';

/** Larger errors are cut. */
const MAX_BYTES = 64_000;

/** An error of the service: the follower gets it as if it had asked the service. */
export class PassedError extends Error {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;

  constructor(status: number, headers: Record<string, string>, body: string) {
    super(`the service responds with ${status}`);
    this.status = status;
    this.headers = headers;
    this.body = body;
  }
}

/** Reads an error of the service. */
export async function readError(response: Response): Promise<PassedError> {
  const headers: Record<string, string> = {};
  for (const name of ['content-type', 'retry-after']) {
    const value = response.headers.get(name);
    if (value !== null) headers[name] = value;
  }
  return new PassedError(response.status, headers, (await response.text()).slice(0, MAX_BYTES));
}

export function sendPassed(request: IncomingMessage, response: ServerResponse, error: PassedError): void {
  const challenge = error.status === 401 ? { 'www-authenticate': bearerChallenge(request.headers) } : {};
  response.writeHead(error.status, { ...error.headers, ...challenge }).end(error.body);
}

/** The error of the relay while the service cannot be reached. */
export function serviceAway(cause: unknown): DomainError {
  return new DomainError('DATABASE_UNAVAILABLE', 'The relay cannot reach its service', {
    details: `${cause instanceof Error ? cause.message : String(cause)}; serve what you have and retry`,
    retryAfter: 1,
  });
}
