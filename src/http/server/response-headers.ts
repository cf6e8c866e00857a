import type { FastifyInstance } from 'fastify';
import { uuidv7 } from '../../platform/ids.ts';

export const newRequestId = (): string => uuidv7();

export function addRequestId(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => void reply.header('X-Request-Id', request.id));
}

const EVERY_RESPONSE = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'same-origin',
  'Content-Security-Policy': "frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const;

/** A year. Without subdomains, because hosts of websites may be below the service's. */
const HSTS = { 'Strict-Transport-Security': 'max-age=31536000' } as const;

/** Paths of the API. */
const API = /^\/(api|v1)(\/|\?|$)/;

export const isApiPath = (url: string): boolean => API.test(url);

/**
 * Returns the headers of a response of the service. A surface with pages sets a stricter policy for scripts and styles,
 * and a route may allow its response to be stored.
 */
export function securityHeaders(url: string, publicUrl: string): Record<string, string> {
  return {
    ...EVERY_RESPONSE,
    ...(publicUrl.startsWith('https:') && HSTS),
    ...(isApiPath(url) && { 'Cache-Control': 'no-store' }),
  };
}

export function addSecurityHeaders(app: FastifyInstance, publicUrl: string): void {
  app.addHook('onRequest', async (request, reply) => void reply.headers(securityHeaders(request.url, publicUrl)));
}
