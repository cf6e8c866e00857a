/**
 * The time by which each part of a process has stopped, in milliseconds since the stop signal. Orchestrators and
 * systemd kill a process after 10 s. Requests in flight have 8 s (http/server/listener.ts).
 */
export const STOP_TIMES = {
  /** webhook attempts; less than requests, because a request may wait for an attempt (a test) */
  attempts: 7_500,
  /** requests, and what they left to do in the database */
  requests: 8_200,
  /** the last write of hits, if the process had no database before */
  earlyHits: 8_500,
  hits: 8_800,
  /** the last report of hits by an agent */
  agentHits: 9_000,
  workers: 9_100,
  /** any other part: a database that does not respond must not delay the exit */
  part: 9_200,
  process: 9_700,
} as const;

/** The last hits get what is left of their time, at least this. */
const MIN_LAST_HITS_MS = 500;

/** The time for the last hits, `elapsedMs` after the stop signal. */
export function lastHitsMs(elapsedMs: number, of: 'earlyHits' | 'hits' | 'agentHits'): number {
  return Math.max(MIN_LAST_HITS_MS, STOP_TIMES[of] - elapsedMs);
}
