/**
 * Webhooks: the part of surface A without a version in its path. The guard is that of the surface, except for the plan:
 * after a downgrade, webhooks can still be listed, read and deleted, with a key if the plan has API access, else in the
 * dashboard. A key that is limited to websites has no access.
 */
import type { FastifyInstance } from 'fastify';
import { requireAllWebsites } from '../../../accounts/website-scope.ts';
import type { SurfaceDeps } from '../../../http/deps.ts';
import { setErrorHandlers } from '../../../http/errors/errors.ts';
import { guard, checkFeature } from '../../../http/guard.ts';
import { withZod } from '../../../http/wire/zod.ts';
import { eventTypeRoutes } from './event-types.ts';
import { webhookDeliveryRoutes } from './webhook-deliveries.ts';
import { webhookSecretRoutes, webhookRoutes } from './webhooks.ts';
import { webhookSendingRoutes } from './webhook-sending.ts';

export async function webhookApi(app: FastifyInstance, deps: SurfaceDeps): Promise<void> {
  setErrorHandlers(app, deps.clock);
  guard(app, deps, { credential: 'API key' });
  app.addHook('onRequest', async (request) => {
    if (request.caller?.session === null) checkFeature(request, 'apiAccess');
    // A webhook receives the events of every website.
    if (request.caller) requireAllWebsites(request.caller.actor, 'webhooks belong to the whole account');
  });
  const api = withZod(app);
  eventTypeRoutes(api, '/event-types', 'listEventTypes');
  webhookRoutes(api, deps);
  webhookSecretRoutes(api, deps);
  webhookDeliveryRoutes(api, deps);
  webhookSendingRoutes(api, deps);
}
