/**
 * The relay of an agent: offers the feeds that it follows to other agents, which send their own keys. Every key is
 * verified by the service.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { LiveRegistry } from '../../deployments/live/live-registry.ts';
import { closePort, createHttpServer } from '../../http/server/listener.ts';
import type { MalformedOptions } from '../../http/server/malformed.ts';
import { sendPlainError } from '../../http/errors/plain-response.ts';
import { stopwatch } from '../../platform/clock.ts';
import { NONCE_HEADER } from '../../vocabulary/checks.ts';
import { type Environment, ENVIRONMENTS } from '../../vocabulary/environment.ts';
import { DomainError } from '../../vocabulary/error.ts';
import type { FeedHead } from '../../feed-client/feed-lines.ts';
import type { FollowedWebsites } from '../followed-websites.ts';
import type { AgentOptions } from '../options.ts';
import { createFeedBodies, openBody } from './feed-bodies.ts';
import { createForward } from './forward.ts';
import { createKeyRights } from './key-rights.ts';
import { PassedError, sendPassed, serviceAway } from './passed-response.ts';
import { createRelayWaits } from './relay-waits.ts';
import { type FollowerQuery, readQuery } from './follower-query.ts';

export interface RelayOptions {
  agent: Pick<AgentOptions, 'url' | 'apiKey' | 'dataDir'>;
  websites: Pick<FollowedWebsites, 'of'>;
  registry: Pick<LiveRegistry, 'observe'>;
  malformed: MalformedOptions;
  onError: (error: unknown) => void;
}

const MAX_CONNECTIONS = 10_000;
/** Makes the target of a request a URL. */
const BASE = 'http://relay';
/** A follower that reads nothing for this long is closed. */
const MAX_SILENCE_MS = 30_000;

export type Relay = ReturnType<typeof createRelay>;

export function createRelay({ agent, websites, registry, malformed, onError }: RelayOptions) {
  const { clock, requestId } = malformed;
  const rights = createKeyRights(agent.url);
  const bodies = createFeedBodies({ dir: join(agent.dataDir, 'relay'), url: agent.url, apiKey: agent.apiKey });
  const forward = createForward(agent.url);
  const waits = createRelayWaits(registry);

  async function feed(request: IncomingMessage, response: ServerResponse, at: FeedPath): Promise<void> {
    const { id, environment, query } = at;
    const left = new AbortController();
    response.once('close', () => left.abort());
    const deadline = stopwatch() + (query.since === undefined ? 0 : query.waitMs);
    for (;;) {
      const rightsMs = await rights.check(request.headers.authorization, id, environment);
      const website = websites.of(Number(id), environment);
      const head = website?.head();
      if (!head) throw notHere(id, environment, website !== undefined);
      // Its rules may be old, and followers would take them for current ones.
      if (website?.isDenied()) throw serviceAway('the service denies this website to the key of the relay');
      const nonce = website?.nonce();
      if (nonce !== undefined) response.setHeader(NONCE_HEADER, nonce);
      if (hasNews(head, query)) {
        const state = `${head.version} ${head.history} ${head.options_checksum}`;
        return send(response, bodies, at.feedPath, state);
      }
      const leftMs = deadline - stopwatch();
      if (leftMs <= 0 || left.signal.aborted || waits.isStopped()) return void response.writeHead(304).end();
      await waits.wait(Number(id), Math.min(leftMs, rightsMs), left.signal);
    }
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const route = routeOf(request);
    if (typeof route === 'string') return forward(request, response, route);
    request.resume();
    return waits.withFollower(() => feed(request, response, route));
  }

  const listener: RequestListener = (request, response) => {
    response.setHeader('X-Request-Id', requestId(request));
    respond(request, response).catch((error: unknown) => {
      if (response.headersSent || response.destroyed) response.destroy();
      else if (error instanceof PassedError) sendPassed(request, response, error);
      else if (error instanceof DomainError) sendPlainError(request, response, clock, error);
      else {
        onError(error);
        const details = `Request ${String(response.getHeader('X-Request-Id'))}`;
        sendPlainError(request, response, clock, new DomainError('INTERNAL_ERROR', 'Internal error', { details }));
      }
    });
  };
  const server = createHttpServer(listener, malformed);
  server.maxConnections = MAX_CONNECTIONS;
  return {
    server,
    followers: waits.followers,
    /** Ends all waits, and closes the port. */
    async stop(): Promise<void> {
      waits.stop();
      await closePort(server);
    },
  };
}

interface FeedPath {
  id: string;
  environment: Environment;
  query: FollowerQuery;
  /** the same request to the service, without the wait */
  feedPath: string;
}

/** Returns the feed that a request is for, or the path of what is passed on to the service. Throws NOT_FOUND. */
function routeOf({ method, url = '/' }: IncomingMessage): FeedPath | string {
  if (!URL.canParse(url, BASE)) throw notFound();
  const { pathname, searchParams } = new URL(url, BASE);
  if (pathname === '/api/v1/websites' && method === 'GET') return pathname;
  const [, id = '', name, hits] = /^\/api\/v1\/feeds\/(\d{1,15})\/(\w+)(\/hits)?$/.exec(pathname) ?? [];
  const environment = ENVIRONMENTS.find((one) => one === name);
  if (environment && hits && method === 'POST') return pathname;
  if (!environment || hits || method !== 'GET') throw notFound();
  const query = readQuery(searchParams);
  return { id, environment, query, feedPath: pathname + query.text };
}

async function send(
  response: ServerResponse,
  bodies: ReturnType<typeof createFeedBodies>,
  path: string,
  state: string,
): Promise<void> {
  const body = await bodies.get(path, state);
  if (response.destroyed) return;
  response.setTimeout(MAX_SILENCE_MS, () => response.destroy());
  response.writeHead(200, {
    'content-type': 'application/x-ndjson; charset=utf-8',
    'content-length': body.bytes,
    ...(body.etag !== undefined && { etag: body.etag }),
  });
  if (body.file === undefined) response.end(body.memory);
  else await pipeline(openBody(body.file), response);
}

/** A follower of an earlier release sends no history, and one without interest in options no checksum of them. */
function hasNews(head: FeedHead, { since, history = head.history, options }: FollowerQuery): boolean {
  return (
    since !== head.version || history !== head.history || (options !== undefined && options !== head.options_checksum)
  );
}

function notHere(id: string, environment: Environment, isFollowed: boolean): DomainError {
  if (isFollowed)
    return new DomainError('DATABASE_UNAVAILABLE', 'The relay is starting', {
      details: `It has no rules of website ${id} yet; retry after the Retry-After delay`,
      retryAfter: 1,
    });
  const details = `This relay does not follow website ${id} in ${environment}; follow the service, or another relay`;
  return new DomainError('WEBSITE_NOT_FOUND', 'Website not found', { details });
}

const notFound = (): DomainError =>
  new DomainError('NOT_FOUND', 'Endpoint not found', {
    details: 'A relay has GET /api/v1/feeds/{website_id}/{environment}, POST .../hits and GET /api/v1/websites',
  });
