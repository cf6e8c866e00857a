/** Health, readiness and metrics for the operator. Public, and without information that helps an attacker. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { createDatabaseProbe } from '../../db/migrate.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { withZod } from '../../http/zod.ts';

const Health = z.object({ status: z.literal('ok').describe('Always `ok`.') });
const Ready = z.object({ status: z.literal('ready').describe('`ready`, or `not ready` in a 503.') });
const NotReady = z.object({
  status: z.literal('not ready').describe('Always `not ready`.'),
  waiting_for: z.array(z.string()).describe('What the service is waiting for.'),
});

export async function ops(app: FastifyInstance, { db, metrics, notReady }: SurfaceDeps): Promise<void> {
  const api = withZod(app);
  const databaseProblem = createDatabaseProbe(db);

  api.get(
    '/health',
    {
      config: { public: true },
      schema: {
        operationId: 'getHealth',
        tag: 'Operation',
        summary: 'Liveness probe',
        returns: 'The process is alive.',
        example: {},
        response: { 200: Health },
      },
    },
    async () => ({
      status: 'ok' as const,
    }),
  );

  api.get(
    '/ready',
    {
      config: { public: true },
      schema: {
        operationId: 'getReadiness',
        tag: 'Operation',
        summary: 'Readiness probe',
        description: 'Ready if the database responds, its schema is current, and the rules are loaded.',
        returns: 'The process can serve requests.',
        example: {},
        response: { 200: Ready, 503: NotReady },
      },
    },
    async (_request, reply) => {
      const problem = await databaseProblem();
      const waitingFor = [...(problem === undefined ? [] : [problem]), ...(await notReady())];
      if (waitingFor.length === 0) return { status: 'ready' as const };
      return reply.code(503).header('Retry-After', 1).send({ status: 'not ready', waiting_for: waitingFor });
    },
  );

  api.get(
    '/metrics',
    {
      config: { public: true, gives: { 'text/plain': z.string() } },
      schema: {
        operationId: 'getMetrics',
        tag: 'Operation',
        summary: 'Metrics for monitoring',
        returns: 'Metrics in the Prometheus text format; docs/operations.md lists the names.',
      },
    },
    async (_request, reply) => reply.type(metrics.contentType).send(await metrics.metrics()),
  );
}
