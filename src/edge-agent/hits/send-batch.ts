/** Reports one batch of hits to the service. */
import { nodeFetch } from '../node-fetch.ts';
import { batchBody, type BatchName } from './hit-line.ts';

export interface HitsEndpoint {
  /** the base URL of the service */
  url: string;
  /** an API key that may read the website */
  key: string;
  websiteId: number;
  environment: string;
}

export type SendOutcome =
  /** The service has counted the batch, now or before. */
  | { kind: 'accepted' }
  /** It never will: `lines` are the invalid hits, by position; empty if the whole batch is invalid. */
  | { kind: 'rejected'; reason: string; lines: number[] }
  /** It may later; `afterMs` is when it said so. */
  | { kind: 'failed'; reason: string; afterMs: number | undefined };

const TIMEOUT_MS = 30_000;
/** The batch itself is wrong: malformed, too large, or with invalid hits. */
const REJECTED = new Set([400, 413, 415, 422]);

/** Sends the batch. Never throws. May be called again with the same batch: the service counts it once. */
export async function sendBatch(
  endpoint: HitsEndpoint,
  name: BatchName,
  lines: readonly string[],
  signal: AbortSignal,
): Promise<SendOutcome> {
  const { url, key, websiteId, environment } = endpoint;
  try {
    const response = await nodeFetch(`${url.replace(/\/+$/, '')}/api/v1/feeds/${websiteId}/${environment}/hits`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: batchBody(name, lines),
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    const body = await response.text();
    if (response.status === 200) return { kind: 'accepted' };
    const error = parseError(body);
    const reason = `the service responded ${response.status}: ${error.text}`;
    if (REJECTED.has(response.status)) return { kind: 'rejected', reason, lines: invalidLines(error.paths) };
    return { kind: 'failed', reason, afterMs: retryAfterMs(response.headers.get('retry-after')) };
  } catch (error) {
    return { kind: 'failed', reason: `the service cannot be reached: ${causeOf(error)}`, afterMs: undefined };
  }
}

const MAX_SHOWN = 300;

/** The text of an error's body and the paths of its issues. The body may be of a proxy. */
function parseError(body: string): { text: string; paths: string[] } {
  try {
    const parsed: unknown = JSON.parse(body);
    const { error, details, issues } = parsed as Record<string, unknown>;
    const text = [error, details].filter((part) => typeof part === 'string' && part !== '').join('. ');
    const paths = (Array.isArray(issues) ? issues : []).map((issue: unknown) =>
      String((issue as { path?: unknown }).path),
    );
    return { text: text.slice(0, MAX_SHOWN), paths };
  } catch {
    return { text: 'a body that is not JSON', paths: [] };
  }
}

/** Positions of the hits that issues name: 3 of `hits[3].at`. */
function invalidLines(paths: readonly string[]): number[] {
  const positions = paths.flatMap((path) => /^hits\[(\d+)\]/.exec(path)?.[1] ?? []);
  return [...new Set(positions.map(Number))];
}

const MAX_RETRY_AFTER_S = 600;

function retryAfterMs(header: string | null): number | undefined {
  const seconds = Number(header);
  return header !== null && seconds > 0 ? Math.min(seconds, MAX_RETRY_AFTER_S) * 1_000 : undefined;
}

/** fetch hides the reason of a failed connection in `cause`. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error && cause.message !== '' ? cause.message : error.message;
}
