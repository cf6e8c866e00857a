import type { FastifyReply, FastifyRequest } from 'fastify';
import { createNonces } from '../../checks/credentials.ts';
import { createAgentReports } from '../../deployments/agents/report-agent.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { sendIfUnchanged, setEtag } from '../../http/server/response-headers.ts';
import { sendStream } from '../../http/stream.ts';
import type { Api } from '../../http/wire/zod.ts';
import { awaitNews, type FollowerState, hasNews } from '../../redirects/feed/await-news.ts';
import { feedHead } from '../../redirects/feed/feed-head.ts';
import type { FeedInput } from '../../redirects/feed/stream-feed.ts';
import { NONCE_HEADER } from '../../vocabulary/checks.ts';
import { DomainError } from '../../vocabulary/error.ts';
import { requireWebsiteRow } from '../../websites/website.ts';
import { keyDialect } from '../resources/dialect.ts';
import { FEED_TYPE, FeedLine, FeedParams, FeedQuery, readEnvironment } from './feed-wire.ts';

/** A timer may fire early, when the key is still valid. */
const EXPIRED_MS = 20;

/** GET /api/v1/feeds/{website_id}/{environment}. No HEAD: a held request without a body is of no use. */
export function feedRoute(app: Api, deps: SurfaceDeps): void {
  const reportAgent = createAgentReports(deps.db);
  const nonceOf = createNonces(deps.db);
  app.get('/feeds/:website_id/:environment', {
    config: { gives: { [FEED_TYPE]: FeedLine }, statuses: { VERSION_EXPIRED: 410 } },
    exposeHeadRoute: false,
    operationId: 'getFeedV1',
    tag: 'Feeds',
    summary: 'Follow the live version',
    description:
      'Streams the served rules, scheduled ones included, one JSON object per line: the head, the rules by id, and `{"end":true}`, without which a response is incomplete. With `since`, and the `history` of that version, the lines between are the difference from it. With `wait`, the response comes when there is a newer version or, with `options`, when the options have changed; otherwise 304. `ETag` is the version with its history; with a matching `If-None-Match` and unchanged options the response is 304. docs/feed.md explains how to follow a feed.',
    returns: 'The lines of the feed.',
    responseHeaders: ['ETag'],
    errors: ['WEBSITE_NOT_FOUND', 'VERSION_EXPIRED', 'BUSY'],
    example: {
      path: { website_id: '1', environment: 'production' },
      query: { agent: 'edge-1', kind: 'edge', serving: 1 },
    },
    params: FeedParams,
    querystring: FeedQuery,
    async handler(request, reply) {
      const { params, query } = request;
      const websiteId = keyDialect.websiteId.read(params.websiteId);
      const requireAccess = () => requireWebsiteRow(deps.db, request.actor, websiteId);
      const recheck = async (): Promise<void> => {
        await request.checkAgain();
        await requireAccess();
      };
      await requireAccess();
      const environment = readEnvironment(params.environment);
      const { agent: name, kind = 'edge', serving, since } = query;
      const version = serving ?? since ?? null;
      if (name !== undefined) await reportAgent({ websiteId, environment, name, kind, version }, deps.clock.now());
      const follower = followerOf(request, query);
      const site = { accountId: request.actor.accountId, websiteId, environment };
      const keyMs = (request.caller?.expiresAt ?? Infinity) + EXPIRED_MS - deps.clock.now().getTime();
      const waitMs = follower ? Math.min((query.wait ?? 0) * 1_000, keyMs) : 0;
      const nothing = { version: -1, history: undefined, options: undefined };
      const live = await awaitNews(deps, site, follower ?? nothing, { waitMs, recheck, signal: signalOf(reply) });
      if (reply.raw.destroyed) return reply.hijack();
      if (waitMs > 0) await recheck();

      const head = feedHead(live);
      const etag = head.version === 0 ? '"0"' : `"${head.version}-${head.history}"`;
      setEtag(request, reply, etag);
      void reply.header(NONCE_HEADER, await nonceOf(websiteId));
      if (follower && !hasNews(live, follower) && query.wait !== undefined) return reply.code(304).send();
      const hasOptions = query.options === undefined || query.options === head.options_checksum;
      if (hasOptions && sendIfUnchanged(request, reply, etag)) return reply;
      if (query.since !== undefined && query.since > head.version) throw unknownVersion(query.since, head.version);
      const { actor } = request;
      const input: FeedInput = { websiteId, environment, head, since: query.since, history: query.history };
      return sendStream(reply.type(`${FEED_TYPE}; charset=utf-8`), deps.streamShares.jobs(actor), () =>
        deps.jobs.streamFeed(actor, input),
      );
    },
  });
}

/** The state of the follower by `since` or its ETag. Undefined if it has nothing: it then waits for nothing. */
function followerOf(
  { headers }: FastifyRequest,
  { since, history, options }: Partial<FollowerState> & { since?: number | undefined },
): FollowerState | undefined {
  if (since !== undefined) return { version: since, history, options };
  const [, version, ofVersion] = /^(?:W\/)?"(\d{1,9})(?:-([\w-]+))?"$/.exec(headers['if-none-match'] ?? '') ?? [];
  return version === undefined ? undefined : { version: Number(version), history: ofVersion, options };
}

/** Aborts when the client leaves, also after the response. */
function signalOf(reply: FastifyReply): AbortSignal {
  const left = new AbortController();
  reply.raw.once('close', () => left.abort());
  return left.signal;
}

/** A database that was restored has fewer versions. A follower then fetches the whole version, as after an expired one. */
function unknownVersion(since: number, live: number): DomainError {
  return new DomainError('VERSION_EXPIRED', 'The version is not known', {
    details: `since: version ${since} is newer than the live version ${live}; fetch the whole version without since`,
  });
}
