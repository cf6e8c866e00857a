/**
 * Surface B: who followed which redirect. The same routes stand under /api/v1/analytics and under /v1/analytics, since the
 * specification leaves open which of the two it means; `at` is what is between the prefix of the plugin and the routes.
 */
import type { FastifyInstance } from 'fastify';
import { byKey, bySession } from '../../http/authenticate.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { answerErrors } from '../../http/errors.ts';
import { guard } from '../../http/guard.ts';
import { withZod } from '../../http/zod.ts';
import { hitRoutes } from './hits.ts';

export async function analyticsApi(
  app: FastifyInstance,
  deps: SurfaceDeps,
  at: '' | '/analytics',
): Promise<void> {
  const { db, clock, config, rateLimit, cookie } = deps;
  answerErrors(app, clock);
  guard(app, {
    authenticate: byKey(app, db, clock, bySession(db, clock, cookie)),
    rateLimit,
    publicUrl: config.publicUrl,
    challenge: 'Bearer',
    feature: 'apiAccess',
  });
  hitRoutes(withZod(app), deps, at);
}
