/** Decides about unmatched paths, as one change. */
import { listMissingPaths, type MissingPathFilter } from '../../analytics/not-found.ts';
import type { LiveRulesOf } from '../../health/current-rules.ts';
import type { ImportDeps } from '../../redirects/import/engine/import-request.ts';
import type { Suggested } from '../../suggestions/suggest.ts';
import type { IndexCache } from '../../urls/suggest/index-cache.ts';
import { suggestTargets } from '../../urls/suggest/suggest-targets.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { busy, invalid } from '../../vocabulary/error.ts';
import { type Confidence, CONFIDENCES } from '../../vocabulary/moves.ts';
import { type Applied, applyDecisions } from './apply-decisions.ts';
import type { ApplyOptions, DecidedUrl } from './decided-urls.ts';

export type PathDecision =
  | { decision: 'redirect'; target: string }
  | { decision: 'gone' }
  | { decision: 'accept_suggestion'; minConfidence: Confidence };

export interface DecidePathsInput {
  websiteId: number;
  environment: Environment;
  decision: PathDecision;
  paths?: string[] | undefined;
  /** in place of paths */
  filter?: Pick<MissingPathFilter, 'noise' | 'q' | 'since'> | undefined;
  options: ApplyOptions;
}

/** Paths of one call, and of one that takes suggestions. */
export const MAX_PATHS = 10_000;
export const MAX_SUGGESTED_PATHS = 1_000;
const SUGGEST_WAIT_MS = 60_000;
const PAGE = 1_000;

/** Throws as applyDecisions, TOO_MANY_ITEMS for too many paths, and BUSY while suggestions are prepared. */
export async function decideNotFound(
  deps: ImportDeps & { indexes: IndexCache },
  actor: Actor,
  importId: string,
  input: DecidePathsInput,
  at: { live: LiveRulesOf; now: Date },
): Promise<Applied> {
  const { websiteId, options, decision } = input;
  const paths = input.paths ?? (await findPaths(deps, actor, input));
  const max = decision.decision === 'accept_suggestion' ? MAX_SUGGESTED_PATHS : MAX_PATHS;
  if (paths.length > max) {
    const message = `more than ${max.toLocaleString('en')} paths; narrow the filter, or name fewer`;
    throw invalid(input.paths ? 'paths' : 'filter', message, 'TOO_MANY_ITEMS');
  }
  // A truncated path has an ellipsis at its end, and stands for many.
  const whole = [...new Set(paths)].filter((path) => !path.endsWith('…'));
  const urls = await decidedUrls(deps, actor, input, whole, at);
  const decisions = { urls, kept: [], rules: [] };
  return applyDecisions(deps, actor, importId, { websiteId, decisions, options, at });
}

async function findPaths({ db }: ImportDeps, actor: Actor, input: DecidePathsInput): Promise<string[]> {
  const { websiteId, environment, filter = {} } = input;
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const list = { websiteId, environment, ignored: false, ...filter };
    const page = await listMissingPaths(db, actor, list, { limit: PAGE, cursor });
    found.push(...page.paths.map(({ path }) => path));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined && found.length <= MAX_PATHS);
  return found;
}

async function decidedUrls(
  deps: ImportDeps & { indexes: IndexCache },
  actor: Actor,
  { websiteId, environment, decision, options }: DecidePathsInput,
  paths: string[],
  { live }: { live: LiveRulesOf },
): Promise<DecidedUrl[]> {
  if (decision.decision !== 'accept_suggestion') {
    const target = decision.decision === 'gone' ? null : decision.target;
    return paths.map((url) => ({ url, target, statusCode: options.statusCode }));
  }
  const place = { websiteId, environment, urls: paths, waitMs: SUGGEST_WAIT_MS };
  const found = await suggestTargets(deps, actor, place, live(websiteId, environment));
  if (found.isPending) throw busy('The suggestions are being prepared; retry in a minute', 30);
  return paths.flatMap((url, index) => acceptedUrl(url, found.suggested[index], decision.minConfidence));
}

/** The decision that a suggestion stands for, if it is certain enough. */
function acceptedUrl(url: string, found: Suggested | undefined, least: Confidence): DecidedUrl[] {
  const confidence = found?.confidence ?? null;
  if (!found || confidence === null || CONFIDENCES.indexOf(confidence) < CONFIDENCES.indexOf(least)) return [];
  if (found.suggested === 'gone') return [{ url, target: null, statusCode: null }];
  const [first] = found.suggestions;
  return found.suggested === 'redirect' && first ? [{ url, target: first.target, statusCode: null }] : [];
}
