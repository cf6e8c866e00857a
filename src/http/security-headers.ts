import type { FastifyInstance } from 'fastify';

/** Headers for every answer; a surface that serves pages adds its own policy for scripts and styles. */
export function answerSecurityHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', async (_request, reply) => {
    void reply.headers({
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'same-origin',
      'Content-Security-Policy': "frame-ancestors 'none'",
    });
  });
}
