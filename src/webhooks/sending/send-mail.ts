import { createTransport } from 'nodemailer';
import type { Mail } from '../../accounts/mail/outbox.ts';
import { stopwatch } from '../../platform/clock.ts';
import { type Outcome, type OutcomeClass, OUTCOMES } from './outcome.ts';

/** The operator's server, and the sender of all mail. */
export interface MailServer {
  /** smtp: with STARTTLS if the server offers it, or smtps: */
  url: string;
  from: { name: string; address: string };
}

/** Servers may delay a reply to keep off spam. Shorter than the lease of a claim (webhooks/queue/claim.ts). */
const TIMEOUT_MS = 30_000;

export type MailSender = ReturnType<typeof createMailSender>;

/**
 * Sends mail through the operator's server, whose address is not checked. A password is sent only over TLS. Replies of
 * the server may quote the mail, so errors have only their codes.
 */
export function createMailSender({ url, from }: MailServer, timeoutMs = TIMEOUT_MS) {
  const requireTLS = new URL(url).username !== '';
  // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED cannot disable it.
  const transport = createTransport({ url, requireTLS, tls: { rejectUnauthorized: true } });
  const host = from.address.slice(from.address.lastIndexOf('@') + 1);
  return {
    /** Makes one attempt. Never throws. If `stop` aborts before the reply, the outcome is `interrupted`. */
    async send(
      { id, to, subject, text, html, unsubscribeUrl }: Mail & { id: string },
      stop: AbortSignal,
    ): Promise<Outcome> {
      const startedAt = stopwatch();
      const mail = {
        from,
        to: { name: '', address: to },
        ...{ subject, text, html },
        // The same on every attempt, so that a mailbox can recognise a repetition.
        messageId: `<${id}@${host}>`,
        headers: { 'Auto-Submitted': 'auto-generated', ...(unsubscribeUrl && unsubscribeHeaders(unsubscribeUrl)) },
        ...{ disableFileAccess: true, disableUrlAccess: true },
        signal: AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)]),
      };
      const result = await transport.sendMail(mail).then(
        () => ({ outcome: 'delivered' as const, status: 250, error: null }),
        (error: unknown) => failureOf(error, stop),
      );
      const durationMs = Math.round(stopwatch() - startedAt);
      return { ...result, durationMs, responseBody: null, retryAfterSeconds: null };
    },
  };
}

/** RFC 8058: the mailbox unsubscribes by a POST to the page. */
const unsubscribeHeaders = (url: string) => ({
  'List-Unsubscribe': `<${url}>`,
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
});

/** Errors of nodemailer without a reply of the server. */
const CLASSES: Record<string, OutcomeClass> = {
  EABORT: 'timeout',
  ETIMEDOUT: 'timeout',
  EDNS: 'dns',
  ECONNECTION: 'connect',
  ESOCKET: 'connect',
  ETLS: 'tls',
};

function failureOf(error: unknown, stop: AbortSignal): Pick<Outcome, 'outcome' | 'status' | 'error'> {
  type Reply = { code?: string; responseCode?: number; response?: string };
  const { code = '', responseCode: status = null, response = '' } = error as Reply;
  if (status === null) {
    const outcome = stop.aborted ? 'interrupted' : (CLASSES[code] ?? 'reset');
    return { outcome, status, error: `${OUTCOMES[outcome]} (${code})` };
  }
  const [enhanced = ''] = /\b[245]\.\d{1,3}\.\d{1,3}\b/.exec(response) ?? [];
  const outcome = status >= 500 ? 'refused' : 'receiver_error';
  return { outcome, status, error: `the server replied with ${status} ${enhanced}`.trimEnd() };
}
