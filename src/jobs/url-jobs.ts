/** The jobs of the bulk thread for the URLs of a website: lists, uploads, exports and checks. */
import type { Db } from '../db/connection/client.ts';
import type { LiveRules } from '../deployments/live/live-registry.ts';
import type { LiveRulesOf } from '../health/current-rules.ts';
import type { JobName, UrlCheckInput } from '../http/jobs.ts';
import { stopwatch } from '../platform/clock.ts';
import type { Precedence } from '../platform/scheduling/precedence.ts';
import type { TimeSlice } from '../platform/scheduling/time-slice.ts';
import { addUrls } from '../urls/add-urls.ts';
import { checkWebsite } from '../urls/check-website.ts';
import { deleteUrls } from '../urls/delete-urls.ts';
import { exportUrls } from '../urls/export-urls.ts';
import { fetchSitemaps } from '../urls/fetch-sitemaps.ts';
import { addKnownFromRules } from '../urls/known-from-rules.ts';
import { listUrls } from '../urls/list-urls.ts';
import { restoreList } from '../urls/lists.ts';
import { pushList } from '../urls/push-list.ts';
import type { IndexCache } from '../urls/suggest/index-cache.ts';
import { suggesterOf, suggestTargets } from '../urls/suggest/suggest-targets.ts';
import { addPart, commitUpload } from '../urls/uploads.ts';
import type { Actor } from '../vocabulary/actor.ts';
import type { Environment } from '../vocabulary/environment.ts';
import type { BulkJobsDeps, ImportDeps, Operations, Text } from './operations.ts';

export function urlOperations(
  {
    db,
    streams,
    reads,
    downloads,
    wire,
    indexes,
    precedence,
  }: BulkJobsDeps & { indexes: IndexCache; precedence: Precedence },
  importDeps: ImportDeps,
  now: Date,
  rulesOf: LiveRulesOf,
): Pick<Operations, Exclude<Extract<JobName, `${string}Url${string}`>, 'testUrls'> | 'suggestTargets'> {
  const liveAt = (at: { websiteId: number; environment: Environment }) => rulesOf(at.websiteId, at.environment);
  return {
    pushUrls: (actor, input) => pushList(importDeps, actor, input),
    addUrls: (actor, input) => addUrls(importDeps, actor, input),
    addUrlPart: (actor, input) => addPart(importDeps, actor, input),
    commitUrlUpload: (actor, input) => commitUpload(importDeps, actor, input),
    listUrls: (actor, { isStandby, ...input }) =>
      reads.read(isStandby ? 0 : undefined, (_, from) =>
        listUrls(from.streams, actor, input, { live: liveAt(input), now }),
      ),
    exportUrls: (actor, { isStandby, ...input }) =>
      reads.stream(isStandby ? 0 : undefined, (from) => exportUrls(from, actor, input, { live: liveAt(input), now })),
    deleteUrls: (actor, input) => deleteUrls(db, actor, input),
    restoreUrls: (actor, input) => restoreList(db, actor, input),
    fetchUrls: (actor, input) => fetchSitemaps({ ...importDeps, downloads }, actor, input.websiteId),
    addKnownUrls: () => addKnownFromRules(db),
    checkUrls: (actor, input) => checkUrls({ db: streams, indexes, wire }, actor, input, { live: liveAt(input), now }),
    countLostUrls: (actor, input) =>
      countLostUrls(streams, actor, input, { live: liveAt(input), now, slice: precedence.backgroundSlice() }),
    suggestTargets: (actor, input) => suggestTargets({ db: streams, indexes }, actor, input, liveAt(input)),
  };
}

async function countLostUrls(
  db: Db,
  actor: Actor,
  place: { websiteId: number; environment: Environment },
  at: { live: LiveRules | undefined; now: Date; slice: TimeSlice },
): Promise<{ lost: number; examples: string[]; version: number; durationMs: number }> {
  const startedAt = stopwatch();
  const { check } = await checkWebsite(db, actor, { ...place, against: 'live' }, at);
  const examples = await check.rows('lost', { limit: 3 });
  return {
    lost: check.counts.answers.lost,
    examples: examples.map(({ url }) => url),
    version: at.live?.version ?? 0,
    durationMs: stopwatch() - startedAt,
  };
}

async function checkUrls(
  { wire, ...deps }: Pick<BulkJobsDeps, 'db' | 'wire'> & { indexes: IndexCache },
  actor: Actor,
  input: UrlCheckInput,
  at: { live: LiveRules | undefined; now: Date },
): Promise<Text> {
  const startedAt = stopwatch();
  const found = await checkWebsite(deps.db, actor, input, at);
  const suggest = await suggesterOf(deps, actor, input, at.live);
  return wire.urlCheckText({ ...found, db: deps.db, suggest }, input, startedAt);
}
