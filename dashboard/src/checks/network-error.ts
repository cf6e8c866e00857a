/** Errors of connections, in the words of the reasons of a check. */
import { reasonText } from './results.ts';

/** Codes of errors of the network, as texts of the service have them, by the reason of a check. */
const CODES: Record<string, string> = {
  ECONNREFUSED: 'refused',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  ETIMEDOUT: 'no_answer',
  EHOSTUNREACH: 'no_answer',
  ENETUNREACH: 'no_answer',
};

/** An error in words: the sentence for its code. The text of an unknown error stays, without its code. */
export function networkErrorText(error: string): string {
  const [code = ''] = /\bE[A-Z_]{4,}\b/.exec(error) ?? [];
  if (/handshake failed/.test(error)) return reasonText('tls');
  const reason = CODES[code];
  return reason ? reasonText(reason) : error.replace(/ \([A-Z_]+\)/, '');
}
