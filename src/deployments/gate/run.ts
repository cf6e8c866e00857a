import type { PoolClient } from 'pg';
import { copyRows } from '../../db/copy/copy-rows.ts';
import { stopwatch } from '../../platform/clock.ts';
import { createTimeSlice } from '../../platform/scheduling/time-slice.ts';
import type { Ruleset } from '../../resolver/ruleset.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { ownHosts, type Site } from '../live/site-registry.ts';
import { rulesetAt } from '../live/test-url.ts';
import { type Failure, failureOf, type VisitedSite } from './compare.ts';
import { RESULT_COLUMNS, type Results } from './results.ts';

/** Failures that a run lists. */
const MAX_FAILURES = 1_000;
/** 100,000 take about a second. Those that reach the most expensive patterns would take hours. */
const MAX_RUN_MS = 60_000;

export interface RunResult {
  passed: number;
  failed: number;
  /** the first 1,000, in the order of the canonical URLs */
  failures: Failure[];
  /** the run reached its time limit, so the counts are not complete */
  isCutShort: boolean;
}

/** Returns what determines the responses of a website with these rules at a time. */
export function visitedSite(ruleset: Ruleset, site: Site, environment: Environment, at: Date): VisitedSite {
  const { caseSensitive, trailingSlash, query, fallbackUrl } = site;
  const options = { caseSensitive, trailingSlash, query };
  return { ruleset: rulesetAt(ruleset, at), options, fallbackUrl, hosts: ownHosts(site, environment) };
}

/**
 * Compares all expectations of an environment with the responses of these rules. Reads them in batches, so memory stays
 * flat, and yields to the event loop. Stops after `maxMs`. `results` collects what is to be stored.
 */
export async function runExpectations(
  client: PoolClient,
  site: VisitedSite,
  { websiteId, environment, results }: { websiteId: number; environment: Environment; results?: Results | undefined },
  maxMs = MAX_RUN_MS,
): Promise<RunResult> {
  if (!Number.isSafeInteger(websiteId)) throw new Error(`not a website's id: ${websiteId}`);
  const startedAt = stopwatch();
  const slice = createTimeSlice();
  const result: RunResult = { passed: 0, failed: 0, failures: [], isCutShort: false };
  // COPY takes no parameters. An environment is one of three words.
  const query = `select url, status_code, location, final${results ? `, ${RESULT_COLUMNS}` : ''} from expectations e
    where website_id = ${websiteId} and environment = '${environment}' order by key`;
  for await (const rows of copyRows(client, query)) {
    for (const [url, statusCode, location, final, ...stored] of rows) {
      if (slice.isOver()) await slice.yield();
      if (result.isCutShort) continue;
      const expected = { statusCode: Number(statusCode), location: location ?? null, final: final ?? null };
      const failure = await failureOf(site, { url: url ?? '', ...expected }, slice);
      if (!failure) result.passed++;
      else if (++result.failed <= MAX_FAILURES) result.failures.push(failure);
      results?.add(stored, !failure, failure && result.failed <= MAX_FAILURES ? failure.actual : null);
      // The rest is read and dropped: a COPY cannot be ended early without its connection.
      result.isCutShort = stopwatch() - startedAt > maxMs;
    }
  }
  return result;
}
