import type { FastifyRequest } from 'fastify';
import { requireRole } from '../accounts/permissions.ts';

/** Methods that change nothing (RFC 9110 section 9.2.1). */
export const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/**
 * 403 where the caller's role or scope does not reach what the route needs. A route that says nothing is for viewers when it
 * reads and for editors when it writes, so that a forgotten option opens nothing.
 */
export function checkRole(request: FastifyRequest): void {
  if (!request.caller) return;
  const { role, scope } = request.routeOptions.config;
  requireRole(request.caller.actor, role ?? (SAFE_METHODS.has(request.method) ? 'viewer' : 'editor'), scope);
}
