import { z } from 'zod';
import { DIFF_FILTERS } from '../../../deployments/publish/versions/diff.ts';
import { type Deployment, listDeployments, requireDeployment } from '../../../deployments/publish/deployment.ts';
import { createDeployment, promote, rollBack } from '../../../deployments/publish/request.ts';
import type { SurfaceDeps } from '../../../http/deps.ts';
import {
  bodyObject,
  EnvironmentName,
  opaqueId,
  pageParameters,
  queryBoolean,
  queryObject,
  staleness,
  searchText,
  Timestamp,
  VERSION_CHOICE,
  versionChoice,
  versionChoiceOrNone,
} from '../../../http/wire/fields.ts';
import { sendStream } from '../../../http/stream.ts';
import { EXAMPLE_IDS } from '../../../http/route-docs.ts';
import type { Api } from '../../../http/wire/zod.ts';
import { requireWebsiteRow } from '../../../websites/website.ts';
import { diffSchema } from './deployment-diff.ts';
import { deploymentBody, deploymentSchema, force, max_removals, note } from './deployment-wire.ts';
import type { Actor } from '../../../vocabulary/actor.ts';
import type { ErrorCode } from '../../../vocabulary/error.ts';
import type { Dialect } from '../dialect.ts';

const DEPLOY_ERRORS: readonly ErrorCode[] = ['WEBSITE_NOT_FOUND', 'VALIDATION_ERROR', 'TOO_MANY_REMOVALS', 'BUSY'];

/** GET, POST /deployments; POST /deployments/rollback, /promote; GET /deployments/diff, /{id}. */
export function deploymentRoutes(app: Api, deps: SurfaceDeps, dialect: Dialect): void {
  const { db, reads } = deps;
  const Deployment = deploymentSchema(dialect);
  const List = z.object({ deployments: z.array(Deployment).describe('The deployments.') });

  publishRoutes(app, deps, dialect);
  diffRoute(app, deps, dialect);

  app.get('/deployments', {
    ...dialect.operation('listDeployments', 'deployments'),
    summary: 'List deployments',
    returns: 'The deployments, newest first.',
    errors: ['WEBSITE_NOT_FOUND'],
    example: { query: { website_id: dialect.writeId(1), environment: 'staging', limit: 1 } },
    querystring: queryObject({
      website_id: dialect.websiteId.query.optional().describe('Only deployments of this website.'),
      environment: EnvironmentName.optional().describe('Only deployments of this environment.'),
      created_since: Timestamp.optional().describe('Only deployments that were created then or later.'),
      created_before: Timestamp.optional().describe('Only deployments that were created before this time.'),
      limit: pageParameters(1_000).limit,
      ...staleness,
    }),
    response: { 200: List },
    async handler({ actor, query: { websiteId: id, maxStaleness, ...query } }) {
      const websiteId = id === undefined ? undefined : dialect.websiteId.read(id);
      if (websiteId !== undefined) await requireWebsiteRow(db, actor, websiteId);
      const filter = { websiteId, ...query };
      const deployments = await reads.read(maxStaleness, (from) => listDeployments(from, actor, filter));
      return { deployments: deployments.map((deployment) => deploymentBody(actor, deployment)) };
    },
  });

  app.get('/deployments/:id', {
    ...dialect.operation('getDeployment', 'deployments'),
    summary: 'Show a deployment',
    returns: 'The deployment.',
    errors: ['DEPLOYMENT_NOT_FOUND'],
    example: { path: { id: EXAMPLE_IDS.deployment } },
    params: z.object({
      id: opaqueId('DEPLOYMENT_NOT_FOUND', 'Deployment').describe('The id of the deployment, `dep_...`.'),
    }),
    response: { 200: z.object({ deployment: Deployment.describe('The deployment.') }) },
    handler: async ({ actor, params }) => ({
      deployment: deploymentBody(actor, await requireDeployment(db, actor, params.id)),
    }),
  });
}

/**
 * The routes that queue a deployment: of the current redirects, of an earlier version, of another environment's
 * version.
 */
