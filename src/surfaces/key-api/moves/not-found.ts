import { z } from 'zod';
import { requireRole } from '../../../accounts/permissions.ts';
import { listClusters } from '../../../analytics/not-found-clusters.ts';
import { servedPaths } from '../../../analytics/not-found.ts';
import type { SurfaceDeps } from '../../../http/deps.ts';
import { bodyObject, listOf, queryObject, searchText, Timestamp } from '../../../http/wire/fields.ts';
import type { Api } from '../../../http/wire/zod.ts';
import { MAX_PATHS, MAX_SUGGESTED_PATHS, type PathDecision } from '../../../moves/apply/decide-not-found.ts';
import { invalid, missing, wrongParameter } from '../../../vocabulary/error.ts';
import type { Confidence } from '../../../vocabulary/moves.ts';
import { type StatusCode, STATUS_CODES, statusHasTarget } from '../../../vocabulary/status-code.ts';
import { keyDialect } from '../../resources/dialect.ts';
import { environment, urlParams } from '../urls/url-wire.ts';
import { AppliedBody, appliedBody, environmentsOf } from './apply-wire.ts';
import { minConfidence } from './row-wire.ts';

const NOT_FOUND = '/websites/:id/not-found';

export const ClustersBody = z.object({
  clusters: listOf('The clusters, most hits first, at most 50.', {
    folder: z.string().describe('The folder of its paths.'),
    shape: z
      .enum(['number', 'page', 'name'])
      .describe('The last segment: a number, a name with an extension, or another name.'),
    paths: z.int().describe('The number of paths.'),
    hits: z.int().describe('Hits of humans.'),
    examples: z.array(z.string()).describe('The three paths with the most hits.'),
    pattern: z.string().describe('A pattern that matches the paths of this form. Group 1 is the last segment.'),
  }),
});

const decideBody = {
  environment,
  paths: z
    .array(searchText)
    .optional()
    .describe(`The paths, 1 to ${MAX_PATHS.toLocaleString('en')}.`),
  filter: z
    .strictObject({
      noise: z.boolean().optional().describe('true: only paths that scanners request; false: none of them.'),
      q: searchText.optional().describe('Only paths that contain this text. Case is ignored.'),
      since: Timestamp.optional().describe('Only paths that were first requested then or later.'),
    })
    .optional()
    .describe('All listed paths that it finds, in place of `paths`.'),
  decision: z
    .enum(['redirect', 'gone', 'accept_suggestion'])
    .describe(
      `\`redirect\`: all lead to \`target\`. \`gone\`: 410. \`accept_suggestion\`: each leads to its first suggestion, at most ${MAX_SUGGESTED_PATHS.toLocaleString('en')} paths.`,
    ),
  target: z.string().optional().describe('The target of `redirect`.'),
  status_code: z.int().optional().describe('Default 301, and 410 for `gone`, which also takes 451.'),
  target_environments: keyDialect.environments.input.optional(),
  min_confidence: minConfidence,
  dry_run: z.boolean().default(false).describe('Shows what would happen and changes nothing. Default false.'),
};

/** POST /not-found/decide, GET /not-found/clusters. */
export function notFoundDecisionRoutes(api: Api, { db, jobs, rulesets, clock, committed }: SurfaceDeps): void {
  const shared = { tag: 'Health (key API)', params: urlParams } as const;
  api.get(`${NOT_FOUND}/clusters`, {
    config: { role: 'viewer', feature: 'analytics', forDashboard: true },
    ...shared,
    operationId: 'listPathClustersV1',
    summary: 'Group paths that no redirect matched',
    description: 'Groups unmatched paths by folder and form. A group of five paths or more may need a single pattern.',
    returns: 'The groups.',
    errors: ['WEBSITE_NOT_FOUND'],
    example: { path: { id: '1' } },
    querystring: queryObject({ environment }),
    response: { 200: ClustersBody },
    async handler({ actor, params, query }) {
      const place = { websiteId: keyDialect.websiteId.read(params.id), environment: query.environment };
      const live = rulesets.live(place.websiteId, place.environment);
      const isServed = live ? servedPaths(live, clock.now()) : () => false;
      return { clusters: await listClusters(db, actor, place, isServed) };
    },
  });

  api.post(`${NOT_FOUND}/decide`, {
    config: { role: 'viewer', feature: 'analytics', forDashboard: true },
    ...shared,
    operationId: 'decidePathsNotFoundV1',
    summary: 'Decide paths that no redirect matched',
    description:
      'Writes redirects for many unmatched paths as one change, which one undo takes back. Existing redirects with another target are conflicts. A dry run needs only a read key.',
    returns: 'What was written, and what was not.',
    errors: [
      'WEBSITE_NOT_FOUND',
      'TOO_MANY_ITEMS',
      'VALIDATION_ERROR',
      'PLAN_LIMIT_EXCEEDED',
      'BUSY',
      ...keyDialect.roleErrors,
    ],
    example: {
      path: { id: '1' },
      body: { paths: ['/old-shoes'], decision: 'redirect', target: '/shoes', dry_run: true },
    },
    body: bodyObject(decideBody),
    response: { 200: AppliedBody },
    async handler({ actor, params, body }) {
      if (!body.dryRun) requireRole(actor, 'editor');
      const { paths, filter, dryRun, environment: at } = body;
      if (paths && filter) throw wrongParameter('filter', 'must not be beside paths; send one of them');
      if (!paths && !filter) throw missing('paths', 'required, or filter; send one of them');
      if (paths?.length === 0) throw wrongParameter('paths', 'must have at least one path');
      const options = {
        environments: environmentsOf(body.targetEnvironments ?? [at]),
        groupId: undefined,
        statusCode: statusOf(body),
        ...{ expectations: false, replaces: false, flatten: false, dryRun },
      };
      const websiteId = keyDialect.websiteId.read(params.id);
      const input = { websiteId, environment: at, decision: decisionOf(body), paths, filter, options };
      const applied = await jobs.decideNotFound(actor, input);
      committed();
      return appliedBody(applied);
    },
  });
}

interface Given {
  statusCode?: number | undefined;
  decision: PathDecision['decision'];
  target?: string | undefined;
  minConfidence?: Confidence | undefined;
}

function decisionOf({ decision, target, minConfidence }: Given): PathDecision {
  if (target !== undefined && decision !== 'redirect') throw wrongParameter('target', 'applies to redirect only');
  if (minConfidence !== undefined && decision !== 'accept_suggestion')
    throw wrongParameter('min_confidence', 'applies to accept_suggestion only');
  if (decision === 'gone') return { decision };
  if (decision === 'accept_suggestion') return { decision, minConfidence: minConfidence ?? 'likely' };
  if (target === undefined) throw missing('target', 'required for redirect');
  return { decision, target };
}

/** The status of all that is written. */
function statusOf({ decision, statusCode }: Given): StatusCode {
  const isGone = decision === 'gone';
  const allowed = STATUS_CODES.filter((code) => statusHasTarget(code) !== isGone);
  const status = allowed.find((code) => code === (statusCode ?? (isGone ? 410 : 301)));
  if (status === undefined)
    throw invalid('status_code', `must be one of ${allowed.join(', ')} for ${decision}`, 'INVALID_STATUS_CODE');
  return status;
}
