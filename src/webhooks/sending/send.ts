import { Agent, type Dispatcher, request } from 'undici';
import { type Clock, systemClock } from '../../platform/clock.ts';
import type { Egress } from './egress.ts';
import { AttemptFailure, classOfStatus, type Outcome, type OutcomeClass, OUTCOMES } from './outcome.ts';
import { readBodyExcerpt } from './read-body-excerpt.ts';
import { type Resolve, resolveHost } from './dns-resolver.ts';
import { retryAfterSeconds } from './retry-schedule.ts';
import { codeOf, vettedConnect } from './vetted-connect.ts';

const TIMEOUT_MS = 15_000;
const BODY_MS = 1_000;
/** Shorter than most receivers keep a connection, so that it is seldom gone just when it is used again. */
const KEEP_ALIVE_MS = 4_000;
const MAX_HEADER_BYTES = 16 * 1024;
/** 1xx answers before the real one; a receiver that says "still working" each second stays below. */
const MAX_INTERIM = 50;
const MAX_ERROR_LENGTH = 200;

export interface SenderOptions {
  egress: Egress;
  clock?: Clock;
  /** until the status must be there, everything included: name, connection, TLS, sending */
  timeoutMs?: number;
  /** how long the body is read after that */
  bodyMs?: number;
  resolve?: Resolve;
}

export interface DeliveryRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

export interface Sender {
  /** One attempt. Never throws. An abort of the signal before the status is there ends it as `interrupted`. */
  send(delivery: DeliveryRequest, signal: AbortSignal): Promise<Outcome>;
  /** Cuts all connections. */
  close(): Promise<void>;
}

/**
 * Sends to receivers that may be slow, broken or hostile. The outcome is that of the status line and headers; whatever the body does,
 * it is read for a second at most and changes nothing. undici's request, not fetch: nothing is followed and nothing inflated.
 * One agent without a limit of connections per origin: accounts may share one, and a request that hangs there must not hold up others.
 */
export function createSender({
  egress,
  clock = systemClock,
  timeoutMs = TIMEOUT_MS,
  bodyMs = BODY_MS,
  resolve = resolveHost,
}: SenderOptions): Sender {
  const agent = new Agent({
    connect: vettedConnect({ egress, resolve, timeoutMs }),
    allowH2: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // undici's own start anew with each byte; the signal does not.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    async send(delivery, signal) {
      const began = performance.now();
      const duration = (): number => Math.round(performance.now() - began);
      try {
        const answer = await answerTo(delivery, { agent, signal, timeoutMs });
        return await outcomeOf(answer, { clock, durationMs: duration(), bodyMs });
      } catch (error) {
        return { ...outcomeOfFailure(error), durationMs: duration() };
      }
    },
    close: () => agent.destroy(),
  };
}

interface Limits {
  agent: Agent;
  signal: AbortSignal;
  timeoutMs: number;
}

/** Resolves with status and headers, the body still to come. */
async function answerTo(
  { url, headers, body }: DeliveryRequest,
  { agent, signal, timeoutMs }: Limits,
): Promise<Dispatcher.ResponseData> {
  const attempt = new AbortController();
  const end = (outcome: 'timeout' | 'interrupted' | 'reset', why: string): void =>
    attempt.abort(new AttemptFailure(outcome, why));
  const timer = setTimeout(() => end('timeout', `no status within ${timeoutMs / 1000} s`), timeoutMs);
  const interrupt = (): void => end('interrupted', OUTCOMES.interrupted);
  let interim = 0;
  const onInfo = (): void => {
    if (++interim > MAX_INTERIM) end('reset', `more than ${MAX_INTERIM} interim answers (1xx)`);
  };
  try {
    if (signal.aborted) interrupt();
    signal.addEventListener('abort', interrupt);
    // undici looks at its signal only once there is a connection, which a receiver can put off.
    const aborted = rejectionOf(attempt.signal);
    const sent = request(url, {
      method: 'POST',
      headers,
      body,
      dispatcher: agent,
      signal: attempt.signal,
      onInfo,
      highWaterMark: MAX_HEADER_BYTES,
    });
    return await Promise.race([aborted, sent]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', interrupt);
  }
}

function rejectionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const fail = (): void => reject(failureOf(signal.reason));
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail);
  });
}

async function outcomeOf(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  { clock, durationMs, bodyMs }: { clock: Clock; durationMs: number; bodyMs: number },
): Promise<Outcome> {
  const mayAsk = statusCode === 429 || statusCode === 503;
  const wait = mayAsk ? retryAfterSeconds(headers['retry-after'], clock.now()) : null;
  const outcome = classOfStatus(statusCode, wait !== null);
  const text = await readBodyExcerpt(body, bodyMs);
  const isPlain = (headers['content-encoding'] ?? 'identity') === 'identity';
  return {
    outcome,
    status: statusCode,
    error: errorOf(outcome, statusCode),
    durationMs,
    responseBody: isPlain ? text : null,
    retryAfterSeconds: wait,
  };
}

function errorOf(outcome: OutcomeClass, status: number): string | null {
  if (outcome === 'delivered') return null;
  return outcome === 'redirect' ? `answered ${status}, and redirects are not followed` : `answered ${status}`;
}

function outcomeOfFailure(error: unknown): Omit<Outcome, 'durationMs'> {
  const { outcome, message } = failureOf(error);
  // A certificate may say anything about itself.
  const line = message
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .slice(0, MAX_ERROR_LENGTH);
  return { outcome, status: null, error: line, responseBody: null, retryAfterSeconds: null };
}

function failureOf(error: unknown): AttemptFailure {
  if (error instanceof AttemptFailure) return error;
  return new AttemptFailure(
    'reset',
    `${REASONS[codeOf(error).slice(2, -1)] ?? 'the connection broke'}${codeOf(error)}`,
  );
}

const REASONS: Record<string, string> = {
  UND_ERR_HEADERS_OVERFLOW: `the headers of the answer have more than ${MAX_HEADER_BYTES / 1024} KiB`,
};
