import { z } from 'zod';
import {
  type Deployment,
  listDeployments,
  requireDeployment,
  sourceOf,
} from '../../deployments/publish/deployment.ts';
import { diffDeployment } from '../../deployments/publish/diff.ts';
import { createDeployment, promote, rollBack } from '../../deployments/publish/request.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import {
  bodyObject,
  EnvironmentName,
  pathText,
  queryInteger,
  queryObject,
  Timestamp,
} from '../../http/fields.ts';
import { sendStream } from '../../http/stream.ts';
import type { Api } from '../../http/zod.ts';
import { requireWebsite } from '../../websites/website.ts';
import { diffJson, diffSchema } from './deployment-diff.ts';
import type { Dialect, Wire } from './dialect.ts';

export function deploymentSchema<W extends Wire>({ id, suffix }: Dialect<W>) {
  return z
    .object({
      id: z.string(),
      website_id: id,
      environment: EnvironmentName,
      kind: z.enum(['automatic', 'explicit', 'rollback', 'promote']),
      status: z.enum(['queued', 'running', 'completed', 'failed']),
      source: z.object({ environment: EnvironmentName, version: z.int() }).nullable(),
      version: z.int().nullable(),
      redirect_count: z.int().nullable(),
      changes: z.object({ added: z.int(), changed: z.int(), removed: z.int() }).nullable(),
      warnings: z.array(z.object({ code: z.string(), old_paths: z.array(z.string()) })),
      created_at: Timestamp,
      started_at: Timestamp.nullable(),
      deployed_at: Timestamp.nullable(),
      error: z.string().nullable(),
    })
    .meta({ id: `Deployment${suffix}` });
}

/** GET, POST /deployments; POST /deployments/rollback, /promote; GET /deployments/diff, /{id}. */
export function deploymentRoutes(app: Api, deps: SurfaceDeps, dialect: Dialect): void {
  const { db } = deps;
  const Deployment = deploymentSchema(dialect);
  const One = z.object({ deployment: Deployment });
  const List = z.object({ deployments: z.array(Deployment) });
  const ListQuery = queryObject({
    website_id: dialect.websiteId.query.optional(),
    environment: EnvironmentName.optional(),
    limit: queryInteger(1, 1_000).optional(),
  });

  publishRoutes(app, deps, dialect);
  diffRoute(app, deps, dialect);

  app.get(
    '/deployments',
    { schema: { querystring: ListQuery, response: { 200: List } } },
    async ({ actor, query: { website_id, environment, limit } }) => {
      const websiteId = website_id === undefined ? undefined : dialect.websiteId.read(website_id);
      if (websiteId !== undefined) await requireWebsite(db, actor, websiteId);
      const deployments = await listDeployments(db, actor, { websiteId, environment, limit });
      return { deployments: deployments.map((deployment) => deploymentBody(deployment, dialect)) };
    },
  );

  app.get(
    '/deployments/:id',
    { schema: { params: z.object({ id: pathText }), response: { 200: One } } },
    async ({ actor, params }) => ({
      deployment: deploymentBody(await requireDeployment(db, actor, params.id), dialect),
    }),
  );
}

/** The routes that queue a deployment: of the current redirects, of an earlier version, of another environment's version. */
function publishRoutes(app: Api, deps: SurfaceDeps, dialect: Dialect): void {
  const { db } = deps;
  const website_id = dialect.websiteId.body;
  const { read } = dialect.websiteId;
  const response = { 202: z.object({ deployment: deploymentSchema(dialect) }) };

  const CreateBody = bodyObject({ website_id, environment: EnvironmentName });
  app.post(
    '/deployments',
    { schema: { body: CreateBody, response } },
    async ({ actor, body: { website_id, environment } }, reply) => {
      const deployment = await createDeployment(db, actor, { websiteId: read(website_id), environment });
      deps.committed();
      return reply.code(202).send({ deployment: deploymentBody(deployment, dialect) });
    },
  );

  const RollbackBody = bodyObject({ website_id, environment: EnvironmentName, version: z.int() });
  app.post(
    '/deployments/rollback',
    { schema: { body: RollbackBody, response } },
    async ({ actor, body: { website_id, environment, version } }, reply) => {
      const deployment = await rollBack(db, actor, { websiteId: read(website_id), environment, version });
      deps.committed();
      return reply.code(202).send({ deployment: deploymentBody(deployment, dialect) });
    },
  );

  const PromoteBody = bodyObject({ website_id, from: EnvironmentName, to: EnvironmentName });
  app.post(
    '/deployments/promote',
    { schema: { body: PromoteBody, response } },
    async ({ actor, body: { website_id, from, to } }, reply) => {
      const deployment = await promote(db, actor, { websiteId: read(website_id), from, to });
      deps.committed();
      return reply.code(202).send({ deployment: deploymentBody(deployment, dialect) });
    },
  );
}

/** Streamed: a page may hold 3,000 entries. */
function diffRoute(app: Api, deps: SurfaceDeps, dialect: Dialect): void {
  const DiffQuery = queryObject({
    website_id: dialect.websiteId.query,
    environment: EnvironmentName,
    cursor: z.string().optional(),
  });
  app.get(
    '/deployments/diff',
    {
      config: { gives: { 'application/json': diffSchema(dialect) } },
      exposeHeadRoute: false,
      schema: { querystring: DiffQuery },
    },
    async ({ actor, query: { website_id, environment, cursor } }, reply) => {
      const websiteId = dialect.websiteId.read(website_id);
      const diff = await diffDeployment(deps.streams, actor, { websiteId, environment, cursor });
      return sendStream(reply.type('application/json; charset=utf-8'), diffJson(diff, dialect));
    },
  );
}

function deploymentBody(deployment: Deployment, { writeId }: Dialect) {
  const { added, changed, removed } = deployment;
  return {
    id: deployment.id,
    website_id: writeId(deployment.websiteId),
    environment: deployment.environment,
    kind: deployment.kind,
    status: deployment.status,
    source: sourceOf(deployment),
    version: deployment.version,
    redirect_count: deployment.redirectCount,
    changes: added === null || changed === null || removed === null ? null : { added, changed, removed },
    warnings: deployment.warnings,
    created_at: deployment.createdAt,
    started_at: deployment.startedAt,
    deployed_at: deployment.deployedAt,
    error: deployment.error,
  };
}
