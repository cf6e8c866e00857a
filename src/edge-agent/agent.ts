/** The composition of an edge agent: the service's edge and registry, filled from feeds instead of a database. */
import { chmodSync, mkdirSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { createLiveRegistry, type LiveRegistry } from '../deployments/live/live-registry.ts';
import type { FeedRules } from '../feed-client/feed-rules.ts';
import { closePort, createHttpServer, openPort } from '../http/server/listener.ts';
import { createRequestIdReader } from '../http/server/trusted-proxy.ts';
import { type Clock, stopwatch } from '../platform/clock.ts';
import { createRequestIds } from '../platform/ids.ts';
import type { Log } from '../platform/log/log.ts';
import { takeFolderLock } from '../platform/process/folder-lock.ts';
import { lastHitsMs } from '../platform/process/stop-times.ts';
import { createClientReader, createSchemeReader } from '../surfaces/edge/client.ts';
import { createOutcomeCounter } from '../surfaces/edge/count-outcomes.ts';
import { withEdge } from '../surfaces/edge/edge.ts';
import { createOutcomeTotals } from '../surfaces/edge/outcome-totals.ts';
import type { Environment } from '../vocabulary/environment.ts';
import { createCopyWriter } from './copy-writer.ts';
import { openWebsiteNames } from './find-website.ts';
import { createFollowedWebsite } from './followed-website.ts';
import { createFollowedWebsites, type FollowedWebsites } from './followed-websites.ts';
import { adminListener, otherHosts } from './listeners.ts';
import { createAgentMetrics } from './agent-metrics.ts';
import type { AgentOptions, ListenAddress } from './options.ts';
import { createRelay } from './relay/relay.ts';
import type { Site } from '../deployments/live/site-registry.ts';
import type { FeedHost, FeedOptions } from '../feed-client/feed-lines.ts';

export interface Agent {
  /** where visitors are answered, such as http://127.0.0.1:8080 */
  address: string;
  /** where the probes and the metrics are; undefined: nowhere */
  adminAddress: string | undefined;
  /** where other agents follow this one; undefined: nowhere */
  relayAddress: string | undefined;
  /** Closes the ports, drains requests, and writes the disk copies and the last hits. */
  stop(): Promise<void>;
}

export interface AgentDeps {
  clock: Clock;
  log: Pick<Log, 'warn' | 'error'>;
}

/** Serves the disk copies at once, then follows the feeds. Throws one line if a port or the data folder is in use. */
export async function startAgent(options: AgentOptions, { clock, log }: AgentDeps): Promise<Agent> {
  const release = openDataFolder(options.dataDir);
  const onError = (err: unknown): void => log.error({ err }, 'background work failed; it will retry');
  const onRelayError = (err: unknown): void => log.error({ err }, 'a request of a follower failed');
  const copies = createCopyWriter({ dir: options.dataDir, clock, onError });
  const names = await openWebsiteNames(options.dataDir, options);
  const registry = createLiveRegistry();
  const served = createServed(registry);
  const websites = createFollowedWebsites({
    wanted: options.websites,
    names,
    log,
    create: (wanted) => createFollowedWebsite({ wanted, agent: options, names, copies, clock, log, serve: served.set }),
    remove: served.remove,
  });
  const outcomes = createOutcomeTotals();
  const newRequestId = createRequestIds();
  const requestId = createRequestIdReader(options, newRequestId);
  const malformed = { clock, newRequestId, requestId };
  const probe = { websites, clock, requestId, isStopping: () => stopped !== undefined };
  const visitors = createHttpServer(
    withEdge(
      {
        rulesets: registry,
        clock,
        requestId,
        schemeOf: createSchemeReader(options),
        onOutcome: createOutcomeCounter(hitsOf(websites), outcomes, createClientReader(options), websites.nonceOf),
      },
      otherHosts({ ...probe, onMisdirected: outcomes.addMisdirected }),
    ),
    malformed,
  );
  const relay = options.relay
    ? createRelay({ agent: options, websites, registry, malformed, onError: onRelayError })
    : undefined;
  const metrics = createAgentMetrics({ registry, outcomes, websites, relay });
  const admin = createHttpServer(adminListener({ ...probe, metrics, metricsToken: options.metricsToken }), malformed);
  let stopped: Promise<void> | undefined;

  async function stop(): Promise<void> {
    const startedAt = stopwatch();
    await Promise.all([closePort(visitors), relay?.stop()]);
    const leftMs = lastHitsMs(stopwatch() - startedAt, 'agentHits');
    await Promise.all([websites.stop(leftMs), copies.stop(), closePort(admin)]);
    release();
  }

  try {
    await websites.loadCopies();
    const address = await open(visitors, options.listen, '--listen');
    const adminAddress = options.adminListen ? await open(admin, options.adminListen, '--admin-listen') : undefined;
    const relayAddress = relay && options.relay ? await open(relay.server, options.relay, '--relay') : undefined;
    websites.start();
    copies.start();
    return { address, adminAddress, relayAddress, stop: () => (stopped ??= stop()) };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Creates the folder, closed to other users, and locks it: two agents would send each other's hits. */
function openDataFolder(dataDir: string): () => void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    chmodSync(dataDir, 0o700);
  } catch (cause) {
    throw new Error(`cannot use the data folder ${dataDir}: pass --data with a folder that this user can write`, {
      cause,
    });
  }
  return takeFolderLock(join(dataDir, 'lock'), dataDir, 'pass --data with another folder');
}

async function open(server: Server, at: ListenAddress, option: string): Promise<string> {
  return openPort(server, at).catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${reason}: pass ${option} with an address that is free and belongs to this machine`, { cause });
  });
}

/** Puts rules of a feed into the registry. The options of a website are those of its last feed, of any environment. */
function createServed(registry: LiveRegistry) {
  const feeds = new Map<number, Map<Environment, FeedRules>>();
  function set(id: number, environment: Environment, rules: FeedRules): void {
    const { head, ruleset } = rules;
    const ofWebsite = feeds.get(id) ?? new Map<Environment, FeedRules>();
    feeds.set(id, ofWebsite.set(environment, rules));
    const pointer = { rulesEnv: environment, rulesRev: 0, rulesMaxId: 0, targetHosts: null };
    registry.setRules(id, environment, { ...pointer, version: head.version, history: head.history ?? '', ruleset });
    registry.setSite({
      id,
      accountId: 0,
      ...siteOptions(head.options),
      hosts: [...ofWebsite].flatMap(([of, feed]) => feed.head.options.hosts.map((host) => siteHost(host, of))),
    });
  }
  return {
    set,
    remove(id: number): void {
      feeds.delete(id);
      registry.remove(id);
    },
  };
}

/** Passes each request to the hits of its website. */
function hitsOf(websites: FollowedWebsites): Parameters<typeof createOutcomeCounter>[0] {
  return {
    record(request) {
      websites.of(request.websiteId, request.environment)?.hits()?.reporter.record(request);
    },
  };
}

/** The options of a feed in the form of the registry (deployments/live/site-registry.ts). */
function siteOptions({
  case_sensitive: caseSensitive,
  trailing_slash: trailingSlash,
  query,
  fallback_url: fallbackUrl,
  allowed_target_hosts: allowedTargetHosts,
}: FeedOptions): Omit<Site, 'id' | 'accountId' | 'hosts'> {
  return { caseSensitive, trailingSlash, query, fallbackUrl, allowedTargetHosts };
}

/** A host, which may be a wildcard, and may redirect as a whole. */
function siteHost({ hostname, redirect_to: redirect }: FeedHost, environment: Environment): Site['hosts'][number] {
  if (!redirect) return { hostname, environment };
  const { url, status_code: statusCode, keep_path: keepPath } = redirect;
  return { hostname, environment, redirectTo: { url, statusCode, keepPath } };
}
