/** Health, readiness and metrics for the operator. The probes are public, without information that helps an attacker. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { SurfaceDeps } from '../../http/deps.ts';
import { createMetricsAccess } from '../../http/metrics-access.ts';
import { readiness } from '../../http/server/readiness.ts';
import { withZod } from '../../http/wire/zod.ts';
import { VERSION } from '../../platform/version.ts';
import { tlsAskRoute } from './tls-ask.ts';

const Health = z.object({
  status: z.literal('ok').describe('Always `ok`.'),
  version: z.string().describe('Version of the software.'),
});
const Ready = z.object({
  status: z.enum(['ready', 'not ready']).describe('`ready`, or `not ready` in a 503.'),
  database: z.enum(['up', 'down']).describe('`up` if the database responds and its schema is current.'),
  rulesets: z
    .enum(['current', 'snapshot'])
    .describe('`snapshot` while the process answers from its files, before it has read the database.'),
  version: z.string().describe('Version of the software.'),
});
const NotReady = Ready.extend({
  waiting_for: z.array(z.string()).describe('What the process is waiting for.'),
});

export async function ops(app: FastifyInstance, deps: SurfaceDeps): Promise<void> {
  const { config, state, metrics, readMetrics } = deps;
  const metricsAccess = createMetricsAccess(config);
  const api = withZod(app);
  tlsAskRoute(api, deps);

  api.get('/health', {
    config: { public: true },
    operationId: 'getHealth',
    tag: 'Operation',
    summary: 'Liveness probe',
    returns: 'The process is alive.',
    example: {},
    response: { 200: Health },
    handler: async () => ({ status: 'ok' as const, version: VERSION }),
  });

  api.get('/ready', {
    config: { public: true },
    operationId: 'getReadiness',
    tag: 'Operation',
    summary: 'Readiness probe',
    description:
      'Ready as long as the process answers redirects, also without its database. With `for=api`, and in a process without redirects, also if the database responds and its schema is current.',
    returns: 'The process can serve requests.',
    example: {},
    querystring: z.object({
      for: z.literal('api').optional().describe('`api`: ready only if the API can respond, which needs the database.'),
    }),
    response: { 200: Ready, 503: NotReady },
    async handler(request, reply) {
      const { waiting_for: waitingFor, ...report } = await readiness(state, request.query.for ?? 'redirects');
      if (waitingFor === undefined) return report;
      return reply
        .header('Retry-After', 1)
        .code(503)
        .send({ ...report, waitingFor });
    },
  });

  api.get('/metrics', {
    config: { public: true, gives: { 'text/plain': z.string() } },
    operationId: 'getMetrics',
    tag: 'Operation',
    summary: 'Metrics for monitoring',
    description:
      'Needs `METRICS_TOKEN` as bearer token if it is set. Otherwise responds to loopback and private addresses only.',
    returns: 'Metrics in the Prometheus text format; docs/monitoring.md lists the names.',
    errors: ['UNAUTHORIZED', 'ADDRESS_NOT_ALLOWED'],
    async handler(request, reply) {
      const problem = metricsAccess(request.headers, request.ip);
      if (problem) throw problem;
      return reply.type(metrics.contentType).send(await readMetrics());
    },
  });
}
