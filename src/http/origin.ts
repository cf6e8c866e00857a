import type { FastifyInstance } from 'fastify';
import type { Clock } from '../platform/clock.ts';

const MAX_USER_AGENT = 300;

/**
 * Adds `origin` to every request, which actors carry to the audit log. When the request has ended, writes its lines of
 * the audit log to the service's log, with `audit: true`, at level info unless the log is silent.
 */
export function addOrigin(app: FastifyInstance, clock: Clock): void {
  const log = app.log.child({ audit: true }, { level: app.log.level === 'silent' ? 'silent' : 'info' });
  app.decorateRequest('origin');
  app.addHook('onRequest', async (request) => {
    const userAgent = request.headers['user-agent']?.slice(0, MAX_USER_AGENT) ?? null;
    request.origin = { address: request.ip, userAgent, at: clock.now(), audited: [] };
  });
  app.addHook('onResponse', async ({ origin, id }, { statusCode }) => {
    // After an unexpected error, the transaction may have been rolled back.
    if (statusCode >= 500) return;
    for (const line of origin.audited) log.info({ ...line, request_id: id }, 'audit');
  });
}
