import type { Clock } from '../../platform/clock.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import type { Claimed } from '../queue/claim.ts';
import { deliveryHeaders, secretContext, type SigningSecrets } from './sign.ts';
import { nextDelayMs } from './retry-schedule.ts';
import type { Outcome } from './outcome.ts';
import type { Sender } from './send.ts';

/** One request that was made, for the log. */
export interface LoggedAttempt {
  attemptNo: number;
  startedAt: Date;
  durationMs: number;
  /** `delivered`, or the class of what went wrong: those of send.ts and `secret` (it does not open under SECRET_KEY) */
  outcome: Outcome['outcome'] | 'secret';
  status: number | null;
  error: string | null;
  responseBody: string | null;
  signedWith: 'current' | 'previous' | null;
}

/** What becomes of a claim. */
export interface Finished {
  claimed: Claimed;
  attempts: LoggedAttempt[];
  state: 'delivered' | 'pending' | 'failed';
  /** null: as it is */
  dueAt: Date | null;
  failures: number;
  status: number | null;
  error: string | null;
  /** what it says of the receiver; null for nothing */
  verdict: 'success' | 'failure' | 'gone' | null;
  pausedUntil: Date | null;
  /** the secret that the receiver has just shown to know, where that is news */
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
 * Sends a claimed delivery and says what follows from the outcome. While two secrets are good, a 401 or 403 is tried once more
 * with the other one: a receiver that knows only X-Service-Signature loses nothing by a rotation. Never throws.
 */
export async function attemptDelivery(
  deps: AttemptDeps,
  claimed: Claimed,
  signal: AbortSignal,
): Promise<Finished> {
  const { body } = claimed;
  if (body === null) return expired(claimed);
  const secrets = openSecrets(deps, claimed);
  if (secrets === null) return concluded(deps, claimed, [unopened(deps, claimed)]);
  const first = secrets.previous === null ? 'current' : claimed.signWith;
  const made = [
    await request(deps, claimed, { body, secrets, signWith: first, attemptNo: claimed.attemptNo }, signal),
  ];
  const { status } = made[0]?.attempt ?? {};
  if ((status === 401 || status === 403) && secrets.previous !== null && !signal.aborted) {
    const signWith = first === 'current' ? 'previous' : 'current';
    const attemptNo = claimed.attemptNo + 1;
    made.push(await request(deps, claimed, { body, secrets, signWith, attemptNo }, signal));
  }
  const retryAfterSeconds = made.at(-1)?.retryAfterSeconds ?? null;
  return concluded(
    deps,
    claimed,
    made.map(({ attempt }) => attempt),
    retryAfterSeconds,
  );
}

interface Signed {
  body: string;
  secrets: SigningSecrets;
  signWith: 'current' | 'previous';
  attemptNo: number;
}

interface Made {
  attempt: LoggedAttempt;
  retryAfterSeconds: number | null;
}

async function request(
  deps: AttemptDeps,
  claimed: Claimed,
  signed: Signed,
  signal: AbortSignal,
): Promise<Made> {
  const startedAt = deps.clock.now();
  const { id: deliveryId, eventId, event, url } = claimed;
  const headers = deliveryHeaders({ ...signed, eventId, event, deliveryId, now: startedAt });
  const { retryAfterSeconds, ...outcome } = await deps.sender.send(
    { url, headers, body: signed.body },
    signal,
  );
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

function unopened({ clock }: AttemptDeps, { attemptNo }: Claimed): LoggedAttempt {
  return {
    attemptNo,
    startedAt: clock.now(),
    durationMs: 0,
    outcome: 'secret',
    status: null,
    error: 'the secret of the webhook does not open: it was sealed under another SECRET_KEY',
    responseBody: null,
    signedWith: null,
  };
}

/** The event is past its retention: there is nothing left to send. */
function expired(claimed: Claimed): Finished {
  return { ...untold(claimed, null), state: 'failed', error: 'expired: the event is no longer kept' };
}

function concluded(
  deps: AttemptDeps,
  claimed: Claimed,
  attempts: LoggedAttempt[],
  retryAfterSeconds: number | null = null,
): Finished {
  const last = attempts.at(-1);
  const finished: Finished = { ...untold(claimed, last), attempts };
  if (claimed.kind === 'test')
    return { ...finished, state: last?.outcome === 'delivered' ? 'delivered' : 'failed' };
  if (last?.outcome === 'interrupted') return { ...finished, dueAt: deps.clock.now() };
  if (last?.outcome !== 'delivered')
    return { ...finished, ...failed(deps, claimed, last, retryAfterSeconds) };
  const signWith = last.signedWith === claimed.signWith ? null : last.signedWith;
  return { ...finished, state: 'delivered', verdict: 'success', signWith };
}

function untold(claimed: Claimed, last: LoggedAttempt | null | undefined): Finished {
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

/** One place further in the schedule; a receiver that said when to come back is not asked before. */
function failed(
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
