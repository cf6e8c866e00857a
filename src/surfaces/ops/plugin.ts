/** For whoever runs the service: is the process alive, can it serve. Open to all, and telling nothing that helps an attacker. */
import type { FastifyInstance } from 'fastify';
import { createDatabaseProbe } from '../../db/readiness.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { METRICS_TYPE } from '../../platform/metrics.ts';

export async function ops(app: FastifyInstance, { db, metrics, notReady }: SurfaceDeps): Promise<void> {
  const databaseProblem = createDatabaseProbe(db);

  app.get('/health', { config: { public: true } }, async () => ({ status: 'ok' }));

  app.get('/ready', { config: { public: true } }, async (_request, reply) => {
    const problem = await databaseProblem();
    const waitingFor = [...(problem === undefined ? [] : [problem]), ...(await notReady())];
    if (waitingFor.length === 0) return { status: 'ready' };
    return reply.code(503).header('Retry-After', 1).send({ status: 'not ready', waiting_for: waitingFor });
  });

  app.get('/metrics', { config: { public: true } }, async (_request, reply) =>
    reply.type(METRICS_TYPE).send(await metrics.text()),
  );
}
