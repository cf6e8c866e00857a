import type { Claimed } from '../queue/claim.ts';
import { deliveryHeaders, secretContext, type SigningSecrets, type ToSign } from './sign.ts';
import { attemptMessage } from './attempt-message.ts';
import { type AttemptDeps, baseResult, type Finished, type LoggedAttempt, secretFailure, toResult } from './result.ts';

/**
 * Sends a claimed delivery on its channel and returns the result. Never throws. While two secrets are valid, a 401 or 403
 * is retried once with the other one, so that a rotation loses nothing for a receiver that verifies only
 * X-Service-Signature.
 */
export async function attemptDelivery(deps: AttemptDeps, claimed: Claimed, signal: AbortSignal): Promise<Finished> {
  if (claimed.channel !== 'webhook') return attemptMessage(deps, claimed, signal);
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
