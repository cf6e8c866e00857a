/** One target of a check: requested, followed, tested for a soft 404, classified. And the robots.txt of a host. */
import type { TargetState } from '../../vocabulary/checks.ts';
import { classify } from './classify.ts';
import { type Chain, follow, type FollowDeps, type OwnOrigin } from './follow.ts';
import { BlockedFor, type ClientOptions, createClient, ProbeFailure, type ReadBody } from './request.ts';
import { NO_ROBOTS, parseRobots, type RobotsRules } from './robots.ts';
import { testSoft404, type Walk } from './soft-test.ts';

/** `turn` and `holdOff` apply to every request, hops and siblings included. `turn` may throw BlockedFor. */
export interface ProbeDeps extends ClientOptions, Pick<FollowDeps, 'turn' | 'holdOff'> {
  /** Cached by the caller; see fetchRobots. */
  robots: (origin: string) => Promise<RobotsRules>;
}

export interface ProbeTarget {
  /** absolute, http or https */
  url: string;
  /** a verified host: its port, and its nonce header and credentials */
  own?: OwnOrigin;
  /** for targets */
  softTest: boolean;
  /** for sources: a redirect is not followed, and is `ok` */
  firstOnly?: boolean;
}

export interface Probed {
  state: TargetState;
  /**
   * null if ok or moved. `dns`, `tls`, `timeout`, `refused`, `reset`, `address_not_allowed`, `bad_location`, `robots`,
   * `retry_after`, `loop`, `too_many_hops`, `http_503`. `interrupted` and `internal` say nothing about the target.
   */
  reason: string | null;
  /** of the first response; null without one */
  status: number | null;
  /** of the first response, absolute; null if it is no redirect */
  location: string | null;
  /** where a chain of redirects ends; null without one */
  end: string | null;
  note: 'host_answers_everything' | null;
  /** of the end, or of a host that asks for a longer wait than a check does */
  retryAfterSeconds: number | null;
  /** whole milliseconds of the requests of the chain, without waiting for turns */
  durationMs: number;
}

export type Probe = typeof probe;

/** Probes one target. Never throws. */
export async function probe(deps: ProbeDeps, target: ProbeTarget, signal: AbortSignal): Promise<Probed> {
  await using client = createClient(deps);
  const { own, firstOnly } = target;
  const walk: Walk = (url, options) => follow({ ...deps, client }, url, { ...options, own }, signal);
  const chain = await walk(target.url, { method: 'HEAD', firstOnly });
  if (!target.softTest) return toProbed(chain, firstOnly);
  const { chain: tested, result } = await testSoft404(walk, target.url, chain);
  return { ...toProbed(tested), ...(result === 'soft_404' ? { state: result } : { note: result }) };
}

const readText: ReadBody<string> = async (body) => Buffer.concat(await Array.fromAsync(body)).toString('utf8');

/**
 * Fetches the first 512 KiB of the robots.txt of an origin, also through redirects. Every failure of the host allows
 * everything. Throws BlockedFor if it was not its turn, and a ProbeFailure if it was interrupted: do not store these.
 */
export async function fetchRobots(
  deps: Omit<ProbeDeps, 'robots'>,
  origin: string,
  own: OwnOrigin | undefined,
  signal: AbortSignal,
): Promise<RobotsRules> {
  await using client = createClient(deps);
  const { turn, holdOff } = deps;
  const options = { method: 'GET', own, read: readText } as const;
  const chain = await follow({ turn, holdOff, client }, `${origin}/robots.txt`, options, signal);
  const { content, reason, retryAfterSeconds } = chain;
  if (reason === 'retry_after') throw new BlockedFor(retryAfterSeconds ?? 0);
  if (reason === 'interrupted' || reason === 'internal') throw new ProbeFailure(reason);
  return content === null ? NO_ROBOTS : parseRobots(content);
}

function toProbed({ hops, end, ...chain }: Chain<unknown>, firstOnly = false): Probed {
  const [first] = hops;
  return {
    ...classify({ ...chain, hops }, firstOnly),
    status: first?.status ?? chain.status,
    location: first?.location ?? null,
    end: first ? end : null,
    note: null,
    retryAfterSeconds: chain.retryAfterSeconds,
    durationMs: Math.round(chain.durationMs),
  };
}
