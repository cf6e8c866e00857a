/** How an attempt can end. Only `delivered` is success; only `interrupted` is no failure of the receiver. */
export const OUTCOMES = {
  delivered: 'a 2xx status',
  redirect: 'a 3xx status: redirects are not followed',
  refused: 'a 4xx status',
  receiver_error: 'a 5xx status, or none of HTTP',
  gone: '410: the receiver wants nothing more',
  throttled: '429, or 503 with Retry-After',
  timeout: 'no status in time',
  dns: 'the name has no address',
  connect: 'no connection',
  tls: 'no secure connection, or the certificate is not good',
  reset: 'the connection broke before the answer, or the answer was not HTTP',
  address: 'the address is one that deliveries may not go to',
  interrupted: 'the process stopped before there was an answer',
} as const;

export type OutcomeClass = keyof typeof OUTCOMES;

/** What came of one attempt. */
export interface Outcome {
  outcome: OutcomeClass;
  /** of the answer; null where there was none */
  status: number | null;
  /** what went wrong, in a line; null when delivered */
  error: string | null;
  /** until the outcome was known, in whole milliseconds; reading the body comes after */
  durationMs: number;
  /** the first 4 KiB of the answer's body as text; null where it has none, or a compressed one */
  responseBody: string | null;
  /** how long a 429 or 503 asks to be left alone: 1 second to 24 hours */
  retryAfterSeconds: number | null;
}

/** The class of an answer by its status and nothing else; `asksToWait` where it has a Retry-After that means something. */
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
