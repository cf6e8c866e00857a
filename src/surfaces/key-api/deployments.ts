import { z } from 'zod';
import { createDeployment, promote, rollBack } from '../../deployments/publish/request.ts';
import { listDeployments, requireDeployment } from '../../deployments/publish/deployment.ts';
import { diffDeployment } from '../../deployments/publish/diff.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { bodyObject, pathText, queryInteger, queryObject } from '../../http/fields.ts';
import { diffJson, diffSchema } from '../../http/diff-json.ts';
import { sendStream } from '../../http/stream.ts';
import type { Api } from '../../http/zod.ts';
import { requireWebsite } from '../../websites/website.ts';
import { websiteIdOf } from './website-id.ts';
import { DeploymentBody, deploymentBody, EnvironmentName } from './wire.ts';

const One = z.object({ deployment: DeploymentBody });
const List = z.object({ deployments: z.array(DeploymentBody) });
const Diff = diffSchema(z.string()).meta({ id: 'DeploymentDiffV1' });
const CreateBody = bodyObject({ website_id: z.string(), environment: EnvironmentName });
const RollbackBody = bodyObject({ website_id: z.string(), environment: EnvironmentName, version: z.int() });
const PromoteBody = bodyObject({ website_id: z.string(), from: EnvironmentName, to: EnvironmentName });
const DiffQuery = queryObject({
  website_id: z.string(),
  environment: EnvironmentName,
  cursor: z.string().optional(),
});
const ListQuery = queryObject({
  website_id: z.string().optional(),
  environment: EnvironmentName.optional(),
  limit: queryInteger(1, 1_000).optional(),
});

/** POST and GET /api/v1/deployments, POST .../rollback and .../promote, GET .../diff and .../{id}. */
export function deploymentRoutes(app: Api, deps: SurfaceDeps): void {
  const { db } = deps;
  sourceRoutes(app, deps);

  app.post(
    '/deployments',
    { schema: { body: CreateBody, response: { 202: One } } },
    async ({ actor, body }, reply) => {
      const websiteId = websiteIdOf(body.website_id);
      const deployment = await createDeployment(db, actor, { websiteId, environment: body.environment });
      deps.committed();
      return reply.code(202).send({ deployment: deploymentBody(deployment) });
    },
  );

  app.get(
    '/deployments',
    { schema: { querystring: ListQuery, response: { 200: List } } },
    async ({ actor, query }) => {
      const websiteId = query.website_id === undefined ? undefined : websiteIdOf(query.website_id);
      if (websiteId !== undefined) await requireWebsite(db, actor, websiteId);
      const deployments = await listDeployments(db, actor, { ...query, websiteId });
      return { deployments: deployments.map(deploymentBody) };
    },
  );

  app.get(
    '/deployments/diff',
    {
      config: { gives: { 'application/json': Diff } },
      exposeHeadRoute: false,
      schema: { querystring: DiffQuery },
    },
    async ({ actor, query }, reply) => {
      const websiteId = websiteIdOf(query.website_id);
      const diff = await diffDeployment(deps.streams, actor, { ...query, websiteId });
      return sendStream(reply.type('application/json; charset=utf-8'), diffJson(diff, String));
    },
  );

  app.get(
    '/deployments/:id',
    { schema: { params: z.object({ id: pathText }), response: { 200: One } } },
    async ({ actor, params }) => ({
      deployment: deploymentBody(await requireDeployment(db, actor, params.id)),
    }),
  );
}

/** The two that publish a version that is there already. */
function sourceRoutes(app: Api, deps: SurfaceDeps): void {
  const { db } = deps;

  app.post(
    '/deployments/rollback',
    { schema: { body: RollbackBody, response: { 202: One } } },
    async ({ actor, body }, reply) => {
      const websiteId = websiteIdOf(body.website_id);
      const { environment, version } = body;
      const deployment = await rollBack(db, actor, { websiteId, environment, version });
      deps.committed();
      return reply.code(202).send({ deployment: deploymentBody(deployment) });
    },
  );

  app.post(
    '/deployments/promote',
    { schema: { body: PromoteBody, response: { 202: One } } },
    async ({ actor, body }, reply) => {
      const websiteId = websiteIdOf(body.website_id);
      const deployment = await promote(db, actor, { websiteId, from: body.from, to: body.to });
      deps.committed();
      return reply.code(202).send({ deployment: deploymentBody(deployment) });
    },
  );
}
