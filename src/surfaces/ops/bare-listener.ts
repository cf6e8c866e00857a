/**
 * Health, readiness, metrics and the permission of certificates without Fastify, for a process without an API and until
 * the API is loaded. Every other request gets an error.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createMetricsAccess, type MetricsAccess } from '../../http/metrics-access.ts';
import { type ProcessState, readiness } from '../../http/server/readiness.ts';
import { sendJson, sendPlainError, sendText } from '../../http/errors/plain-response.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { VERSION } from '../../platform/version.ts';
import { type DomainError, missing } from '../../vocabulary/error.ts';
import { allowed, TLS_ASK_PATH, type TlsPermission } from './tls-permission.ts';

export interface BareOptions {
  clock: Clock;
  /** the X-Request-Id of a request */
  requestId: (request: IncomingMessage) => string;
  state: ProcessState;
  config: Pick<Config, 'metricsToken' | 'trustProxy'>;
  /** the client, by TRUST_PROXY */
  clientOf: (request: IncomingMessage) => { address: string };
  /** undefined while there are no metrics yet */
  metrics: () => { contentType: string; read: () => Promise<string> } | undefined;
  tlsPermission: TlsPermission;
  /** the error of every other request */
  otherwise: (request: IncomingMessage) => DomainError;
}

export function bareListener(options: BareOptions): RequestListener {
  const access = createMetricsAccess(options.config);
  return (request, response) => {
    response.setHeader('X-Request-Id', options.requestId(request));
    // A rejection is a defect: the connection then ends without a response.
    respond({ ...options, access }, request, response).catch(() => response.destroy());
  };
}

async function respond(
  options: BareOptions & { access: MetricsAccess },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { clock, state, otherwise } = options;
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const [path, query = ''] = (request.url ?? '').split('?', 2);
  if (isRead && path === '/health') return sendJson(request, response, 200, { status: 'ok', version: VERSION });
  if (isRead && path === '/ready') {
    const isForApi = new URLSearchParams(query).get('for') === 'api';
    const report = await readiness(state, isForApi ? 'api' : 'redirects');
    if (report.status !== 'ready') response.setHeader('Retry-After', 1);
    return sendJson(request, response, report.status === 'ready' ? 200 : 503, report);
  }
  if (isRead && path === TLS_ASK_PATH) {
    const domain = new URLSearchParams(query).get('domain');
    const problem = domain ? options.tlsPermission(domain) : missing('domain');
    if (problem) return sendPlainError(request, response, clock, problem);
    return sendJson(request, response, 200, allowed(domain ?? ''));
  }
  const metrics = isRead && path === '/metrics' ? options.metrics() : undefined;
  if (!metrics) return sendPlainError(request, response, clock, otherwise(request));
  const problem = options.access(request.headers, options.clientOf(request).address);
  if (problem) return sendPlainError(request, response, clock, problem);
  sendText(request, response, 200, metrics.contentType, await metrics.read());
}
