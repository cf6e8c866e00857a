/**
 * Surface B: hit analytics. The same routes are mounted under /api/v1/analytics and /v1/analytics, because the
 * specification names both prefixes. `prefix` is what this plugin adds to the prefix that it is registered with.
 */
import type { FastifyInstance } from 'fastify';
import type { SurfaceDeps } from '../../http/deps.ts';
import { setErrorHandlers } from '../../http/errors/errors.ts';
import { guard } from '../../http/guard.ts';
import { withZod } from '../../http/wire/zod.ts';
import { hitExportRoute } from './export.ts';
import { hitRoutes } from './hits.ts';

export async function analyticsApi(app: FastifyInstance, deps: SurfaceDeps, prefix: '' | '/analytics'): Promise<void> {
  setErrorHandlers(app, deps.clock);
  guard(app, deps, { credential: 'API key', feature: 'apiAccess' });
  const api = withZod(app);
  hitRoutes(api, deps, prefix);
  hitExportRoute(api, deps, prefix);
}
