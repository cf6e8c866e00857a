import { z } from 'zod';
import { createDeployment } from '../../deployments/create.ts';
import { listDeployments, requireDeployment } from '../../deployments/deployment.ts';
import { diffDeployment } from '../../deployments/diff.ts';
import { promote } from '../../deployments/promote.ts';
import { rollBack } from '../../deployments/rollback.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { bodyObject, pathText, queryInteger, queryObject } from '../../http/fields.ts';
import { diffJson } from '../../http/diff-json.ts';
import { sendStream } from '../../http/stream.ts';
import type { Api } from '../../http/zod.ts';
import { ENVIRONMENTS } from '../../vocabulary/environment.ts';
import { requireWebsite } from '../../websites/website.ts';
import { websiteIdOf } from './website-id.ts';
import { deploymentBody } from './wire.ts';

const EnvironmentName = z.enum(ENVIRONMENTS);
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

  app.post('/deployments', { schema: { body: CreateBody } }, async ({ actor, body }, reply) => {
    const websiteId = websiteIdOf(body.website_id);
    const deployment = await createDeployment(db, actor, { websiteId, environment: body.environment });
    deps.committed();
    return reply.code(202).send({ deployment: deploymentBody(deployment) });
  });

  app.post('/deployments/rollback', { schema: { body: RollbackBody } }, async ({ actor, body }, reply) => {
    const websiteId = websiteIdOf(body.website_id);
    const { environment, version } = body;
    const deployment = await rollBack(db, actor, { websiteId, environment, version });
    deps.committed();
    return reply.code(202).send({ deployment: deploymentBody(deployment) });
  });

  app.post('/deployments/promote', { schema: { body: PromoteBody } }, async ({ actor, body }, reply) => {
    const websiteId = websiteIdOf(body.website_id);
    const deployment = await promote(db, actor, { websiteId, from: body.from, to: body.to });
    deps.committed();
    return reply.code(202).send({ deployment: deploymentBody(deployment) });
  });

  app.get('/deployments', { schema: { querystring: ListQuery } }, async ({ actor, query }) => {
    const websiteId = query.website_id === undefined ? undefined : websiteIdOf(query.website_id);
    if (websiteId !== undefined) await requireWebsite(db, actor, websiteId);
    const deployments = await listDeployments(db, actor, { ...query, websiteId });
    return { deployments: deployments.map(deploymentBody) };
  });

  app.get(
    '/deployments/diff',
    { exposeHeadRoute: false, schema: { querystring: DiffQuery } },
    async ({ actor, query }, reply) => {
      const websiteId = websiteIdOf(query.website_id);
      const diff = await diffDeployment(deps.streams, actor, { ...query, websiteId });
      return sendStream(reply.type('application/json; charset=utf-8'), diffJson(diff, String));
    },
  );

  app.get(
    '/deployments/:id',
    { schema: { params: z.object({ id: pathText }) } },
    async ({ actor, params }) => ({
      deployment: deploymentBody(await requireDeployment(db, actor, params.id)),
    }),
  );
}
