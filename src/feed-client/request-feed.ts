/** One request for a feed. */
import type { Environment } from '../vocabulary/environment.ts';
import { FeedFormatError } from './feed-lines.ts';
import { type FeedBody, readFeed } from './read-feed.ts';
import type { Slices } from './slices.ts';

/** The global `fetch`, or another one that offers this much of it. */
export type Fetch = (
  url: string,
  init: { method?: string; headers: Record<string, string>; body?: string; signal: AbortSignal },
) => Promise<Response>;

/** The origin of a feed, and its follower. */
export interface FeedSource {
  /** the URL of the service, without a slash at the end */
  url: string;
  /** read scope is enough */
  apiKey: string;
  websiteId: string;
  environment: Environment;
  /** how the service lists this follower; without it, it is not listed */
  agent?: { name: string; kind: 'edge' | 'nginx' | 'apache' | 'caddy' | 'library' } | undefined;
  fetch: Fetch;
}

export interface FeedRequest {
  /** the version and the options that the follower has: requests the difference; undefined: the whole version */
  since: FeedState | undefined;
  /** the version that the follower serves, if it serves one */
  serving: number | undefined;
  /** how long the service may wait for a newer version, in seconds */
  waitSeconds: number;
  signal: AbortSignal;
}

export interface FeedState {
  version: number;
  history?: string | undefined;
  optionsChecksum: string;
}

export type FeedResponse =
  | ({ kind: 'feed'; /** Ends the transfer. Call it in any case. */ close: () => void } & FeedBody)
  | { kind: 'unchanged' }
  | { kind: 'expired' };

interface FeedFailure {
  status?: number;
  retryAfterMs?: number;
  cause?: unknown;
}

/** A feed could not be read. `denied`: the key or the website must be corrected; others pass by themselves. */
export class FeedError extends Error {
  readonly kind: 'denied' | 'unavailable';
  /** 0 if there was no response */
  readonly status: number;
  /** how long the service asks to wait, in milliseconds */
  readonly retryAfterMs: number;

  constructor(message: string, { status = 0, retryAfterMs = 0, cause }: FeedFailure = {}) {
    super(message, { cause });
    this.kind = [401, 403, 404].includes(status) ? 'denied' : 'unavailable';
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Time to the first byte beyond the wait, and between two chunks. */
const MAX_SILENCE_MS = 30_000;
const MAX_RETRY_AFTER_MS = 300_000;

/** Sends a request. Throws FeedError if there is no feed, also while its lines are read, and aborts one that stalls. */
export async function requestFeed(source: FeedSource, request: FeedRequest, slices: Slices): Promise<FeedResponse> {
  const transfer = openTransfer(request.signal);
  try {
    transfer.expectWithin(request.waitSeconds * 1_000 + MAX_SILENCE_MS);
    const headers = { authorization: `Bearer ${source.apiKey}`, accept: 'application/x-ndjson' };
    const response = await source.fetch(urlOf(source, request), { headers, signal: transfer.signal });
    if (response.status === 200 && response.body) {
      const { head, lines } = await readFeed(response.body, slices, () => transfer.expectWithin(MAX_SILENCE_MS));
      return { kind: 'feed', head, lines: withFeedErrors(lines, source), close: transfer.close };
    }
    // A service of an earlier release, after a downgrade, does not know `history`.
    const isExpired = response.status === 410 || (response.status === 400 && request.since?.history !== undefined);
    if (response.status !== 304 && !isExpired) throw await errorOf(source, response);
    transfer.close();
    return { kind: isExpired ? 'expired' : 'unchanged' };
  } catch (error) {
    transfer.close();
    throw toFeedError(source, error);
  }
}

function urlOf(source: FeedSource, { since, serving, waitSeconds }: FeedRequest): string {
  const query = new URLSearchParams();
  if (since) {
    query.set('since', String(since.version));
    if (since.history !== undefined) query.set('history', since.history);
    query.set('options', since.optionsChecksum);
    query.set('wait', String(waitSeconds));
  }
  if (source.agent) {
    query.set('agent', source.agent.name);
    query.set('kind', source.agent.kind);
    if (serving !== undefined) query.set('serving', String(serving));
  }
  const path = `/api/v1/feeds/${encodeURIComponent(source.websiteId)}/${source.environment}`;
  return query.size === 0 ? source.url + path : `${source.url}${path}?${query.toString()}`;
}

async function errorOf({ url }: FeedSource, response: Response): Promise<FeedError> {
  const { status } = response;
  const seconds = Number(response.headers.get('retry-after'));
  const retryAfterMs = seconds > 0 ? Math.min(seconds * 1_000, MAX_RETRY_AFTER_MS) : 0;
  const text = await response.text().catch(() => '');
  return new FeedError(`${url} responds with ${status}: ${explanation(status, text)}`, { status, retryAfterMs });
}

const HINTS: Record<number, string> = {
  401: 'the API key is wrong or revoked; set a key with read scope',
  403: 'the API key may not read this website; set another key',
  404: 'the website does not exist, or the URL is not that of the service',
};

/** The error in the body of the API, if it is one, and what to do. */
function explanation(status: number, text: string): string {
  let reason = '';
  try {
    const body: { error?: unknown; details?: unknown } = JSON.parse(text);
    reason = [body.error, body.details].filter((part) => typeof part === 'string').join(': ');
  } catch {
    // A proxy may have responded.
  }
  return [reason, HINTS[status] ?? ''].filter((part) => part !== '').join('; ') || 'no explanation';
}

/** Errors of `fetch` and of its stream, whose reason is in their cause. */
function toFeedError({ url }: FeedSource, error: unknown): FeedError | FeedFormatError {
  if (error instanceof FeedError || error instanceof FeedFormatError) return error;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const reason = cause instanceof Error ? cause.message || cause.name : String(cause);
  return new FeedError(`${url}: ${reason}`, { cause: error });
}

async function* withFeedErrors<T>(values: AsyncGenerator<T>, source: FeedSource): AsyncGenerator<T> {
  try {
    yield* values;
  } catch (error) {
    throw toFeedError(source, error);
  }
}

function openTransfer(outer: AbortSignal) {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const abort = (): void => controller.abort(outer.reason);
  if (outer.aborted) abort();
  outer.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    /** Aborts if it is not called again within `ms`. A connection that has broken silently sends no error. */
    expectWithin(ms: number) {
      clearTimeout(timer);
      timer = setTimeout(() => controller.abort(new Error(`nothing arrived for ${ms / 1_000} s`)), ms);
    },
    close() {
      clearTimeout(timer);
      outer.removeEventListener('abort', abort);
      controller.abort(new Error('the transfer has ended'));
    },
  };
}
