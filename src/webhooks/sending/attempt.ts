import type { Clock } from '../../platform/clock.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import type { Claimed } from '../queue/claim.ts';
import { deliveryHeaders, secretContext, type SigningSecrets, type ToSign } from './sign.ts';
import { nextDelayMs } from './retry-schedule.ts';
import type { Outcome } from './outcome.ts';
import type { Sender } from './send.ts';

/** One request, for the log. */
export interface LoggedAttempt {
  attemptNo: number;
  startedAt: Date;
  durationMs: number;
  /** as in outcome.ts, or `secret` if the secret cannot be decrypted with SECRET_KEY */
  outcome: Outcome['outcome'] | 'secret';
  status: number | null;
  error: string | null;
  responseBody: string | null;
  signedWith: 'current' | 'previous' | null;
}

/** The result of a claim: the next state of the delivery, and what it means for the health of the receiver. */
export interface Finished {
  claimed: Claimed;
  attempts: LoggedAttempt[];
  state: 'delivered' | 'pending' | 'failed';
  /** null: unchanged */
  dueAt: Date | null;
  failures: number;
  status: number | null;
  error: string | null;
  /** null: does not change the receiver's health */
  verdict: 'success' | 'failure' | 'gone' | null;
  pausedUntil: Date | null;
  /** the secret that the receiver accepted, if it is not the one that was tried first */
  signWith: 'current' | 'previous' | null;
}

export interface AttemptDeps {
  clock: Clock;
  secretBox: SecretBox;
  sender: Sender;
  random: () => number;
  onError: (error: unknown) => void;
}

/**
 * Sends a claimed delivery and returns the result. Never throws. While two secrets are valid, a 401 or 403 is retried
 * once with the other one, so that a rotation loses nothing for a receiver that verifies only X-Service-Signature.
 */
export async function attemptDelivery(deps: AttemptDeps, claimed: Claimed, signal: AbortSignal): Promise<Finished> {
  const { body } = claimed;
  if (body === null) return { ...baseResult(claimed), state: 'failed', error: 'expired: the event is no longer kept' };
  const secrets = openSecrets(deps, claimed);
  if (secrets === null) return toResult(deps, claimed, [secretFailure(deps, claimed)]);
  const first = secrets.previous === null ? 'current' : claimed.signWith;
  const { attemptNo } = claimed;
  const sent = [await send(deps, claimed, { body, secrets, signWith: first, attemptNo }, signal)];
  const { status } = sent[0]?.attempt ?? {};
  if ((status === 401 || status === 403) && secrets.previous !== null && !signal.aborted) {
    const signWith = first === 'current' ? 'previous' : 'current';
    sent.push(await send(deps, claimed, { body, secrets, signWith, attemptNo: attemptNo + 1 }, signal));
  }
  const attempts = sent.map(({ attempt }) => attempt);
  return toResult(deps, claimed, attempts, sent.at(-1)?.retryAfterSeconds ?? null);
}

async function send(
  deps: AttemptDeps,
  claimed: Claimed,
  signed: Pick<ToSign, 'body' | 'secrets' | 'signWith'> & { attemptNo: number },
  signal: AbortSignal,
): Promise<{ attempt: LoggedAttempt; retryAfterSeconds: number | null }> {
  const startedAt = deps.clock.now();
  const { id: deliveryId, eventId, event, url } = claimed;
  const headers = deliveryHeaders({ ...signed, eventId, event, deliveryId, now: startedAt });
  const { retryAfterSeconds, ...outcome } = await deps.sender.send({ url, headers, body: signed.body }, signal);
  const { attemptNo, signWith: signedWith } = signed;
  return { attempt: { attemptNo, startedAt, signedWith, ...outcome }, retryAfterSeconds };
}

function openSecrets({ secretBox, onError }: AttemptDeps, claimed: Claimed): SigningSecrets | null {
  const context = secretContext(claimed.webhookId);
  try {
    return {
      current: secretBox.open(claimed.secret, context),
      previous: claimed.previousSecret && secretBox.open(claimed.previousSecret, context),
    };
  } catch (error) {
    onError(error);
    return null;
  }
}

function secretFailure({ clock }: AttemptDeps, { attemptNo }: Claimed): LoggedAttempt {
  return {
    attemptNo,
    startedAt: clock.now(),
    durationMs: 0,
    outcome: 'secret',
    status: null,
    error: 'the secret of the webhook was encrypted with another SECRET_KEY',
    responseBody: null,
    signedWith: null,
  };
}

function toResult(
  deps: AttemptDeps,
  claimed: Claimed,
  attempts: LoggedAttempt[],
  retryAfterSeconds: number | null = null,
): Finished {
  const last = attempts.at(-1);
  const result: Finished = { ...baseResult(claimed, last), attempts };
  if (claimed.kind === 'test') return { ...result, state: last?.outcome === 'delivered' ? 'delivered' : 'failed' };
  if (last?.outcome === 'interrupted') return { ...result, dueAt: deps.clock.now() };
  if (last?.outcome !== 'delivered') return { ...result, ...failureResult(deps, claimed, last, retryAfterSeconds) };
  const signWith = last.signedWith === claimed.signWith ? null : last.signedWith;
  return { ...result, state: 'delivered', verdict: 'success', signWith };
}

function baseResult(claimed: Claimed, last?: LoggedAttempt): Finished {
  return {
    claimed,
    attempts: [],
    state: 'pending',
    dueAt: null,
    failures: claimed.failures,
    status: last?.status ?? null,
    error: last?.error ?? null,
    verdict: null,
    pausedUntil: null,
    signWith: null,
  };
}

/** Schedules the next attempt, not before the receiver's Retry-After, or fails the delivery after the last one. */
function failureResult(
  { clock, random }: AttemptDeps,
  { failures }: Claimed,
  last: LoggedAttempt | undefined,
  retryAfterSeconds: number | null,
): Pick<Finished, 'state' | 'dueAt' | 'failures' | 'verdict' | 'pausedUntil'> {
  const now = clock.now().getTime();
  const delayMs = nextDelayMs(failures + 1, random);
  const pausedUntil = retryAfterSeconds === null ? null : new Date(now + retryAfterSeconds * 1_000);
  return {
    state: delayMs === null ? 'failed' : 'pending',
    dueAt: delayMs === null ? null : new Date(Math.max(now + delayMs, pausedUntil?.getTime() ?? 0)),
    failures: failures + 1,
    verdict: last?.outcome === 'gone' ? 'gone' : 'failure',
    pausedUntil,
  };
}
