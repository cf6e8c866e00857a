/**
 * Surface C: the session API of the dashboard. The guard applies to every route: a session, the rate limit, the same
 * origin for writes, viewers for reads and editors for writes; `config` of a route overrides it.
 */
import type { FastifyInstance } from 'fastify';
import type { SurfaceDeps } from '../../http/deps.ts';
import { setErrorHandlers } from '../../http/errors.ts';
import { guard } from '../../http/guard.ts';
import { bySession } from '../../http/authenticate.ts';
import { withZod } from '../../http/zod.ts';
import { accountDeletionRoute, userRoutes } from './account.ts';
import { auditRoutes } from './audit.ts';
import { authRoutes, confirmRoute, sessionRoutes } from './auth.ts';
import { accountRoute } from '../resources/account.ts';
import { activityRoute } from '../resources/activity.ts';
import { hostStatesRoute } from '../resources/host-states.ts';
import { fileImportRoute } from '../resources/imports/file-import.ts';
import { importErrorsRoute, importRowRoutes } from '../resources/imports/import-rows.ts';
import { importListRoute, importRoute } from '../resources/imports/imports.ts';
import { agentRoute } from '../resources/agents.ts';
import { deploymentFailureRoute } from '../resources/deployment-failures.ts';
import { changeRoutes, historyRoute, undoRoute } from '../resources/changes.ts';
import { environmentStatesRoute } from '../resources/environment-states.ts';
import { deploymentRoutes } from '../resources/deployments.ts';
import { sessionDialect } from '../resources/dialect.ts';
import { expectationBodyRoutes, expectationRoutes } from '../resources/expectations.ts';
import { eventRoutes } from '../resources/events.ts';
import { groupRoute } from '../resources/groups.ts';
import { healthRoutes } from '../resources/health.ts';
import { acceptInvitationRoute, invitationLinkRoute, invitationRoutes, passwordResetRoute } from './invitations.ts';
import { keyRoutes } from './keys.ts';
import { notFoundRoutes } from '../resources/not-found.ts';
import { redirectBulkRoutes } from '../resources/redirects/bulk.ts';
import { checkRoute } from '../resources/redirects/check.ts';
import { redirectCountRoute, redirectListRoute } from '../resources/redirects/list.ts';
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
  accountRoute(api, deps, sessionDialect);
  accountDeletionRoute(api, deps);
  userRoutes(api, deps);
  invitationRoutes(api, deps);
  passwordResetRoute(api, deps);
  invitationLinkRoute(api, deps);
  acceptInvitationRoute(api, deps);
  totpRoutes(api, deps);
  auditRoutes(api, deps);
  activityRoute(api, deps, sessionDialect);
  keyRoutes(api, deps);
  websiteRoutes(api, deps, sessionDialect);
  verifyHostRoute(api, deps, sessionDialect);
  hostStatesRoute(api, deps, sessionDialect);
  notFoundRoutes(api, deps, sessionDialect);
  healthRoutes(api, deps, sessionDialect);
  groupRoute(api, deps, sessionDialect);
  redirectListRoute(api, deps, sessionDialect);
  redirectCountRoute(api, deps, sessionDialect);
  redirectRoutes(api, deps, sessionDialect);
  restoreRoute(api, deps, sessionDialect);
  redirectBulkRoutes(api, deps, sessionDialect);
  checkRoute(api, deps, sessionDialect);
  testRoute(api, deps, sessionDialect);
  deploymentRoutes(api, deps, sessionDialect);
  deploymentFailureRoute(api, deps, sessionDialect);
  environmentStatesRoute(api, deps, sessionDialect);
  agentRoute(api, deps, sessionDialect);
  expectationRoutes(api, deps, sessionDialect);
  importRoute(api, deps, sessionDialect);
  importListRoute(api, deps, sessionDialect);
  importErrorsRoute(api, deps, sessionDialect);
  importRowRoutes(api, deps, sessionDialect);
  eventRoutes(api, deps, sessionDialect);
  changeRoutes(api, deps, sessionDialect);
  undoRoute(api, deps, sessionDialect);
  historyRoute(api, deps, sessionDialect);
  await app.register((scope) => fileImportRoute(scope, deps, sessionDialect));
  await app.register((scope) => expectationBodyRoutes(scope, deps, sessionDialect));
}
