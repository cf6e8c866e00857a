import type { FastifyInstance } from 'fastify';
import { uuidv7 } from '../platform/ids.ts';

/** Always our own: an id that the client chose could not be trusted to find a request in the log. */
export const newRequestId = (): string => uuidv7();

export function answerRequestId(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => void reply.header('X-Request-Id', request.id));
}

/** For every answer; a surface that serves pages adds its own policy for scripts and styles. */
export const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'same-origin',
  'Content-Security-Policy': "frame-ancestors 'none'",
} as const;

export function answerSecurityHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', async (_request, reply) => void reply.headers(SECURITY_HEADERS));
}
