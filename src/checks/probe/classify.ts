/** The state of a target by its chain. The end of the chain decides. */
import type { TargetState } from '../../vocabulary/checks.ts';
import type { Chain } from './follow.ts';

const DEAD = [404, 410];
/** The host refuses this checker, or all clients without a session: that says nothing about the page. */
const BLOCKED = [401, 403, 405, 429, 451, 999];
const PERMANENT = [301, 308];
/** Other reasons are an `error`. */
const STATE_OF_REASON = new Map<string | null, TargetState>([
  ['robots', 'blocked'],
  ['retry_after', 'blocked'],
  ['loop', 'loop'],
  ['too_many_hops', 'loop'],
]);

type End = Pick<Chain, 'hops' | 'status' | 'reason'>;

/** `moved` needs a permanent first hop and an end that responds with 2xx. The reason is null if the end does. */
export function classify(
  { hops, status, reason }: End,
  firstOnly = false,
): { state: TargetState; reason: string | null } {
  if (status === null) return { state: STATE_OF_REASON.get(reason) ?? 'error', reason };
  const isMoved = PERMANENT.includes(hops[0]?.status ?? 0);
  if (status >= 200 && status < 300) return { state: isMoved ? 'moved' : 'ok', reason: null };
  if (firstOnly && hops.length > 0) return { state: 'ok', reason: null };
  if (DEAD.includes(status)) return { state: 'dead', reason: `http_${status}` };
  return { state: BLOCKED.includes(status) ? 'blocked' : 'error', reason: `http_${status}` };
}
