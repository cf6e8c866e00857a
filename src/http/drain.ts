import type { FastifyInstance } from 'fastify';

/** Time that requests in flight have after the stop signal. */
const DRAIN_MS = 8_000;
const CLOSE_IDLE_EVERY_MS = 50;

/** Closes the app: waits for requests in flight, and closes their connections after 8 s. */
export async function drain(app: FastifyInstance): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS);
  // Keep-alive: after its response a connection stays open for the next request, which must not come.
  const idle = setInterval(() => app.server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
  await app.close();
  clearInterval(idle);
  clearTimeout(timer);
}
