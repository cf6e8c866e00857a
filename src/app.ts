import cookie from '@fastify/cookie';
import Fastify, { type FastifyInstance } from 'fastify';
import { readAccessChanges } from './accounts/audit.ts';
import { poolSizes } from './db/connection/pool-sizes.ts';
import { createHostChecks } from './domains/host-checks.ts';
import type { AppDeps, SurfaceDeps } from './http/deps.ts';
import { setErrorHandlers } from './http/errors/errors.ts';
import { logError } from './http/errors/log-error.ts';
import { acceptJsonOnly, limitAuthBodies, serverOptions } from './http/server/server-options.ts';
import { addRequestId, addSecurityHeaders } from './http/server/response-headers.ts';
import { rateLimitCounter } from './http/shares/rate-limit-counter.ts';
import { createRateLimit } from './http/shares/rate-limit.ts';
import { createReadShares } from './http/shares/read-shares.ts';
import { measureRequests } from './http/request-metrics.ts';
import { addOrigin, decorateRequests } from './http/request.ts';
import { createStreamShares } from './http/shares/stream-shares.ts';
import { collectRoutes } from './http/route-table.ts';
import { createVersionWaits } from './redirects/feed/version-waits.ts';
import { sessionCookie } from './http/cookies.ts';
import { analyticsApi } from './surfaces/analytics-api/plugin.ts';
import { commandPackage, dashboard, readDashboardPage } from './surfaces/dashboard/plugin.ts';
import { mailPages } from './surfaces/dashboard/mail-pages.ts';
import { docs } from './surfaces/docs/plugin.ts';
import { keyApi } from './surfaces/key-api/plugin.ts';
import { webhookApi } from './surfaces/key-api/webhooks/webhook-plugin.ts';
import { ops } from './surfaces/ops/plugin.ts';
import { sessionApi } from './surfaces/session-api/plugin.ts';

/** Builds the HTTP server: hooks of all requests, then the surfaces. */
export async function buildApp(deps: AppDeps): Promise<FastifyInstance> {
  const counter = await rateLimitCounter(deps);
  // The options need the rate limit, which needs the server. Both exist before the first request.
  const app = Fastify(serverOptions(deps, { spend: (request, reply) => rateLimit.spend(request, reply) }));
  // Runs when no new request is accepted, and before the hooks that release what requests use.
  const versionWaits = createVersionWaits(deps.rulesets, deps.metrics, {
    readChanges: (accountIds) => readAccessChanges(deps.db, accountIds),
    onError: (error) => logError(app.log, error, 'background work failed; it will retry'),
  });
  app.addHook('preClose', () => {
    versionWaits.stop();
    return deps.closePort();
  });
  app.addHook('onClose', () => counter.close());
  measureRequests(app, deps.metrics);
  const rateLimit = await createRateLimit(app, deps, counter);
  const surface: SurfaceDeps = {
    ...deps,
    rateLimit,
    cookie: sessionCookie(deps.config.cookiePrefix, deps.config.publicUrl),
    hostChecks: createHostChecks(deps.config, deps.clock),
    readShares: createReadShares(deps.db.$client.options.max),
    streamShares: createStreamShares({
      lists: deps.streams.$client.options.max,
      jobs: poolSizes(deps.config).bulk.streams,
    }),
    versionWaits,
  };

  decorateRequests(app);
  addOrigin(app, deps.clock);
  collectRoutes(app);
  limitAuthBodies(app);
  addRequestId(app);
  addSecurityHeaders(app, deps.config.publicUrl);
  const page = await readDashboardPage(surface);
  setErrorHandlers(app, deps.clock, page.sendNotFound);
  acceptJsonOnly(app);
  await app.register(cookie);

  const add = (name: string, plugin: (scope: FastifyInstance) => Promise<void>, prefix = ''): PromiseLike<unknown> =>
    app.register(async (scope) => plugin(scope.decorate('surface', name)), { prefix });
  await add('ops', (scope) => ops(scope, surface));
  await add('dashboard', (scope) => dashboard(scope, page));
  await add('dashboard', async (scope) => mailPages(scope, surface));
  await add('dashboard', (scope) => commandPackage(scope));
  await add('docs', (scope) => docs(scope, surface));
  await add('session-api', (scope) => sessionApi(scope, surface), '/api');
  await add('key-api', (scope) => keyApi(scope, surface), '/api/v1');
  await add('analytics-api', (scope) => analyticsApi(scope, surface, ''), '/api/v1/analytics');
  await add('analytics-api', (scope) => analyticsApi(scope, surface, '/analytics'), '/v1');
  await add('key-api', (scope) => webhookApi(scope, surface), '/api/webhooks');
  await app.ready();
  return app;
}
