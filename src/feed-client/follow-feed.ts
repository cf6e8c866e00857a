/**
 * Follows the feed of a website: first the whole version, then differences by long-poll. Retries for as long as the
 * service is away, and falls back to the whole version when a difference does not lead to the right rules.
 */
import { pauseAfter, spread } from '../vocabulary/backoff.ts';
import type { FeedHead, FeedLine } from './feed-lines.ts';
import { FeedError, type FeedSource, type FeedState, requestFeed } from './request-feed.ts';
import { createSlices, type Pause, pauseByTimer } from './slices.ts';

/** The receiver of a feed. Calls never overlap. */
export interface FeedTarget {
  /** what it has; undefined: nothing yet */
  state(): FeedState | undefined;
  /** Takes over a whole version. If it throws, the former state stays. */
  replace(head: FeedHead, lines: AsyncIterable<FeedLine[]>): Promise<void>;
  /** Applies a difference from `state`. If it throws, the whole version is requested next. */
  patch(head: FeedHead, lines: AsyncIterable<FeedLine[]>): Promise<void>;
}

export interface FollowOptions {
  source: FeedSource;
  target: FeedTarget;
  /** Called after each response: the target is as current as the service. */
  onCurrent?: (() => void) | undefined;
  /** Called if the service has no difference from `version`, because it is too old or of another history. */
  onExpired?: ((version: number) => void) | undefined;
  /** Called after each failure. `denied`: the key or the website must be corrected. */
  onProblem?: ((problem: { error: Error; isDenied: boolean; retryInMs: number }) => void) | undefined;
  /** the longest wait of the service for one response; below the usual timeout of proxies */
  waitSeconds?: number;
  /** a faster pause of the runtime */
  pause?: Pause;
}

export interface Follower {
  /** Aborts the request in flight. Resolves when the target is no longer called. */
  stop(): Promise<void>;
}

const WAIT_SECONDS = 50;
/** A service that does not wait must not be asked without a pause. */
const MIN_POLL_MS = 1_000;
const MIN_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 30_000;
/** Nothing changes until a person corrects the key or the website. */
const DENIED_MS = 60_000;

/** Starts to follow at once. Never throws: failures go to `onProblem`. */
export function followFeed(options: FollowOptions): Follower {
  const stopping = new AbortController();
  const ended = follow(options, stopping.signal);
  return {
    stop() {
      stopping.abort(new Error('the follower stops'));
      return ended;
    },
  };
}

async function follow(options: FollowOptions, signal: AbortSignal): Promise<void> {
  const { onCurrent, onProblem } = options;
  /** since the last response that was applied as a difference */
  let failures = 0;
  let isWholeNeeded = false;
  while (!signal.aborted) {
    let pauseMs = 0;
    try {
      const step = await advance(options, isWholeNeeded, signal);
      if (step === 'expired') pauseMs = repeatMs(failures++);
      else if (!isWholeNeeded) failures = 0;
      isWholeNeeded = step === 'expired';
      if (!isWholeNeeded) onCurrent?.();
      if (step === 'early') pauseMs = MIN_POLL_MS;
    } catch (cause) {
      if (signal.aborted) return;
      const error = cause instanceof Error ? cause : new Error(String(cause));
      const isFeedError = error instanceof FeedError;
      pauseMs = isFeedError ? backoffMs(error, failures) : repeatMs(failures);
      failures++;
      // The feed was readable and did not lead to the rules that it promised.
      if (!isFeedError) isWholeNeeded = true;
      onProblem?.({ error, isDenied: isFeedError && error.kind === 'denied', retryInMs: pauseMs });
    }
    if (pauseMs > 0) await sleep(pauseMs, signal);
  }
}

/** Sends one request and applies its response. `early`: nothing has changed, and the service did not wait. */
async function advance(
  { source, target, onExpired, waitSeconds = WAIT_SECONDS, pause = pauseByTimer }: FollowOptions,
  isWholeNeeded: boolean,
  signal: AbortSignal,
): Promise<'changed' | 'early' | 'waited' | 'expired'> {
  const state = target.state();
  const since = isWholeNeeded ? undefined : state;
  const startedAt = performance.now();
  const request = { since, serving: state?.version, waitSeconds, signal };
  const response = await requestFeed(source, request, createSlices(pause));
  if (response.kind === 'expired') {
    if (since) onExpired?.(since.version);
    return 'expired';
  }
  const isEarly = performance.now() - startedAt < MIN_POLL_MS;
  if (response.kind === 'unchanged') return isEarly ? 'early' : 'waited';
  const { head, lines, close } = response;
  try {
    if (since) await target.patch(head, lines);
    else await target.replace(head, lines);
  } finally {
    close();
  }
  const isSame =
    head.version === state?.version &&
    head.history === state.history &&
    head.options_checksum === state.optionsChecksum;
  return isSame && isEarly ? 'early' : 'changed';
}

/** Grows with each failure. */
function backoffMs({ kind, retryAfterMs }: FeedError, failures: number): number {
  const base = kind === 'denied' ? DENIED_MS : pauseAfter(failures, MIN_BACKOFF_MS, MAX_BACKOFF_MS);
  return Math.max(spread(base), retryAfterMs);
}

/** The first request for the whole version follows at once. A further one in a row waits like other failures. */
const repeatMs = (failures: number): number =>
  failures === 0 ? 0 : pauseAfter(failures, MIN_BACKOFF_MS, MAX_BACKOFF_MS);

/** Resolves after `ms`, or when the signal aborts. */
function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
  });
}
