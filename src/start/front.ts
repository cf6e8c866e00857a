/**
 * The part of a process that answers redirects: port, live rules in memory, probes. Imports neither Fastify nor the
 * database, so that a process serves snapshots a few hundred milliseconds after its start.
 */
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { createLiveRegistry, type LiveRegistry } from '../deployments/live/live-registry.ts';
import { closePort, createHttpServer, openPort } from '../http/listener.ts';
import { misdirected } from '../http/plain-response.ts';
import type { ProcessState } from '../http/readiness.ts';
import type { Clock } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import { createRequestIds } from '../platform/ids.ts';
import { createSchemeReader } from '../surfaces/edge/client.ts';
import { type EdgeOptions, withEdge } from '../surfaces/edge/edge.ts';
import { withoutRedirects } from '../surfaces/edge/without-redirects.ts';
import { bareListener, type BareOptions } from '../surfaces/ops/bare-listener.ts';
import { DomainError } from '../vocabulary/error.ts';
import { hostOfHeader } from '../websites/hostname.ts';

export interface Front {
  registry: LiveRegistry;
  state: ProcessState;
  server: Server;
  /** Opens the port, once, and returns the address. Throws if the port is taken. */
  open(): Promise<string>;
  /** Passes requests that are not of a managed website to `api`. Until then they get a 503, or a 421 from an edge. */
  mount(api: RequestListener): void;
  /** Counts redirects from now on. */
  countWith(onOutcome: NonNullable<EdgeOptions['onOutcome']>): void;
  /** Offers metrics before the API is mounted, and without it. */
  offerMetrics(metrics: NonNullable<ReturnType<BareOptions['metrics']>>): void;
  /** Closes the port and drains requests for up to 8 s. The first call counts. */
  close(): Promise<void>;
}

/** Creates the front, with the port still closed. */
export function createFront({ config, clock }: { config: Config; clock: Clock }): Front {
  const registry = createLiveRegistry();
  const requestId = createRequestIds();
  const state: ProcessState = {
    role: config.role,
    rulesets: 'snapshot',
    isStopping: false,
    databaseProblem: async () => 'the database is not connected yet',
  };
  let metrics: ReturnType<BareOptions['metrics']>;
  const bare: BareOptions = { clock, requestId, state, metrics: () => metrics, otherwise: errorOf(config) };
  let api = bareListener(bare);
  let onOutcome: EdgeOptions['onOutcome'];
  let opened: Promise<string> | undefined;
  let closed: Promise<void> | undefined;

  const next: RequestListener = (request, response) => api(request, response);
  const edge: EdgeOptions = {
    rulesets: registry,
    requestId,
    schemeOf: createSchemeReader(config),
    onOutcome: (request, outcome) => onOutcome?.(request, outcome),
  };
  const listener =
    config.role === 'api' ? withoutRedirects({ registry, clock, requestId }, next) : withEdge(edge, next);
  const server = createHttpServer(listener);
  return {
    registry,
    state,
    server,
    open: () => (opened ??= openPort(server, config)),
    mount: (mounted) => void (api = mounted),
    countWith: (count) => void (onOutcome = count),
    offerMetrics: (offered) => void (metrics = offered),
    close() {
      state.isStopping = true;
      return (closed ??= closePort(server));
    },
  };
}

const STARTING_RETRY_SECONDS = 1;

/** The error of a request that is neither for a managed website nor a probe, without an API. */
function errorOf({ role }: Config): (request: IncomingMessage) => DomainError {
  if (role === 'edge')
    return ({ headers }) =>
      misdirected(hostOfHeader(headers.host ?? ''), 'redirects of managed websites only (DETOUR_ROLE=edge)');
  return () =>
    new DomainError('DATABASE_UNAVAILABLE', 'The service is starting', {
      details: 'It waits for its database and answers redirects already; retry after the Retry-After delay',
      retryAfter: STARTING_RETRY_SECONDS,
    });
}
