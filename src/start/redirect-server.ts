/**
 * The part of a process that answers redirects: server, live rules in memory, probes. Imports neither Fastify nor the
 * database, so that a process serves snapshots a few hundred milliseconds after its start (serve-redirects.ts).
 */
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import { checkNonce } from '../checks/credentials.ts';
import { createLiveRegistry, type LiveRegistry } from '../deployments/live/live-registry.ts';
import type { LoadedSnapshots } from '../deployments/live/snapshots/read-snapshots.ts';
import { createHttpServer } from '../http/server/listener.ts';
import type { ProcessState } from '../http/server/readiness.ts';
import { createRequestIdReader } from '../http/server/trusted-proxy.ts';
import type { Clock } from '../platform/clock.ts';
import type { Config } from '../platform/config/config.ts';
import { createRequestIds } from '../platform/ids.ts';
import { createClientReader, createSchemeReader } from '../surfaces/edge/client.ts';
import { createOutcomeCounter } from '../surfaces/edge/count-outcomes.ts';
import { type EdgeOptions, withEdge, withOneHost } from '../surfaces/edge/edge.ts';
import { edgeOnly, rejectMisdirected, requestedHost } from '../surfaces/edge/misdirected.ts';
import { createOutcomeTotals, type OutcomeTotals } from '../surfaces/edge/outcome-totals.ts';
import { bareListener, type BareOptions } from '../surfaces/ops/bare-listener.ts';
import { createTlsPermission } from '../surfaces/ops/tls-permission.ts';
import { DomainError } from '../vocabulary/error.ts';
import { createServiceHosts } from '../websites/service-hosts.ts';
import { createEarlyHits, type EarlyHits } from './early-hits.ts';
import type { Hits } from './hits.ts';

export interface RedirectServer {
  registry: LiveRegistry;
  server: Server;
  state: ServerState;
}

/** State of a redirect server. The phases of serve-redirects.ts run once each and leave their results here. */
export interface ServerState extends ProcessState {
  /** responses to visitors since the start, for the metrics */
  outcomes: OutcomeTotals;
  early: EarlyHits;
  /** of the nonces of live checks; undefined until the database is connected */
  checkSecret?: string;
  /** Responds to requests that are not of a managed website. Before the API is mounted: 503, or 421 from an edge. */
  api: RequestListener;
  /** offered before the API is mounted, and without it */
  metrics: ReturnType<BareOptions['metrics']>;
  snapshots?: Promise<LoadedSnapshots>;
  address?: Promise<string>;
  hits?: Promise<Hits>;
  closed?: Promise<void>;
}

export interface RedirectServerOptions {
  config: Config;
  clock: Clock;
  log: Pick<FastifyBaseLogger, 'error' | 'warn'>;
}

/** Creates the server, with the port still closed. */
export function createRedirectServer({ config, clock }: RedirectServerOptions): RedirectServer {
  const serviceHosts = createServiceHosts(config);
  const registry = createLiveRegistry(serviceHosts.reserved);
  const newRequestId = createRequestIds();
  const requestId = createRequestIdReader(config, newRequestId);
  const clientOf = createClientReader(config);
  const probes: ProcessState = {
    role: config.role,
    rulesets: 'snapshot',
    isStopping: false,
    databaseProblem: async () => 'the database is not connected yet',
  };
  const [outcomes, early] = [createOutcomeTotals(), createEarlyHits()];
  const state: ServerState = Object.assign(probes, { outcomes, early, metrics: undefined, api: bareApi });
  const tlsPermission = createTlsPermission({ registry, publicUrl: config.publicUrl, state });
  const metrics = (): ServerState['metrics'] => state.metrics;
  const bare = bareListener({
    ...{ config, clock, requestId, state, clientOf, metrics, tlsPermission },
    otherwise: errorOf(state, config.edgePart !== null),
  });
  function bareApi(...args: Parameters<RequestListener>): void {
    bare(...args);
  }

  const gate = {
    registry,
    serviceHosts,
    hasPart: config.edgePart !== null,
    state,
    clock,
    requestId,
    onMisdirected: outcomes.addMisdirected,
  };
  const next = rejectMisdirected(gate, (request, response) => state.api(request, response));
  const nonceOf = (id: number) => (state.checkSecret === undefined ? undefined : checkNonce(state.checkSecret, id));
  const onOutcome = createOutcomeCounter(early, outcomes, clientOf, nonceOf);
  const schemeOf = createSchemeReader(config);
  const edge: EdgeOptions = { rulesets: registry, clock, requestId, schemeOf, onOutcome };
  const listener = config.role === 'api' ? withOneHost(edge, next) : withEdge(edge, next);
  return { registry, state, server: createHttpServer(listener, { clock, newRequestId, requestId }) };
}

const STARTING_RETRY_SECONDS = 1;

/**
 * Returns the error of a request that is neither for a managed website nor a probe, without an API. Before the first
 * read of the database, a host may still turn out to be a website's.
 */
function errorOf(state: ProcessState, hasPart: boolean): (request: IncomingMessage) => DomainError {
  return (request) =>
    state.role === 'edge' && state.rulesets === 'current'
      ? edgeOnly(requestedHost(request), hasPart)
      : new DomainError('DATABASE_UNAVAILABLE', 'The service is starting', {
          details: 'It waits for its database and answers redirects already; retry after the Retry-After delay',
          retryAfter: STARTING_RETRY_SECONDS,
        });
}
