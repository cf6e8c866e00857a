import type { FastifyInstance } from 'fastify';
import { uuidv7 } from '../platform/ids.ts';

/** Ignores a client's own id: it would not identify one request in the log. */
export const newRequestId = (): string => uuidv7();

export function addRequestId(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => void reply.header('X-Request-Id', request.id));
}

/** Headers of every response. A surface with pages sets a stricter policy for scripts and styles. */
export const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'same-origin',
  'Content-Security-Policy': "frame-ancestors 'none'",
} as const;

export function addSecurityHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', async (_request, reply) => void reply.headers(SECURITY_HEADERS));
}
