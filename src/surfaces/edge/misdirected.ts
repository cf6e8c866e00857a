import type { IncomingMessage, RequestListener } from 'node:http';
import type { LiveRegistry } from '../../deployments/live/live-registry.ts';
import { misdirected, sendPlainError } from '../../http/errors/plain-response.ts';
import type { ProcessState } from '../../http/server/readiness.ts';
import type { Clock } from '../../platform/clock.ts';
import { absoluteForm, hostOfHeader } from '../../resolver/spelling/canonical-path.ts';
import type { DomainError } from '../../vocabulary/error.ts';
import type { ServiceHosts } from '../../websites/service-hosts.ts';

export interface MisdirectedOptions {
  registry: Pick<LiveRegistry, 'byHostname'>;
  serviceHosts: ServiceHosts;
  /** whether the process has only part of the websites */
  hasPart: boolean;
  state: ProcessState;
  clock: Clock;
  requestId: (request: IncomingMessage) => string;
  /** for the metrics */
  onMisdirected: () => void;
}

/**
 * Rejects requests for hosts that this process does not serve with 421, and passes all others to `next`. The edge
 * (edge.ts) comes first, so no visitor of a website passes here, except in a process without the edge.
 */
export function rejectMisdirected(options: MisdirectedOptions, next: RequestListener): RequestListener {
  return (request, response) => {
    const error = misdirection(options, request);
    if (!error) return next(request, response);
    options.onMisdirected();
    response.setHeader('X-Request-Id', options.requestId(request));
    sendPlainError(request, response, options.clock, error);
  };
}

function misdirection(
  { registry, serviceHosts, hasPart, state }: MisdirectedOptions,
  request: IncomingMessage,
): DomainError | undefined {
  const host = requestedHost(request);
  if (state.role === 'api' && registry.byHostname(host))
    return misdirected(host, 'another process of the service serves this host');
  // Before the first read of the database, a host may still turn out to be a website's.
  if (state.rulesets !== 'current' || serviceHosts.isServed(host) || isProbe(request)) return undefined;
  if (state.role === 'edge') return edgeOnly(host, hasPart);
  return misdirected(
    host,
    'no website serves this host; add it to the hosts of a website, or to RESERVED_HOSTS if it is a name of the service',
  );
}

/** The 421 of a process without an API, for every host that is not a website's. */
export function edgeOnly(host: string, hasPart: boolean): DomainError {
  if (hasPart)
    return misdirected(
      host,
      'this process serves only some websites, and none of them has this host; send the host to another process, or check the address',
    );
  return misdirected(host, 'no website serves this host; check the address, or add the host to a website');
}

/** The host of the target or of the Host header, in lower case, without port and final dot. */
export function requestedHost({ url = '/', headers }: IncomingMessage): string {
  const absolute = url.startsWith('/') ? undefined : absoluteForm(url);
  return hostOfHeader(absolute?.host ?? headers.host ?? '');
}

/** Load balancers probe by address, or by a name of their own. */
function isProbe({ url = '/' }: IncomingMessage): boolean {
  const [path] = (absoluteForm(url)?.target ?? url).split('?', 1);
  return path === '/health' || path === '/ready';
}
