/**
 * Surface C: the session API of the dashboard. The guard applies to every route: a session, the rate limit, the same
 * origin for writes, viewers for reads and editors for writes; `config` of a route overrides it.
 */
import multipart from '@fastify/multipart';
import type { FastifyInstance } from 'fastify';
import type { SurfaceDeps } from '../../http/deps.ts';
import { setErrorHandlers } from '../../http/errors.ts';
import { guard } from '../../http/guard.ts';
import { bySession } from '../../http/authenticate.ts';
import { withZod } from '../../http/zod.ts';
import { accountDeletionRoute, accountRoutes, userRoutes } from './account.ts';
import { auditRoutes } from './audit.ts';
import { authRoutes, confirmRoute, sessionRoutes } from './auth.ts';
import { importRoute } from '../resources/imports.ts';
import { deploymentFailureRoute } from '../resources/deployment-failures.ts';
import { deploymentRoutes } from '../resources/deployments.ts';
import { sessionDialect } from '../resources/dialect.ts';
import { expectationBodyRoutes, expectationRoutes } from '../resources/expectations.ts';
import { eventRoutes } from './events.ts';
import { healthRoutes } from './health.ts';
import { acceptInvitationRoute, invitationLinkRoute, invitationRoutes } from './invitations.ts';
import { keyRoutes } from './keys.ts';
import { notFoundRoutes } from './not-found.ts';
import { redirectBulkRoutes } from './redirect-bulk.ts';
import { csvImportRoute } from './csv-import.ts';
import { importErrorsRoute, importRowRoutes } from './import-rows.ts';
import { redirectCountRoute, redirectListRoute } from './redirect-list.ts';
import { checkRoute } from '../resources/redirects/check.ts';
import { redirectRoutes, restoreRoute } from '../resources/redirects/routes.ts';
import { testRoute } from '../resources/redirects/test.ts';
import { totpRoutes } from './totp.ts';
import { verifyHostRoute } from '../resources/verify-host.ts';
import { websiteRoutes } from '../resources/websites.ts';

export async function sessionApi(app: FastifyInstance, deps: SurfaceDeps): Promise<void> {
  setErrorHandlers(app, deps.clock);
  guard(app, {
    authenticate: bySession(deps.db, deps.clock, deps.cookie),
    rateLimit: deps.rateLimit,
    readShares: deps.readShares,
    publicUrl: deps.config.publicUrl,
    credential: 'session cookie',
  });
  const api = withZod(app);
  authRoutes(api, deps);
  confirmRoute(api, deps);
  sessionRoutes(api, deps);
  accountRoutes(api, deps);
  accountDeletionRoute(api, deps);
  userRoutes(api, deps);
  invitationRoutes(api, deps);
  invitationLinkRoute(api, deps);
  acceptInvitationRoute(api, deps);
  totpRoutes(api, deps);
  auditRoutes(api, deps);
  keyRoutes(api, deps);
  websiteRoutes(api, deps, sessionDialect);
  verifyHostRoute(api, deps, sessionDialect);
  notFoundRoutes(api, deps);
  healthRoutes(api, deps);
  redirectListRoute(api, deps);
  redirectCountRoute(api, deps);
  redirectRoutes(api, deps, sessionDialect);
  restoreRoute(api, deps, sessionDialect);
  redirectBulkRoutes(api, deps);
  checkRoute(api, deps, sessionDialect);
  testRoute(api, deps, sessionDialect);
  deploymentRoutes(api, deps, sessionDialect);
  deploymentFailureRoute(api, deps, sessionDialect);
  expectationRoutes(api, deps, sessionDialect);
  importRoute(api, deps, sessionDialect);
  importErrorsRoute(api, deps);
  importRowRoutes(api, deps);
  eventRoutes(api, deps);
  // A separate scope: only the import accepts forms.
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    await scope.register(multipart);
    csvImportRoute(withZod(scope), deps);
  });
  await app.register((scope) => expectationBodyRoutes(scope, deps, sessionDialect));
}
