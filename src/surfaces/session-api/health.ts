import { z } from 'zod';
import { LEFT } from '../../health/flat-target.ts';
import { flattenChains } from '../../health/flatten.ts';
import { reportHealth } from '../../health/report.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { EnvironmentName, bodyObject, pathId, queryObject } from '../../http/fields.ts';
import { sendStream } from '../../http/stream.ts';
import type { Api } from '../../http/zod.ts';
import { flattenedBody, HealthBody, healthJson } from './health-wire.ts';

const Params = z.object({ id: pathId('WEBSITE_NOT_FOUND', 'Website') });
const Query = queryObject({
  environment: EnvironmentName.default('production'),
  cursor: z.string().optional(),
});
const FlattenBody = bodyObject({ environment: EnvironmentName, dry_run: z.boolean().optional() });
const Reasons = Object.keys(LEFT);
const Flattened = z.object({
  updated: z.int(),
  left_count: z.int(),
  left: z.array(z.object({ redirect_id: z.int(), reason: z.enum(Reasons), message: z.string() })),
  message: z.string(),
});

/** GET /api/websites/{id}/health and POST .../health/flatten. */
export function healthRoutes(app: Api, deps: SurfaceDeps): void {
  const { db, streams, rulesets } = deps;

  app.get(
    '/websites/:id/health',
    {
      config: { role: 'viewer', gives: { 'application/json': HealthBody } },
      exposeHeadRoute: false,
      schema: { params: Params, querystring: Query },
    },
    async ({ actor, params, query }, reply) => {
      const { environment, cursor } = query;
      const input = { websiteId: params.id, environment, cursor };
      const report = await reportHealth({ db: streams, rulesets }, actor, input);
      return sendStream(reply.type('application/json; charset=utf-8'), healthJson(report));
    },
  );

  app.post(
    '/websites/:id/health/flatten',
    {
      config: { role: 'editor' },
      schema: { params: Params, body: FlattenBody, response: { 200: Flattened } },
    },
    async ({ actor, params, body }) => {
      const input = {
        websiteId: params.id,
        environment: body.environment,
        dryRun: body.dry_run ?? false,
      };
      const flattened = await flattenChains({ db: streams, writes: db, rulesets }, actor, input);
      if (!input.dryRun) deps.committed();
      return flattenedBody(flattened, input.dryRun);
    },
  );
}
