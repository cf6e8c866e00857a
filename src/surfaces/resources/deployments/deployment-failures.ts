import { z } from 'zod';
import { failuresOf } from '../../../deployments/gate/failures.ts';
import { requireDeployment } from '../../../deployments/publish/deployment.ts';
import type { SurfaceDeps } from '../../../http/deps.ts';
import { opaqueId } from '../../../http/wire/fields.ts';
import { EXAMPLE_IDS } from '../../../http/route-docs.ts';
import { jsonList, sendStream } from '../../../http/stream.ts';
import type { Api } from '../../../http/wire/zod.ts';
import type { Dialect } from '../dialect.ts';
import { GateFailure } from '../expectation-wire.ts';

/** GET /deployments/{id}/failures. Streamed: each may have some KiB of text. */
export function deploymentFailureRoute(app: Api, { db, streams, streamShares }: SurfaceDeps, dialect: Dialect): void {
  const Failures = z.object({
    failures: z.array(GateFailure).describe('The failed expectations, then the lost and the hidden URLs.'),
  });
  app.get('/deployments/:id/failures', {
    config: { gives: { 'application/json': Failures } },
    exposeHeadRoute: false,
    ...dialect.operation('listDeploymentFailures', 'deployments'),
    summary: 'List the failures of a deployment',
    description:
      'A deployment to one of the `gated_environments` of the website fails if its version does not meet an expectation; to one of `url_gate`, if it loses a URL that the live version does not lose, or newly hides a living page. The list is retained as long as events.',
    returns:
      'The first 1,000 failures of each kind; an empty list if the deployment had none, or failed for another reason.',
    errors: ['DEPLOYMENT_NOT_FOUND', 'BUSY'],
    example: { path: { id: EXAMPLE_IDS.deployment } },
    params: z.object({
      id: opaqueId('DEPLOYMENT_NOT_FOUND', 'Deployment').describe('The id of the deployment, `dep_...`.'),
    }),
    async handler({ actor, params }, reply) {
      const deployment = await requireDeployment(db, actor, params.id);
      const list = () => jsonList('failures', failuresOf(streams, deployment), (failure) => failure);
      return sendStream(reply.type('application/json; charset=utf-8'), streamShares.lists(actor), list);
    },
  });
}
