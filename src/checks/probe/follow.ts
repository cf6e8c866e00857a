/** Follows the redirects of a URL: HEAD, GET if HEAD is refused; robots.txt and the turn of the host at every hop. */
import { stopwatch } from '../../platform/clock.ts';
import { type Answer, BlockedFor, type Client, ProbeFailure, type ReadBody } from './request.ts';
import { isAllowed, type RobotsRules } from './robots.ts';

const MAX_HOPS = 10;

export interface Chain<Content = null> {
  /** `location` is absolute, or the header itself if it is no URL */
  hops: { status: number; location: string }[];
  /** the last URL; requested unless there is a reason */
  end: string;
  /** of the end; null if there is a reason */
  status: number | null;
  /** why the end has no status */
  reason: string | null;
  retryAfterSeconds: number | null;
  content: Content | null;
  /** of all requests, without waiting for turns */
  durationMs: number;
  /** every request went to the own origin, with its headers */
  isOwn: boolean;
}

/** An origin whose port is allowed, and headers for it: not sent once a chain has left it. */
export type OwnOrigin = { origin: string; headers: Record<string, string> };

export interface FollowDeps {
  client: Client;
  /** Waits for the turn of a host. May resolve to a function that ends the turn; it is called after the response. */
  turn(host: string, signal: AbortSignal): Promise<void | (() => void)>;
  /** Reports a 429, or a 503 with Retry-After, before its turn ends. Null: the host does not say how long to wait. */
  holdOff?: ((host: string, seconds: number | null) => void) | undefined;
  robots?: (origin: string) => Promise<RobotsRules>;
}

export interface FollowOptions<Content> {
  method: 'HEAD' | 'GET';
  own?: OwnOrigin | undefined;
  /** False if earlier requests of the chain left the own origin. */
  sendsOwn?: boolean;
  /** Ends at the first redirect. */
  firstOnly?: boolean | undefined;
  read?: ReadBody<Content>;
}

type Walk<Content> = FollowOptions<Content> & { chain: Chain<Content>; signal: AbortSignal };

/** Follows up to 10 redirects. Never throws: a failure is the reason of the chain. */
export async function follow<Content = null>(
  deps: FollowDeps,
  start: string,
  options: FollowOptions<Content>,
  signal: AbortSignal,
): Promise<Chain<Content>> {
  const { own, sendsOwn = true, firstOnly = false } = options;
  const chain: Chain<Content> = {
    ...{ hops: [], end: start, status: null, reason: null, retryAfterSeconds: null, content: null, durationMs: 0 },
    isOwn: sendsOwn && own !== undefined,
  };
  const seen = new Set<string>();
  try {
    for (;;) {
      const url = URL.parse(chain.end);
      if (url?.protocol !== 'http:' && url?.protocol !== 'https:') throw new ProbeFailure('bad_location');
      if (seen.has(addressOf(url.href))) throw new ProbeFailure('loop');
      if (chain.hops.length > MAX_HOPS) throw new ProbeFailure('too_many_hops');
      seen.add(addressOf(url.href));
      chain.isOwn &&= url.origin === own?.origin;
      const { location, ...answer } = await ask(deps, url, { ...options, chain, signal });
      const isRedirect = answer.status >= 300 && answer.status < 400 && location !== null;
      if (isRedirect) {
        chain.end = URL.parse(location, url.href)?.href ?? location;
        chain.hops.push({ status: answer.status, location: chain.end });
      }
      if (!isRedirect || firstOnly) return { ...chain, ...answer };
    }
  } catch (error) {
    const retryAfterSeconds = error instanceof BlockedFor ? error.seconds : null;
    const fault = signal.aborted ? 'interrupted' : 'internal';
    return { ...chain, reason: error instanceof ProbeFailure ? error.reason : fault, retryAfterSeconds };
  }
}

/** The normalized URL without its fragment, which is not part of a request. */
export function addressOf(url: string): string {
  return url.split('#')[0] ?? url;
}

async function ask<Content>(deps: FollowDeps, url: URL, walk: Walk<Content>): Promise<Answer<Content>> {
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  if (!deps.client.ports.includes(port) && url.origin !== walk.own?.origin)
    throw new ProbeFailure('address_not_allowed');
  const robots = await deps.robots?.(url.origin);
  if (robots && !isAllowed(robots, url.pathname + url.search)) throw new ProbeFailure('robots');
  if (walk.method === 'GET') return await send('GET', deps, url, walk);
  const head = await send('HEAD', deps, url, walk).catch(undefinedIfReset);
  if (head && head.status < 400) return head;
  return await send('GET', deps, url, walk).catch((error: unknown) => {
    // The host asks for a longer wait than a check does, so its first answer counts.
    if (error instanceof BlockedFor && (head?.status === 429 || head?.status === 503)) return head;
    throw error;
  });
}

/** Some hosts close the connection of a HEAD. */
function undefinedIfReset(error: unknown): undefined {
  if (!(error instanceof ProbeFailure && error.reason === 'reset')) throw error;
}

async function send<Content>(
  method: 'HEAD' | 'GET',
  deps: FollowDeps,
  url: URL,
  { own, read, chain, signal }: Walk<Content>,
): Promise<Answer<Content>> {
  const endTurn = await deps.turn(url.hostname, signal);
  const startedAt = stopwatch();
  try {
    const headers = (chain.isOwn && own?.headers) || {};
    const answer = await deps.client.send({ method, url, headers, read: method === 'GET' ? read : undefined }, signal);
    const { status, retryAfterSeconds } = answer;
    if (status === 429 || retryAfterSeconds !== null) deps.holdOff?.(url.hostname, retryAfterSeconds);
    return answer;
  } finally {
    chain.durationMs += stopwatch() - startedAt;
    if (typeof endTurn === 'function') endTurn();
  }
}
