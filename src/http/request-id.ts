import type { FastifyInstance } from 'fastify';
import { uuidv7 } from '../platform/ids.ts';

/** Always our own: an id that the client chose could not be trusted to find a request in the log. */
export const newRequestId = (): string => uuidv7();

export function answerRequestId(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => void reply.header('X-Request-Id', request.id));
}
