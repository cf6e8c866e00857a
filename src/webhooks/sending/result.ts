/** Results of claims: the next state of a delivery, whatever its channel. */
import type { Clock } from '../../platform/clock.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import type { Claimed } from '../queue/claim.ts';
import type { Outcome } from './outcome.ts';
import { nextDelayMs } from './retry-schedule.ts';
import type { Sender } from './send.ts';
import type { MailSender } from './send-mail.ts';

/** One request or mail, for the log. */
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
  /** null: mail is not configured, and none is claimed */
  mailSender: MailSender | null;
  random: () => number;
  onError: (error: unknown) => void;
}

/** An attempt that sent nothing, because SECRET_KEY does not open what it needs. */
export function secretFailure({ clock }: AttemptDeps, { attemptNo, channel }: Claimed): LoggedAttempt {
  return {
    attemptNo,
    startedAt: clock.now(),
    durationMs: 0,
    outcome: 'secret',
    status: null,
    error: `the ${channel === 'webhook' ? 'secret of the webhook' : 'message or its URL'} was encrypted with another SECRET_KEY`,
    responseBody: null,
    signedWith: null,
  };
}

/** Returns the next state of the delivery after its attempts. */
export function toResult(
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

export function baseResult(claimed: Claimed, last?: LoggedAttempt): Finished {
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
