import { type Mail, mailContext } from '../../accounts/mail/outbox.ts';
import type { Claimed } from '../queue/claim.ts';
import { type AttemptDeps, baseResult, type Finished, type LoggedAttempt, secretFailure, toResult } from './result.ts';
import type { Outcome } from './outcome.ts';
import { secretContext } from './sign.ts';

/**
 * Sends a claimed message, a mail or the body of a chat, and returns the result. Never throws. A 5xx reply to a mail
 * fails the delivery, and so does the end of its link before the next attempt. The channel `mail` has no health: its
 * mails have different recipients.
 */
export async function attemptMessage(deps: AttemptDeps, claimed: Claimed, signal: AbortSignal): Promise<Finished> {
  const { result, isOver } = await attempt(deps, claimed, signal);
  const ended: Finished = isOver && result.state === 'pending' ? { ...result, state: 'failed', dueAt: null } : result;
  return claimed.channel === 'mail' ? { ...ended, verdict: null, pausedUntil: null } : ended;
}

async function attempt(
  deps: AttemptDeps,
  claimed: Claimed,
  signal: AbortSignal,
): Promise<{ result: Finished; isOver?: boolean }> {
  if (claimed.message === null)
    return { result: { ...baseResult(claimed), state: 'failed', error: 'expired: the message is no longer kept' } };
  const startedAt = deps.clock.now();
  const send = openMessage(deps, claimed);
  if (!send) return { result: toResult(deps, claimed, [secretFailure(deps, claimed)]) };
  const { until } = send;
  if (until && startedAt >= until)
    return { result: { ...baseResult(claimed), state: 'failed', error: 'expired: the link has ended' } };
  const { retryAfterSeconds, ...outcome } = await send.now(signal);
  const logged: LoggedAttempt = { attemptNo: claimed.attemptNo, startedAt, signedWith: null, ...outcome };
  const result = toResult(deps, claimed, [logged], retryAfterSeconds);
  return {
    result,
    isOver: outcome.outcome === 'refused' || Boolean(until && result.dueAt !== null && result.dueAt >= until),
  };
}

interface Sending {
  until: Date | null;
  now: (signal: AbortSignal) => Promise<Outcome>;
}

/** Null if SECRET_KEY does not open the message or the URL. */
function openMessage(deps: AttemptDeps, claimed: Claimed): Sending | null {
  const { secretBox, sender, mailSender, onError } = deps;
  const { message, eventId, webhookId, secret, channel } = claimed;
  try {
    const text = secretBox.open(message ?? Buffer.alloc(0), mailContext(eventId));
    if (channel === 'mail' || channel === 'email') {
      if (!mailSender) return null;
      const { until, ...mail } = JSON.parse(text) as Mail;
      return {
        until: until === undefined ? null : new Date(until),
        now: (signal) => mailSender.send({ ...mail, id: eventId }, signal),
      };
    }
    const url = secretBox.open(secret, secretContext(webhookId));
    return { until: null, now: (signal) => sender.send({ url, headers: CHAT_HEADERS, body: text }, signal) };
  } catch (error) {
    onError(error);
    return null;
  }
}

const CHAT_HEADERS = {
  // Without a charset, Teams counts the bytes of UTF-8 as characters.
  'content-type': 'application/json; charset=utf-8',
  'user-agent': 'Detour-Notices/1',
  'accept-encoding': 'identity',
};