function publishRoutes(app: Api, deps: SurfaceDeps, dialect: Dialect): void {
  const { db } = deps;
  const website_id = dialect.websiteId.body;
  const inputOf = <Body extends { websiteId: number | string; force?: boolean | undefined }>(body: Body) => ({
    ...body,
    websiteId: dialect.websiteId.read(body.websiteId),
    forced: body.force,
  });
  const queued = async (actor: Actor, deployment: Promise<Deployment>) => {
    const body = { deployment: deploymentBody(actor, await deployment) };
    deps.committed();
    return body;
  };
  const options = { max_removals, note, force };
  const response = { 202: z.object({ deployment: deploymentSchema(dialect).describe('The deployment.') }) };
  app.post('/deployments', {
    ...dialect.operation('deploy', 'deployments'),
    summary: 'Deploy an environment',
    description:
      'Publishes the current redirects and resumes automatic deployments. With `resume: false` it fails if a rollback or promotion has stopped them.',
    returns: 'The queued deployment. It is live once its status is `completed`.',
    errors: [...DEPLOY_ERRORS, 'ENVIRONMENT_HELD'],
    example: { body: { website_id: dialect.writeId(1), environment: 'staging' } },
    body: bodyObject({
      website_id,
      environment: EnvironmentName.describe('The environment to publish to.'),
      resume: z
        .boolean()
        .optional()
        .describe(
          'Whether to deploy an environment that a rollback or promotion holds, which resumes automatic deployments. Default true.',
        ),
      ...options,
    }),
    response,
    handler: async ({ actor, body }) => queued(actor, createDeployment(db, actor, inputOf(body))),
  });
  app.post('/deployments/rollback', {
    ...dialect.operation('rollBack', 'deployments'),
    summary: 'Roll back to a version',
    description:
      'Publishes the rules of an earlier version as the next version. The redirects themselves do not change, so automatic deployments to the environment stop until the next explicit one. The last 100 versions and all of the last 90 days are available.',
    returns: 'The queued deployment.',
    errors: [...DEPLOY_ERRORS, 'VERSION_NOT_FOUND', 'VERSION_EXPIRED'],
    example: { body: { website_id: dialect.writeId(1), environment: 'staging', version: 1 } },
    body: bodyObject({
      website_id,
      environment: EnvironmentName.describe('The environment to publish to.'),
      version: z.int().describe('The version number, counted from 1 for each website and environment.'),
      ...options,
    }),
    response,
    handler: async ({ actor, body }) => queued(actor, rollBack(db, actor, inputOf(body))),
  });
  app.post('/deployments/promote', {
    ...dialect.operation('promote', 'deployments'),
    summary: 'Promote an environment',
    description:
      'Publishes the live rules of one environment as the next version of another. With `targeting: "keep"` the redirects themselves do not change, so automatic deployments to the target environment stop until the next explicit one.',
    returns: 'The queued deployment.',
    errors: DEPLOY_ERRORS,
    example: { body: { website_id: dialect.writeId(1), from: 'staging', to: 'development' } },
    body: bodyObject({
      website_id,
      from: EnvironmentName.describe('The environment whose live rules are published.'),
      to: EnvironmentName.describe('The environment to publish to.'),
      targeting: z
        .enum(['extend', 'keep'])
        .optional()
        .describe(
          'With `extend`, the redirects of the version get the environment `to` when it is published, so that the next deployment keeps them. If the current redirects then equal the version, automatic deployments go on. Default `keep`.',
        ),
      ...options,
    }),
    response,
    handler: async ({ actor, body }) => queued(actor, promote(db, actor, inputOf(body))),
  });
}

/** Streamed: a page may hold 3,000 entries. */
function diffRoute(app: Api, deps: SurfaceDeps, dialect: Dialect): void {
  app.get('/deployments/diff', {
    config: { gives: { 'application/json': diffSchema(dialect) } },
    exposeHeadRoute: false,
    ...dialect.operation('diffDeployment', 'deployments'),
    summary: 'Compare two versions, or preview a deployment',
    description:
      'Compares two versions, also of two environments; by default the live version with the current redirects. `environment=production&to=live&to_environment=staging&as_published=true` previews a promotion. Returns exact totals and up to 1,000 entries of each kind; `cursor` returns more.',
    returns: 'The rules that are added, changed and removed in `to`.',
    errors: ['WEBSITE_NOT_FOUND', 'VERSION_NOT_FOUND', 'VERSION_EXPIRED', 'BUSY'],
    example: { query: { website_id: dialect.writeId(1), environment: 'development' } },
    querystring: queryObject({
      website_id: dialect.websiteId.query,
      environment: EnvironmentName.describe('The environment.'),
      from: versionChoiceOrNone
        .optional()
        .describe(`The rules before: ${VERSION_CHOICE}, or \`none\`. Default \`live\`.`),
      to: versionChoice.optional().describe(`The rules after: ${VERSION_CHOICE}. Default \`draft\`.`),
      to_environment: EnvironmentName.optional().describe('The environment of `to`. Default `environment`.'),
      as_published: queryBoolean
        .optional()
        .describe(
          'Previews a rollback or promotion: compares with what publishing `to` would publish, without rules whose target host is no longer allowed.',
        ),
      q: searchText.optional().describe('Only rules with this text in their path or target, ignoring case.'),
      kind: z
        .enum(DIFF_FILTERS)
        .optional()
        .describe(
          'Lists only entries of this kind, or the removed ones of `not_targeted`. The counts are of all kinds.',
        ),
      cursor: pageParameters(1_000).cursor,
    }),
    async handler({ actor, query: { websiteId: id, from = 'live', to = 'draft', ...query } }, reply) {
      const input = { websiteId: dialect.websiteId.read(id), from, to, ...query };
      const diff = deps.jobs.deploymentDiff(actor, input, dialect.surface);
      return sendStream(reply.type('application/json; charset=utf-8'), deps.streamShares.jobs(actor), () => diff);
    },
  });
}
