/** Whether the keys of followers may read a website: asks the service, and remembers its response for 30 s. */
import { createHash } from 'node:crypto';
import { createBoundedCache } from '../../platform/bounded-cache.ts';
import { stopwatch } from '../../platform/clock.ts';
import { createSemaphore } from '../../platform/scheduling/semaphore.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { busy } from '../../vocabulary/error.ts';
import { nodeFetch } from '../node-fetch.ts';
import { type PassedError, readError, serviceAway } from './passed-response.ts';

/** A revoked key loses the feed within this time. */
const RIGHTS_MS = 30_000;
/** A key that was denied may have got its rights since. */
const DENIED_MS = 5_000;
const MAX_KEYS = 10_000;
/** Questions to the service at a time. Unknown keys cost it a query each. */
const AT_A_TIME = 16;
const MAX_WAITING = 1_000;
const TIMEOUT_MS = 10_000;
/** A version that never exists: the service checks the key and the website, and responds with 410 without a feed. */
const NO_VERSION = 999_999_999;

interface Verdict {
  /** by stopwatch */
  until: number;
  denied?: PassedError;
}

export type KeyRights = ReturnType<typeof createKeyRights>;

export function createKeyRights(url: string) {
  const verdicts = createBoundedCache<Verdict>(MAX_KEYS);
  const asking = new Map<string, Promise<Verdict>>();
  const withPermit = createSemaphore(AT_A_TIME);
  const timeout = { timeoutMs: TIMEOUT_MS, maxWaiting: MAX_WAITING, error: tooMany };

  async function ask(authorization: string | undefined, path: string): Promise<Verdict> {
    const response = await nodeFetch(`${url}${path}?since=${NO_VERSION}`, {
      headers: authorization === undefined ? {} : { authorization },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((error: unknown) => {
      throw serviceAway(error);
    });
    const error = await readError(response);
    const { status } = response;
    if (status === 410) return { until: stopwatch() + RIGHTS_MS };
    if (status < 400) throw serviceAway(new Error(`${url} responds with ${status}, unlike the service`));
    if (status >= 500 || status === 429) throw error;
    return { until: stopwatch() + DENIED_MS, denied: error };
  }

  return {
    /**
     * Returns for how many milliseconds the key may read the feed. Throws the error of the service if it may not, or
     * cannot be asked.
     */
    async check(authorization: string | undefined, websiteId: string, environment: Environment): Promise<number> {
      const path = `/api/v1/feeds/${encodeURIComponent(websiteId)}/${environment}`;
      const id = createHash('sha256')
        .update(`${authorization ?? ''} ${path}`)
        .digest('base64');
      let verdict = verdicts.get(id);
      if (!verdict || verdict.until <= stopwatch()) {
        const answer = asking.get(id) ?? withPermit(() => ask(authorization, path), timeout);
        asking.set(id, answer);
        verdict = await answer.finally(() => asking.delete(id));
        verdicts.set(id, verdict);
      }
      if (verdict.denied) throw verdict.denied;
      return verdict.until - stopwatch();
    },
  };
}

const tooMany = () => busy('The relay asks its service about too many keys; retry after the Retry-After delay', 5);
