import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../platform/clock.ts';
import { sendError } from '../errors/errors.ts';
import type { RateLimit } from '../shares/rate-limit.ts';
import { isApiPath, securityHeaders } from './response-headers.ts';

/**
 * Responds to a URL that the router cannot decode (`/api/%zz`). It reaches no hook, so this does the work of the hooks.
 */
export async function sendFrameworkError(
  error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
  { clock, rateLimit, publicUrl }: { clock: Clock; rateLimit: Pick<RateLimit, 'spend'>; publicUrl: string },
): Promise<void> {
  void reply.headers({ 'X-Request-Id': request.id, ...securityHeaders(request.url, publicUrl) });
  try {
    if (isApiPath(request.url)) await rateLimit.spend(request, reply);
    void sendError(clock, error, request, reply);
  } catch (limitError) {
    void sendError(clock, limitError, request, reply);
  }
}
