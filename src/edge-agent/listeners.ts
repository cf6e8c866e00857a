/** The responses of an agent that are not for visitors of its websites: unknown hosts, probes and metrics. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';
import { createMetricsAccess } from '../http/metrics-access.ts';
import { misdirected, sendJson, sendPlainError, sendText } from '../http/errors/plain-response.ts';
import type { Clock } from '../platform/clock.ts';
import { VERSION } from '../platform/version.ts';
import { requestedHost } from '../surfaces/edge/misdirected.ts';
import { DomainError } from '../vocabulary/error.ts';
import type { FollowedWebsite } from './followed-website.ts';
import type { FollowedWebsites } from './followed-websites.ts';

export interface ListenerOptions {
  websites: Pick<FollowedWebsites, 'list' | 'awaited' | 'missingList'>;
  clock: Clock;
  requestId: (request: IncomingMessage) => string;
  isStopping: () => boolean;
}

const RETRY_SECONDS = 1;

/**
 * Responds on the visitors' port to hosts that no website has: 421, or 503 until every website has rules, because a host
 * may still turn out to be a website's. Load balancers may probe here too, by an address or another name.
 */
export function otherHosts(options: ListenerOptions & { onMisdirected: () => void }): RequestListener {
  return (request, response) => {
    response.setHeader('X-Request-Id', options.requestId(request));
    if (sendProbe(options, request, response)) return;
    if (waitingFor(options).length > 0) return sendPlainError(request, response, options.clock, starting());
    options.onMisdirected();
    const host = requestedHost(request);
    const reason = 'this agent serves only hosts of its websites; add the host to one of them, or ask another server';
    sendPlainError(request, response, options.clock, misdirected(host, reason));
  };
}

const starting = (): DomainError =>
  new DomainError('DATABASE_UNAVAILABLE', 'The agent is starting', {
    details: 'It has no rules yet and waits for its service; retry after the Retry-After delay',
    retryAfter: RETRY_SECONDS,
  });

export interface AdminOptions extends ListenerOptions {
  metrics: Registry;
  metricsToken: string | null;
}

/** Responds on the port of the operator: `/health`, `/ready` and `/metrics`. */
export function adminListener(options: AdminOptions): RequestListener {
  const access = createMetricsAccess({ metricsToken: options.metricsToken, trustProxy: false });
  return (request, response) => {
    response.setHeader('X-Request-Id', options.requestId(request));
    if (sendProbe(options, request, response)) return;
    const { clock, metrics } = options;
    if (!isRead(request, '/metrics')) {
      const details = 'This port has /health, /ready and /metrics';
      return sendPlainError(request, response, clock, new DomainError('NOT_FOUND', 'Endpoint not found', { details }));
    }
    const problem = access(request.headers, request.socket.remoteAddress ?? '');
    if (problem) return sendPlainError(request, response, clock, problem);
    metrics.metrics().then(
      (text) => sendText(request, response, 200, metrics.contentType, text),
      () => response.destroy(),
    );
  };
}

/** Responds to a probe. False if the request is not one. */
function sendProbe(options: ListenerOptions, request: IncomingMessage, response: ServerResponse): boolean {
  if (isRead(request, '/health')) {
    sendJson(request, response, 200, {
      status: 'ok',
      version: VERSION,
      websites: options.websites.list().map(describe),
    });
    return true;
  }
  if (!isRead(request, '/ready')) return false;
  const waiting = waitingFor(options);
  if (waiting.length > 0) response.setHeader('Retry-After', RETRY_SECONDS);
  sendJson(request, response, waiting.length > 0 ? 503 : 200, {
    status: waiting.length > 0 ? 'not ready' : 'ready',
    version: VERSION,
    ...(waiting.length > 0 && { waiting_for: waiting }),
  });
  return true;
}

/** Why the agent cannot answer for all its websites. */
function waitingFor({ websites, isStopping }: ListenerOptions): string[] {
  const missing = websites
    .awaited()
    .map((website) => website.state())
    .filter(({ source }) => source === 'none')
    .map(({ website, problem }) => `the rules of ${website}${problem === null ? '' : ` (${problem})`}`);
  const list = websites.missingList();
  if (list !== undefined) missing.unshift(list);
  return isStopping() ? ['the process stops', ...missing] : missing;
}

function describe(website: Pick<FollowedWebsite, 'state'>) {
  const { id, secondsBehind, website: name, ...state } = website.state();
  return {
    website: name,
    website_id: id === undefined ? null : String(id),
    ...state,
    seconds_behind: secondsBehind === undefined ? null : Math.round(secondsBehind),
  };
}

function isRead({ method, url = '' }: IncomingMessage, path: string): boolean {
  return (method === 'GET' || method === 'HEAD') && url.split('?', 1)[0] === path;
}
