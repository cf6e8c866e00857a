/** Messages between a job thread and the thread that gives it jobs. Each job has a port of its own. */
import type { MessagePort } from 'node:worker_threads';
import type { SentChunk } from './flow.ts';
import { DomainError } from '../../vocabulary/error.ts';
import { omitUndefined } from '../../vocabulary/omit-undefined.ts';

export interface JobRequest {
  name: string;
  input: unknown;
  port: MessagePort;
}

/** On the port of a job. A SentChunk and `end` are the body, `stop` cancels the job. */
export type ToJob =
  SentChunk | { end: true } | { failed: TransferredError } | { acknowledged: number } | { stop: true };

/** On the port of a job. A SentChunk is a part of the result of a job that streams, `wanted` requests the body. */
export type FromJob =
  SentChunk | { wanted: true } | { acknowledged: number } | { done: unknown } | { failed: TransferredError };

/** An error as plain data: a structured clone loses its class, its code and the fields of a DomainError. */
export type TransferredError =
  | { domain: Pick<DomainError, 'code' | 'message' | 'details' | 'issues' | 'retryAfter' | 'limit' | 'extra'> }
  | { plain: PlainError };

interface PlainError {
  name: string;
  message: string;
  stack: string | undefined;
  /** of the system or the database; callers compare it */
  code: string | undefined;
  cause: PlainError | undefined;
}

export function transferError(error: unknown): TransferredError {
  if (!(error instanceof DomainError)) return { plain: plainError(error) };
  const { code, message, details, issues, retryAfter, limit, extra } = error;
  return { domain: { code, message, details, issues, retryAfter, limit, extra } };
}

export function receivedError(transferred: TransferredError): Error {
  if ('plain' in transferred) return errorOf(transferred.plain);
  const { code, message, ...more } = transferred.domain;
  return new DomainError(code, message, omitUndefined(more));
}

function plainError(error: unknown): PlainError {
  if (!(error instanceof Error)) {
    return { name: 'Error', message: String(error), stack: undefined, code: undefined, cause: undefined };
  }
  const { name, message, stack, cause } = error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return { name, message, stack, code, cause: cause === undefined ? undefined : plainError(cause) };
}

function errorOf({ message, cause, ...fields }: PlainError): Error {
  const error = new Error(message, cause && { cause: errorOf(cause) });
  return Object.assign(error, omitUndefined(fields));
}
