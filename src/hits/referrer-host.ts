import { ownCopy } from '../platform/own-copy.ts';

/** A host name has at most 253 characters. */
const HOST = /^https?:\/\/(?:[^/?#@]{0,300}@)?(\[[0-9a-f:.]{2,45}\]|[a-z0-9._-]{1,253})(?=[:/?#]|$)/i;

/** The host of a Referer header, in lower case; of the rest nothing is kept. Null where there is none. */
export function referrerHost(referrer: string | undefined): string | null {
  const host = referrer === undefined ? undefined : HOST.exec(referrer)?.[1];
  return host === undefined ? null : ownCopy(host.toLowerCase());
}
