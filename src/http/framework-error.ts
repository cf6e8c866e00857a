import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../platform/clock.ts';
import { sendError } from './errors.ts';
import type { RateLimit } from './rate-limit.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

/** Where every answer carries the rate-limit headers. */
const LIMITED = /^\/(api|v1)(\/|\?|$)/;

/** An address that the router cannot read (`/api/%zz`) reaches no hook, so what hooks do for other answers is done here. */
export async function answerFrameworkError(
  error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
  { clock, rateLimit }: { clock: Clock; rateLimit: RateLimit },
): Promise<void> {
  void reply.headers({ 'X-Request-Id': request.id, ...SECURITY_HEADERS });
  try {
    if (LIMITED.test(request.url)) await rateLimit(request, reply);
    void sendError(clock, error, request, reply);
  } catch (refused) {
    void sendError(clock, refused, request, reply);
  }
}
