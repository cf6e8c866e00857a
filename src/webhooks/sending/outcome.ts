/**
 * The outcomes of an attempt, with the statuses of HTTP. `delivered` is the only success; `interrupted` does not count as
 * a failure of the receiver. A mail is `refused` with a 5xx reply of SMTP, and `receiver_error` with a 4xx one.
 */
export const OUTCOMES = {
  delivered: 'a 2xx status',
  redirect: 'a 3xx status: redirects are not followed',
  refused: 'a 4xx status',
  receiver_error: 'a 5xx status, or one that HTTP does not define',
  gone: '410: the receiver unsubscribes',
  throttled: '429, or 503 with Retry-After',
  timeout: 'no status within the timeout',
  dns: 'the name has no address',
  connect: 'no connection',
  tls: 'no secure connection, or an invalid certificate',
  reset: 'the connection closed before the response, or the response was not HTTP',
  address: 'deliveries to the address are not allowed',
  interrupted: 'the process stopped before the response',
} as const;

export type OutcomeClass = keyof typeof OUTCOMES;

/** The result of one attempt. */
export interface Outcome {
  outcome: OutcomeClass;
  /** of the response; null without one */
  status: number | null;
  /** one line; null if delivered */
  error: string | null;
  /** whole milliseconds until the status; excludes reading the body */
  durationMs: number;
  /** the first 4 KiB of the response body as text; null if it is empty or compressed */
  responseBody: string | null;
  /** Retry-After of a 429 or 503: 1 second to 24 hours */
  retryAfterSeconds: number | null;
}

/** Classifies a response by its status. `asksToWait`: it has a valid Retry-After. */
export function classOfStatus(status: number, asksToWait: boolean): OutcomeClass {
  if (status >= 200 && status < 300) return 'delivered';
  if (status >= 300 && status < 400) return 'redirect';
  if (status === 410) return 'gone';
  if (status === 429 || (status === 503 && asksToWait)) return 'throttled';
  return status >= 400 && status < 500 ? 'refused' : 'receiver_error';
}

/** An attempt that ended without a status. */
export class AttemptFailure extends Error {
  readonly outcome: OutcomeClass;

  constructor(outcome: OutcomeClass, message: string) {
    super(message);
    this.name = 'AttemptFailure';
    this.outcome = outcome;
  }
}
