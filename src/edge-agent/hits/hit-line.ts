/** One hit as a line of a spooled batch: an entry of `hits` in the body of POST /api/v1/feeds/{id}/{environment}/hits. */
import { isAssistant } from '../../hits/count/assistants.ts';
import type { Request } from '../../hits/count/request-batch.ts';
import { MAX_REFERRER } from '../../hits/count/sources.ts';

/** The service counts by this many characters of a user agent, and by less of a path or referrer. */
const MAX_TEXT = 2_100;
/** Any address with zone and port fits. */
const MAX_ADDRESS = 64;

/** Encodes a request that arrived at `at` (milliseconds since the epoch). What the service does not count by is omitted. */
export function encodeHit(request: Request, at: number): string {
  const { redirectId, path, address, country, referrer, utmSource, micros } = request;
  const userAgent = request.userAgent.slice(0, MAX_TEXT);
  return JSON.stringify({
    at: new Date(at).toISOString(),
    // The service counts no path if a redirect matched, and only the host of the referrer.
    ...(redirectId === null
      ? { redirect_id: null, path: path.slice(0, MAX_TEXT), referrer: referrer?.slice(0, MAX_TEXT) }
      : { redirect_id: String(redirectId), referrer: referrer && originOf(referrer), utm_source: utmSource }),
    address: address.slice(0, MAX_ADDRESS),
    user_agent: userAgent,
    // The service recognizes bots, but counts an assistant as one unless the agent says what it is.
    agent_class: isAssistant(userAgent) ? 'assistant' : undefined,
    country,
    micros: Math.round(micros),
  });
}

/** A URL up to its path. */
function originOf(url: string): string {
  const end = url.slice(0, MAX_REFERRER).search(/(?<!\/|:)\/(?!\/)/);
  return url.slice(0, end < 0 ? MAX_REFERRER : end);
}

/** The parts of a batch's body around its lines. */
export interface BatchName {
  agent: string;
  /** random: names the batches of one start of an agent, which are numbered from 1 */
  series: string;
  batch: number;
}

/** The body of the request that reports a batch. */
export function batchBody({ agent, series, batch }: BatchName, lines: readonly string[]): string {
  const name = JSON.stringify({ agent, series, batch });
  return `${name.slice(0, -1)},"hits":[${lines.join(',')}]}`;
}
