/**
 * Surface A: the key API. The guard applies to every route: a valid key (or the dashboard's session), the rate limit, a
 * plan with API access, and a write key for writes; `config` of a route overrides it.
 */
import type { FastifyInstance } from 'fastify';
import { byKey, bySession } from '../../http/authenticate.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { setErrorHandlers } from '../../http/errors.ts';
import { guard } from '../../http/guard.ts';
import { withZod } from '../../http/zod.ts';
import { analyticsRoutes } from './analytics.ts';
import { bulkExportRoute } from './bulk-export.ts';
import { bulkImportRoute } from './bulk-import.ts';
import { eventTypeRoutes } from './event-types.ts';
import { feedRoute } from './feed.ts';
import { hostsRoutes } from './hosts.ts';
import { reportHitsRoute } from './hits.ts';
import { agentRoute } from '../resources/agents.ts';
import { deploymentFailureRoute } from '../resources/deployment-failures.ts';
import { changeRoutes, historyRoute, undoRoute } from '../resources/changes.ts';
import { syncRoute } from './sync.ts';
import { environmentStatesRoute } from '../resources/environment-states.ts';
import { deploymentRoutes } from '../resources/deployments.ts';
import { keyDialect } from '../resources/dialect.ts';
import { expectationBodyRoutes, expectationRoutes } from '../resources/expectations.ts';
import { accountRoute } from '../resources/account.ts';
import { activityRoute } from '../resources/activity.ts';
import { eventRoutes } from '../resources/events.ts';
import { groupRoute } from '../resources/groups.ts';
import { healthRoutes } from '../resources/health.ts';
import { fileImportRoute } from '../resources/imports/file-import.ts';
import { importErrorsRoute, importRowRoutes } from '../resources/imports/import-rows.ts';
import { importListRoute, importRoute } from '../resources/imports/imports.ts';
import { notFoundRoutes } from '../resources/not-found.ts';
import { redirectBulkRoutes } from '../resources/redirects/bulk.ts';
import { checkRoute } from '../resources/redirects/check.ts';
import { redirectCountRoute, redirectListRoute } from '../resources/redirects/list.ts';
import { redirectRoutes, restoreRoute } from '../resources/redirects/routes.ts';
import { testRoute } from '../resources/redirects/test.ts';
import { hostStatesRoute } from '../resources/host-states.ts';
import { userWebsitesRoute } from '../resources/user-websites.ts';
import { verifyHostRoute } from '../resources/verify-host.ts';
import { websiteRoutes } from '../resources/websites.ts';

export async function keyApi(app: FastifyInstance, deps: SurfaceDeps): Promise<void> {
  const { db, clock, config, rateLimit, cookie } = deps;
  setErrorHandlers(app, clock);
  guard(app, {
    authenticate: byKey(app, db, clock, bySession(db, clock, cookie)),
    rateLimit,
    readShares: deps.readShares,
    publicUrl: config.publicUrl,
    credential: 'API key',
    feature: 'apiAccess',
  });
  const api = withZod(app);
  accountRoute(api, deps, keyDialect);
  websiteRoutes(api, deps, keyDialect);
  verifyHostRoute(api, deps, keyDialect);
  hostStatesRoute(api, deps, keyDialect);
  notFoundRoutes(api, deps, keyDialect);
  healthRoutes(api, deps, keyDialect);
  groupRoute(api, deps, keyDialect);
  redirectListRoute(api, deps, keyDialect);
  redirectCountRoute(api, deps, keyDialect);
  redirectRoutes(api, deps, keyDialect);
  restoreRoute(api, deps, keyDialect);
  redirectBulkRoutes(api, deps, keyDialect);
  checkRoute(api, deps, keyDialect);
  testRoute(api, deps, keyDialect);
  eventRoutes(api, deps, keyDialect);
  deploymentRoutes(api, deps, keyDialect);
  deploymentFailureRoute(api, deps, keyDialect);
  environmentStatesRoute(api, deps, keyDialect);
  agentRoute(api, deps, keyDialect);
  userWebsitesRoute(api, deps);
  expectationRoutes(api, deps, keyDialect);
  changeRoutes(api, deps, keyDialect);
  undoRoute(api, deps, keyDialect);
  historyRoute(api, deps, keyDialect);
  importListRoute(api, deps, keyDialect);
  importRoute(api, deps, keyDialect);
  importErrorsRoute(api, deps, keyDialect);
  importRowRoutes(api, deps, keyDialect);
  activityRoute(api, deps, keyDialect);
  eventTypeRoutes(api, '/webhooks/event-types', 'V1');
  analyticsRoutes(api, deps);
  bulkExportRoute(api, deps);
  feedRoute(api, deps);
  await app.register((scope) => fileImportRoute(scope, deps, keyDialect));
  await app.register((scope) => bulkImportRoute(scope, deps));
  await app.register((scope) => expectationBodyRoutes(scope, deps, keyDialect));
  await app.register((scope) => syncRoute(scope, deps));
  await app.register((scope) => reportHitsRoute(scope, deps));
  await app.register((scope) => hostsRoutes(scope, deps));
}
