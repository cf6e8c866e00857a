/**
 * Surface A: the key API. The guard applies to every route: a valid key (or the dashboard's session), the rate limit, a
 * plan with API access, and a write key for writes; `config` of a route overrides it.
 */
import type { FastifyInstance } from 'fastify';
import type { SurfaceDeps } from '../../http/deps.ts';
import { setErrorHandlers } from '../../http/errors/errors.ts';
import { guard } from '../../http/guard.ts';
import { withZod } from '../../http/wire/zod.ts';
import { analyticsRoutes } from './analytics.ts';
import { bulkExportRoute } from './bulk-export.ts';
import { bulkImportRoute } from './bulk-import.ts';
import { eventTypeRoutes } from './webhooks/event-types.ts';
import { downloadRoute } from './downloads.ts';
import { feedRoute } from './feed.ts';
import { hostsRoutes } from './hosts.ts';
import { reportHitsRoute } from './hits.ts';
import { checkRoutes } from './checks/checks.ts';
import { checkResultRoutes } from './checks/results.ts';
import { moveRowRoutes } from './moves/rows.ts';
import { moveRuleRoutes } from './moves/rules.ts';
import { moveExportRoute, moveImportRoute } from './moves/spreadsheet.ts';
import { syncRoute } from './sync.ts';
import { createMoveRoute } from './moves/create.ts';
import { applyMoveRoute } from './moves/apply.ts';
import { notFoundDecisionRoutes } from './moves/not-found.ts';
import { moveRoutes } from './moves/moves.ts';
import { noticeDeliveryRoutes } from './notices/notice-deliveries.ts';
import { noticeRoutes } from './notices/notices.ts';
import { acceptedLossRoutes } from './urls/accepted.ts';
import { urlCheckRoute } from './urls/check.ts';
import { urlListRoutes } from './urls/lists.ts';
import { logDaysRoute, logRoute } from './urls/logs.ts';
import { urlRoutes } from './urls/urls.ts';
import { urlPushRoutes } from './urls/push.ts';
import { urlPartRoute, urlUploadRoutes } from './urls/uploads.ts';
import { keyDialect } from '../resources/dialect.ts';
import { overviewRoute } from '../resources/overview.ts';
import { resourceRoutes } from '../resources/plugin.ts';
import { userWebsitesRoute } from '../resources/websites/user-websites.ts';

export async function keyApi(app: FastifyInstance, deps: SurfaceDeps): Promise<void> {
  setErrorHandlers(app, deps.clock);
  guard(app, deps, { credential: 'API key', feature: 'apiAccess' });
  const api = withZod(app);
  await resourceRoutes(app, deps, keyDialect);
  overviewRoute(api, deps);
  downloadRoute(api, deps);
  userWebsitesRoute(api, deps);
  eventTypeRoutes(api, '/webhooks/event-types', 'listEventTypesV1');
  analyticsRoutes(api, deps);
  bulkExportRoute(api, deps);
  feedRoute(api, deps);
  await app.register((scope) => bulkImportRoute(scope, deps));
  await app.register((scope) => syncRoute(scope, deps));
  await app.register((scope) => reportHitsRoute(scope, deps));
  await app.register((scope) => hostsRoutes(scope, deps));
  urlRoutes(api, deps);
  urlListRoutes(api, deps);
  acceptedLossRoutes(api, deps);
  urlUploadRoutes(api, deps);
  moveRowRoutes(api, deps);
  moveRuleRoutes(api, deps);
  moveExportRoute(api, deps);
  await app.register((scope) => moveImportRoute(scope, deps));
  await app.register((scope) => urlPushRoutes(scope, deps));
  await app.register((scope) => urlPartRoute(scope, deps));
  await app.register((scope) => logRoute(scope, deps));
  logDaysRoute(api, deps);
  await app.register((scope) => urlCheckRoute(scope, deps));
  checkRoutes(api, deps);
  checkResultRoutes(api, deps);
  noticeRoutes(api, deps);
  noticeDeliveryRoutes(api, deps);
  moveRoutes(api, deps);
  applyMoveRoute(api, deps);
  notFoundDecisionRoutes(api, deps);
  await app.register((scope) => createMoveRoute(scope, deps));
}
