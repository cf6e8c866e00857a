import { type Mail, mailContext } from '../../accounts/mail/outbox.ts';
import type { Claimed } from '../queue/claim.ts';
import { type AttemptDeps, baseResult, type Finished, type LoggedAttempt, secretFailure, toResult } from './result.ts';

/**
 * Sends a claimed mail and returns the result. Never throws. A 5xx reply of the server fails the delivery, and so does
 * the end of the link before the next attempt. The receiver of an account has no health: its mails have different
 * recipients.
 */
export async function attemptMail(deps: AttemptDeps, claimed: Claimed, signal: AbortSignal): Promise<Finished> {
  const mail = openMail(deps, claimed);
  if (!mail || !deps.mailSender) return withoutHealth(toResult(deps, claimed, [secretFailure(deps, claimed)]));
  const startedAt = deps.clock.now();
  const until = new Date(mail.until);
  if (startedAt >= until) return { ...baseResult(claimed), state: 'failed', error: 'expired: the link has ended' };
  const outcome = await deps.mailSender.send({ ...mail, id: claimed.eventId }, signal);
  const attempt: LoggedAttempt = { attemptNo: claimed.attemptNo, startedAt, signedWith: null, ...outcome };
  const result = withoutHealth(toResult(deps, claimed, [attempt]));
  const isOver = outcome.outcome === 'refused' || (result.dueAt !== null && result.dueAt >= until);
  return isOver && result.state === 'pending' ? { ...result, state: 'failed', dueAt: null } : result;
}

const withoutHealth = (result: Finished): Finished => ({ ...result, verdict: null, pausedUntil: null });

/** Null if SECRET_KEY does not open it. */
function openMail({ secretBox, onError }: AttemptDeps, { message, eventId }: Claimed): Mail | null {
  if (message === null) return null;
  try {
    return JSON.parse(secretBox.open(message, mailContext(eventId))) as Mail;
  } catch (error) {
    onError(error);
    return null;
  }
}
