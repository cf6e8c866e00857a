/**
 * The part of a process that answers redirects: port, live rules in memory, probes. Imports neither Fastify nor the
 * database, so that a process serves snapshots a few hundred milliseconds after its start.
 */
import { join } from 'node:path';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import { createLiveRegistry, type LiveRegistry } from '../deployments/live/live-registry.ts';
import { loadSnapshots, type LoadedSnapshots } from '../deployments/live/read-snapshots.ts';
import { closePort, createHttpServer, openPort } from '../http/listener.ts';
import { logError } from '../http/log-error.ts';
import type { ProcessState } from '../http/readiness.ts';
import { createRequestIdReader } from '../http/trusted-proxy.ts';
import { type Clock, stopwatch } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
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

export interface Front {
  registry: LiveRegistry;
  /** responses to visitors since the start, for the metrics */
  outcomes: OutcomeTotals;
  state: ProcessState;
  server: Server;
  /** Opens the port, once, and returns the address. Throws if the port is taken. */
  open(): Promise<string>;
  /** Passes requests that are not of a managed website to `api`. Until then they get a 503, or a 421 from an edge. */
  mount(api: RequestListener): void;
  /** Reads the snapshots, once, unless they are off. Returns what the registry has from them. */
  loadSnapshots(): Promise<LoadedSnapshots>;
  /** Reads the snapshots. Opens the port if redirects can be answered from them, and returns whether. */
  serveSnapshots(): Promise<boolean>;
  /** Counts redirects, those answered so far included. The first call counts. */
  startHits(databaseUrl: string): Promise<Hits>;
  /** Offers metrics before the API is mounted, and without it. */
  offerMetrics(metrics: NonNullable<ReturnType<BareOptions['metrics']>>): void;
  /** Closes the port and drains requests for up to 8 s. The first call counts. */
  close(): Promise<void>;
  /** Writes the last hits, within `timeoutMs`. To be called after `close`. */
  stopHits(timeoutMs: number): Promise<void>;
  /** Closes the port and writes the last hits, for a process without more than this. */
  stop(): Promise<void>;
}

export interface FrontOptions {
  config: Config;
  clock: Clock;
  log: Pick<FastifyBaseLogger, 'error' | 'warn'>;
}

/** Creates the front, with the port still closed. */
export function createFront({ config, clock, log }: FrontOptions): Front {
  const serviceHosts = createServiceHosts(config);
  const registry = createLiveRegistry(serviceHosts.reserved);
  const newRequestId = createRequestIds();
  const requestId = createRequestIdReader(config, newRequestId);
  const state: ProcessState = {
    role: config.role,
    rulesets: 'snapshot',
    isStopping: false,
    databaseProblem: async () => 'the database is not connected yet',
  };
  let metrics: ReturnType<BareOptions['metrics']>;
  const clientOf = createClientReader(config);
  const metricsOf = (): typeof metrics => metrics;
  const tlsPermission = createTlsPermission({ registry, publicUrl: config.publicUrl, state });
  const otherwise = errorOf(state);
  let api = bareListener({ config, clock, requestId, state, clientOf, metrics: metricsOf, tlsPermission, otherwise });
  const early = createEarlyHits();
  const outcomes = createOutcomeTotals();
  let hits: Promise<Hits> | undefined;
  let loaded: Promise<LoadedSnapshots> | undefined;
  let opened: Promise<string> | undefined;
  let closed: Promise<void> | undefined;

  const gate = { registry, serviceHosts, state, clock, requestId, onMisdirected: outcomes.addMisdirected };
  const next = rejectMisdirected(gate, (request, response) => api(request, response));
  const onOutcome = createOutcomeCounter(early, outcomes, clientOf);
  const schemeOf = createSchemeReader(config);
  const edge: EdgeOptions = { rulesets: registry, clock, requestId, schemeOf, onOutcome };
  const listener = config.role === 'api' ? withOneHost(edge, next) : withEdge(edge, next);
  const server = createHttpServer(listener, { clock, newRequestId, requestId });
  const onError = (error: unknown): void => logError(log, error, 'background work failed; it will retry');
  const load = (): Promise<LoadedSnapshots> =>
    loadSnapshots(snapshotFolder(config), registry, (err) => log.warn({ err }, 'a snapshot cannot be used'));
  const front: Front = {
    registry,
    outcomes,
    state,
    server,
    loadSnapshots: () =>
      (loaded ??= config.snapshots ? load() : Promise.resolve({ databaseId: undefined, versions: [] })),
    async serveSnapshots() {
      const { versions } = await front.loadSnapshots();
      const canServe = versions.length > 0 && config.role !== 'api';
      if (canServe) await front.open();
      return canServe;
    },
    startHits: (databaseUrl) =>
      (hits ??= import('./hits.ts').then(({ startHits }) => startHits({ databaseUrl, config, clock, early, onError }))),
    open: () => (opened ??= openPort(server, config)),
    mount: (mounted) => void (api = mounted),
    offerMetrics: (offered) => void (metrics = offered),
    close() {
      state.isStopping = true;
      return (closed ??= closePort(server));
    },
    stopHits: async (timeoutMs) => (await hits)?.stop(timeoutMs),
    stop: () => stopEarly(front, { early, databaseUrl: config.databaseUrl, onError }),
  };
  return front;
}

/** The folder of snapshots. Processes of one machine share it. */
export const snapshotFolder = ({ dataDir }: Config): string => join(dataDir, 'rulesets');

const STARTING_RETRY_SECONDS = 1;

/**
 * Returns the error of a request that is neither for a managed website nor a probe, without an API. Before the first
 * read of the database, a host may still turn out to be a website's.
 */
function errorOf(state: ProcessState): (request: IncomingMessage) => DomainError {
  return (request) =>
    state.role === 'edge' && state.rulesets === 'current'
      ? edgeOnly(requestedHost(request))
      : new DomainError('DATABASE_UNAVAILABLE', 'The service is starting', {
          details: 'It waits for its database and answers redirects already; retry after the Retry-After delay',
          retryAfter: STARTING_RETRY_SECONDS,
        });
}

/** Time for a stop. Writing hits gets what is left of it. */
const STOP_MS = 8_500;
const MIN_LAST_HITS_MS = 500;

/** Stops a front without the rest of the process. Writes the hits, also if they have no recorder yet. */
async function stopEarly(
  front: Front,
  options: { early: EarlyHits; databaseUrl: string | null; onError: (error: unknown) => void },
): Promise<void> {
  const { early, databaseUrl, onError } = options;
  const began = stopwatch();
  await front.close();
  if (early.retained() > 0 && databaseUrl !== null) await front.startHits(databaseUrl);
  if (early.retained() > 0) onError(new Error(`${early.retained()} hits were lost: the database had not started`));
  await front.stopHits(Math.max(MIN_LAST_HITS_MS, STOP_MS - (stopwatch() - began)));
}
