import { type Db, withClient } from '../db/connection/client.ts';
import { type LiveRules, NOTHING_LIVE } from '../deployments/live/live-registry.ts';
import { failureJson } from '../deployments/gate/describe.ts';
import { createResults, readRunState } from '../deployments/gate/results.ts';
import { runExpectations, visitedSite } from '../deployments/gate/run.ts';
import { siteAgainst } from '../deployments/publish/rules-against.ts';
import type { VersionChoice } from '../deployments/publish/versions/version-choice.ts';
import { stopwatch } from '../platform/clock.ts';
import type { Actor } from '../vocabulary/actor.ts';
import type { Environment } from '../vocabulary/environment.ts';
import { busy } from '../vocabulary/error.ts';

export interface RunInput {
  websiteId: number;
  environment: Environment;
  against: VersionChoice;
  /** of the rules; default: environment. Such a run previews a promotion. */
  againstEnvironment?: Environment | undefined;
}

/** Failures written to JSON between two yields: each may have some KiB of text. */
const BATCH_SIZE = 100;

/**
 * Compares all expectations of an environment `now` with the live rules, the current ones or those of a version. Yields
 * the response body as JSON text in chunks. A run against the live rules stores its results first. `live` is undefined
 * if nothing is live. Throws as `siteAgainst`, and BUSY if the run reaches its time limit.
 */
export async function* runJson(
  db: Db,
  actor: Actor,
  input: RunInput,
  { live, now }: { live: LiveRules | undefined; now: Date },
): AsyncGenerator<string> {
  const startedAt = stopwatch();
  const { websiteId, environment, against, againstEnvironment = environment } = input;
  const results = against === 'live' && againstEnvironment === environment ? createResults() : undefined;
  const { site, rules } = await siteAgainst(db, actor, input, live);
  const state = results && (await readRunState(db, websiteId, environment));
  const visited = visitedSite(rules.ruleset, site, environment, now);
  const { passed, failed, failures, isCutShort } = await withClient(db, async (client) => {
    const result = await runExpectations(client, visited, { websiteId, environment, results });
    const version = live?.version ?? NOTHING_LIVE.version;
    if (state && !result.isCutShort) await results.store(client, { websiteId, environment, version, ...state });
    return result;
  });
  if (isCutShort) {
    const details = 'The run reached its limit of 60 s; simplify the patterns of the website, or remove expectations';
    throw busy(details, 60, 'The run takes too long');
  }
  const run = { passed, failed, duration_ms: Math.round(stopwatch() - startedAt) };
  yield `{"run":${JSON.stringify(run)},"failures":[`;
  for (let start = 0; start < failures.length; start += BATCH_SIZE) {
    const batch = failures.slice(start, start + BATCH_SIZE).map(failureJson);
    yield (start > 0 ? ',' : '') + batch.join(',');
  }
  yield ']}';
}
