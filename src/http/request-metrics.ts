import type { FastifyInstance } from 'fastify';
import { Counter, Histogram, type Registry } from 'prom-client';

declare module 'fastify' {
  interface FastifyInstance {
    /** name of the surface whose routes are registered on this instance, for the metrics */
    surface: string;
  }
}

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30];
/** The route of a request that no route answers: its own path would be a new series for each request. */
const NO_ROUTE = 'none';

/** Measures the responses of all routes. Call it first; a scope with another `surface` has its own name. */
export function measureRequests(app: FastifyInstance, metrics: Registry): void {
  const total = new Counter({
    name: 'detour_http_requests_total',
    help: 'Responses of the API, the dashboard and the probes; redirects have their own metric',
    labelNames: ['surface', 'method', 'route', 'status'],
    registers: [metrics],
  });
  const duration = new Histogram({
    name: 'detour_http_request_seconds',
    help: 'Time from the headers of a request to the end of its response, streams included',
    labelNames: ['surface', 'method', 'route'],
    buckets: SECONDS,
    registers: [metrics],
  });
  app.decorate('surface', 'none');
  app.addHook('onResponse', async (request, reply) => {
    const { method, server } = request;
    const labels = { surface: server.surface, method, route: request.routeOptions.url ?? NO_ROUTE };
    total.inc({ ...labels, status: reply.statusCode });
    duration.observe(labels, reply.elapsedTime / 1_000);
  });
}
