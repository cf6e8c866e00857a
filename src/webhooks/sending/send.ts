import { Agent, type Dispatcher, request as undiciRequest } from 'undici';
import { type Clock, stopwatch, systemClock } from '../../platform/clock.ts';
import type { Egress } from '../../platform/network/egress.ts';
import { AttemptFailure, classOfStatus, type Outcome, type OutcomeClass, OUTCOMES } from './outcome.ts';
import { readBodyExcerpt } from './read-body-excerpt.ts';
import { type Resolve, resolveHost } from '../../platform/network/dns.ts';
import { retryAfterSeconds } from './retry-schedule.ts';
import { codeOf, ConnectFailure, vettedConnect } from '../../platform/network/vetted-connect.ts';

const TIMEOUT_MS = 15_000;
const BODY_TIMEOUT_MS = 1_000;
/** Shorter than the keep-alive of most receivers, so that a reused connection is rarely closed. */
const KEEP_ALIVE_MS = 4_000;
const MAX_HEADER_BYTES = 16 * 1024;
/** Limit of 1xx responses; a receiver that sends one each second stays below. */
const MAX_INTERIM = 50;
const MAX_ERROR_LENGTH = 200;

export interface SenderOptions {
  egress: Egress;
  clock?: Clock;
  /** until the status, including DNS, connecting, TLS and sending */
  timeoutMs?: number;
  /** how long the body is read after the status */
  bodyMs?: number;
  resolve?: Resolve;
}

interface DeliveryRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

export type Sender = ReturnType<typeof createSender>;

/**
 * Creates a sender for receivers that may be slow, broken or hostile. The status and headers decide the outcome; the
 * body is read for at most a second and does not change it. Uses undici's request instead of fetch, which would follow
 * redirects and inflate bodies. The agent does not limit connections per origin: accounts may share a receiver, and a
 * hanging request must not delay others.
 */
export function createSender({
  egress,
  clock = systemClock,
  timeoutMs = TIMEOUT_MS,
  bodyMs = BODY_TIMEOUT_MS,
  resolve = resolveHost,
}: SenderOptions) {
  const agent = new Agent({
    connect: vettedConnect(egress, resolve, timeoutMs),
    allowH2: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // undici restarts its timeouts with each byte; the signal of the attempt does not.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    /** Makes one attempt. Never throws. If `signal` aborts before the status, the outcome is `interrupted`. */
    async send(delivery: DeliveryRequest, signal: AbortSignal): Promise<Outcome> {
      const startedAt = stopwatch();
      const duration = (): number => Math.round(stopwatch() - startedAt);
      try {
        const response = await request(delivery, { agent, signal, timeoutMs });
        return await outcomeOf(response, { clock, durationMs: duration(), bodyMs });
      } catch (error) {
        return { ...outcomeOfFailure(error), durationMs: duration() };
      }
    },
    /** Closes all connections. */
    close: (): Promise<void> => agent.destroy(),
  };
}

/** Resolves when status and headers have arrived; the body is still unread. */
async function request(
  { url, headers, body }: DeliveryRequest,
  { agent, signal, timeoutMs }: { agent: Agent; signal: AbortSignal; timeoutMs: number },
): Promise<Dispatcher.ResponseData> {
  const controller = new AbortController();
  const end = (outcome: 'timeout' | 'interrupted' | 'reset', message: string): void =>
    controller.abort(new AttemptFailure(outcome, message));
  const timer = setTimeout(() => end('timeout', `no status within ${timeoutMs / 1000} s`), timeoutMs);
  const interrupt = (): void => end('interrupted', OUTCOMES.interrupted);
  let interim = 0;
  const onInfo = (): void => {
    if (++interim > MAX_INTERIM) end('reset', `more than ${MAX_INTERIM} interim responses (1xx)`);
  };
  try {
    if (signal.aborted) interrupt();
    signal.addEventListener('abort', interrupt);
    // undici observes its signal only once there is a connection, which a receiver can delay.
    const aborted = rejectionOf(controller.signal);
    const response = undiciRequest(url, {
      method: 'POST',
      headers,
      body,
      dispatcher: agent,
      signal: controller.signal,
      onInfo,
      highWaterMark: MAX_HEADER_BYTES,
    });
    return await Promise.race([aborted, response]);
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
  const allowsRetryAfter = statusCode === 429 || statusCode === 503;
  const wait = allowsRetryAfter ? retryAfterSeconds(headers['retry-after'], clock.now()) : null;
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
  return outcome === 'redirect' ? `responded with ${status}; redirects are not followed` : `responded with ${status}`;
}

function outcomeOfFailure(error: unknown): Omit<Outcome, 'durationMs'> {
  const { outcome, message } = failureOf(error);
  // The message may quote a certificate, whose text the receiver controls.
  const line = message
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .slice(0, MAX_ERROR_LENGTH);
  return { outcome, status: null, error: line, responseBody: null, retryAfterSeconds: null };
}

function failureOf(error: unknown): AttemptFailure {
  if (error instanceof AttemptFailure) return error;
  if (error instanceof ConnectFailure) return new AttemptFailure(error.reason, error.message);
  const code = codeOf(error);
  const reason = code.includes('UND_ERR_HEADERS_OVERFLOW')
    ? `the response headers have more than ${MAX_HEADER_BYTES / 1024} KiB`
    : 'the connection was closed';
  return new AttemptFailure('reset', `${reason}${code}`);
}
