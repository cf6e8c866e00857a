import { z } from 'zod';
import { createDeployment, promote, rollBack } from '../../deployments/publish/request.ts';
import { listDeployments, requireDeployment } from '../../deployments/publish/deployment.ts';
import { diffDeployment } from '../../deployments/publish/diff.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { bodyId, bodyObject, pathText, queryId, queryInteger, queryObject } from '../../http/fields.ts';
import { diffJson } from '../../http/diff-json.ts';
import { sendStream } from '../../http/stream.ts';
import type { Api } from '../../http/zod.ts';
import { requireWebsite } from '../../websites/website.ts';
import { DeploymentBody, deploymentBody, DiffBody } from './deployment-wire.ts';
import { EnvironmentName } from './website-wire.ts';

const One = z.object({ deployment: DeploymentBody });
const CreateBody = bodyObject({ website_id: bodyId, environment: EnvironmentName });
const RollbackBody = bodyObject({ website_id: bodyId, environment: EnvironmentName, version: z.int() });
const PromoteBody = bodyObject({ website_id: bodyId, from: EnvironmentName, to: EnvironmentName });
const DiffQuery = queryObject({
  website_id: queryId,
  environment: EnvironmentName,
  cursor: z.string().optional(),
});
const ListQuery = queryObject({
  website_id: queryId.optional(),
  environment: EnvironmentName.optional(),
  limit: queryInteger(1, 1_000).optional(),
});

/** POST and GET /api/deployments, POST .../rollback and .../promote, GET .../diff and .../{id}. */
export function deploymentRoutes(app: Api, deps: SurfaceDeps): void {
  const { db } = deps;
  sourceRoutes(app, deps);

  app.post(
    '/deployments',
    { config: { role: 'editor' }, schema: { body: CreateBody, response: { 202: One } } },
    async ({ actor, body }, reply) => {
      const input = { websiteId: body.website_id, environment: body.environment };
      const deployment = await createDeployment(db, actor, input);
      deps.committed();
      return reply.code(202).send({ deployment: deploymentBody(deployment) });
    },
  );

  app.get(
    '/deployments',
    {
      config: { role: 'viewer' },
      schema: {
        querystring: ListQuery,
        response: { 200: z.object({ deployments: z.array(DeploymentBody) }) },
      },
    },
    async ({ actor, query }) => {
      if (query.website_id !== undefined) await requireWebsite(db, actor, query.website_id);
      const filter = { websiteId: query.website_id, environment: query.environment, limit: query.limit };
      return { deployments: (await listDeployments(db, actor, filter)).map(deploymentBody) };
    },
  );

  app.get(
    '/deployments/diff',
    {
      config: { role: 'viewer', gives: { 'application/json': DiffBody } },
      exposeHeadRoute: false,
      schema: { querystring: DiffQuery },
    },
    async ({ actor, query }, reply) => {
      const { website_id: websiteId, environment, cursor } = query;
      const diff = await diffDeployment(deps.streams, actor, { websiteId, environment, cursor });
      return sendStream(reply.type('application/json; charset=utf-8'), diffJson(diff, Number));
    },
  );

  app.get(
    '/deployments/:id',
    { config: { role: 'viewer' }, schema: { params: z.object({ id: pathText }), response: { 200: One } } },
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
    { config: { role: 'editor' }, schema: { body: RollbackBody, response: { 202: One } } },
    async ({ actor, body }, reply) => {
      const { website_id: websiteId, environment, version } = body;
      const deployment = await rollBack(db, actor, { websiteId, environment, version });
      deps.committed();
      return reply.code(202).send({ deployment: deploymentBody(deployment) });
    },
  );

  app.post(
    '/deployments/promote',
    { config: { role: 'editor' }, schema: { body: PromoteBody, response: { 202: One } } },
    async ({ actor, body }, reply) => {
      const { website_id: websiteId, from, to } = body;
      const deployment = await promote(db, actor, { websiteId, from, to });
      deps.committed();
      return reply.code(202).send({ deployment: deploymentBody(deployment) });
    },
  );
}
