import type { Server } from 'node:http';
import {
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type preParsingAsyncHookHandler,
} from 'fastify';
import type { AppDeps } from '../deps.ts';
import type { RateLimit } from '../shares/rate-limit.ts';
import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { busy, DomainError } from '../../vocabulary/error.ts';
import { assertJsonShape } from '../body/json-shape.ts';
import { bodyTooSlow } from '../body/read-body.ts';
import { createKeyedPermits } from '../../platform/scheduling/semaphore.ts';
import { createTimeSlice } from '../../platform/scheduling/time-slice.ts';
import { createByteSource } from '../../formats/read/json/byte-source.ts';
import { readJsonBody } from '../../formats/read/json/json-body.ts';
import { tooManyHosts } from '../../websites/check-hosts.ts';
import { MAX_HOSTS } from '../../websites/website.ts';
import { isApiPath, newRequestId, securityHeaders } from './response-headers.ts';
import { MAX_HEADER_BYTES } from './listener.ts';
import { createRequestIdReader } from './trusted-proxy.ts';
import type { Clock } from '../../platform/clock.ts';
import { sendError } from '../errors/errors.ts';

const JSON_BODY_BYTES = 1024 * 1024;
const SLICE_BYTES = 64 * 1024;
/** Sign-in and the like, which anyone may send. */
const AUTH_BODY_BYTES = 8 * 1024;

/** Options of the server that apply before routing. */
export function serverOptions(deps: AppDeps, rateLimit: Pick<RateLimit, 'spend'>): FastifyHttpOptions<Server> {
  const { config, clock, log, serve } = deps;
  return {
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: createRequestIdReader(config, newRequestId),
    requestIdHeader: false,
    trustProxy: trustProxyOption(config.trustProxy),
    bodyLimit: JSON_BODY_BYTES,
    // The route rejects an id of any length as it rejects other unknown ones.
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
    // The front opens and closes the port.
    serverFactory: (handler) => serve(handler),
    // The front drains connections: a request that arrives meanwhile gets its response.
    return503OnClosing: false,
    // The front has responded (malformed.ts).
    clientErrorHandler: () => {},
    frameworkErrors: (error, request, reply) =>
      void sendFrameworkError(error, request, reply, { clock, rateLimit, publicUrl: config.publicUrl }),
  };
}

type TrustProxy = string[] | boolean | ((address: string, hop: number) => boolean);

/** A number trusts that many proxies. Passed as a function, because Fastify ignores a bare number. */
function trustProxyOption(setting: false | number | string[]): TrustProxy {
  return typeof setting === 'number' ? (_address, hop) => hop < setting : setting;
}

/** Limits the bodies below /api/auth. Call it before routes are added. */
export function limitAuthBodies(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (route.url.startsWith('/api/auth/')) route.bodyLimit ??= AUTH_BODY_BYTES;
  });
}

/** The time for a body that is not streamed. */
const BODY_MS = 30_000;

/**
 * Accepts only application/json. Ignores the body of a route that takes none, whatever its type. Treats an empty body
 * as absent; rejects invalid UTF-8 instead of replacing characters. Responds with 408 to a body that has not arrived
 * within `bodyMs`, except to one that its route streams.
 */
export function acceptJsonOnly(app: FastifyInstance, bodyMs = BODY_MS): void {
  // Names such as __proto__ stay ordinary fields, which the schema rejects by name.
  const parse = app.getDefaultJsonParser('ignore', 'ignore');
  app.removeAllContentTypeParsers();
  app.addHook('onRequest', async (request) => {
    if (!takesBody(request)) request.headers = NO_BODY;
  });
  app.addHook('preParsing', holdLargeBodies());
  // A request without a body has ended before it arrives here (listener.ts), and Fastify would wait for its end.
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const isEmpty = payload.readableEnded && request.headers['content-type'] !== undefined;
    const { takes } = request.routeOptions.config;
    if (!request.raw.complete && takesBody(request) && !takes) limitTime(payload, bodyMs);
    done(null, isEmpty ? Readable.from([]) : payload);
  });
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (body.length === 0) return done(null, undefined);
    if (!isUtf8(body)) {
      return done(
        new DomainError('INVALID_JSON', 'The body is not valid UTF-8', { details: 'body: send JSON in UTF-8' }),
      );
    }
    if (takesHosts(request) && body.length > SLICED_BODY_BYTES) {
      return void parseHosts(body).then(
        (value) => done(null, value),
        (error: Error) => done(error),
      );
    }
    // Fastify passes an error that a parser throws to the error handler.
    assertJsonShape(body);
    void parse(request, body.toString('utf8'), done);
  });
}

/** Bodies of up to this size are parsed at once, in about a millisecond. */
const SLICED_BODY_BYTES = 65_536;

/** Whether a route takes hosts: only these have a limit above that of other JSON. */
const takesHosts = ({ routeOptions: { bodyLimit = 0 } }: FastifyRequest): boolean => bodyLimit > JSON_BODY_BYTES;

/**
 * Parses a large body of a website in slices, so that other requests are answered meanwhile. Throws as readJsonBody, and
 * TOO_MANY_ITEMS for hosts that no website may have.
 */
async function parseHosts(body: Buffer): Promise<unknown> {
  const fields: [string, unknown][] = [];
  const hosts: unknown[] = [];
  for await (const part of readJsonBody(createByteSource(slicesOf(body)), () => {}, 'hosts')) {
    if ('field' in part) fields.push([part.field, part.value]);
    else if (hosts.push(...part.entries) === 0) fields.push(['hosts', hosts]);
    if (hosts.length > MAX_HOSTS) throw tooManyHosts();
  }
  return Object.fromEntries(fields);
}

/** Yields to the event loop between slices. */
async function* slicesOf(body: Buffer): AsyncGenerator<Buffer> {
  const slice = createTimeSlice();
  for (let at = 0; at < body.length; at += SLICE_BYTES) {
    yield body.subarray(at, at + SLICE_BYTES);
    if (slice.isOver()) await slice.yield();
  }
}

/** Bodies of more than 1 MiB of an account at a time, each of which is in memory. */
const MAX_LARGE_BODIES = 2;
const MAX_WAITING = 100;
const LARGE_BODY_WAIT_MS = 10_000;

/** Returns a hook that waits for a share before it reads a large body, and holds it until the response has ended. */
function holdLargeBodies(): preParsingAsyncHookHandler {
  const acquire = createKeyedPermits<number>(MAX_LARGE_BODIES);
  const timeout = { timeoutMs: LARGE_BODY_WAIT_MS, error: tooManyLargeBodies, maxWaiting: MAX_WAITING };
  return async (request, { raw: response }) => {
    const bytes = Number(request.headers['content-length'] ?? Infinity);
    if (bytes <= JSON_BODY_BYTES || !takesHosts(request) || !request.caller) return;
    const release = await acquire(request.caller.actor.accountId, timeout);
    if (response.closed) release();
    else response.once('close', release);
  };
}

const tooManyLargeBodies = (): DomainError =>
  busy(`The account has ${MAX_LARGE_BODIES} bodies of more than 1 MiB in progress; retry in a few seconds`);

/** Without these headers Fastify parses no body. Node discards it after the response. */
const NO_BODY = { 'content-type': undefined, 'content-length': undefined, 'transfer-encoding': undefined };

function takesBody({ is404, routeOptions: { schema, config } }: FastifyRequest): boolean {
  return is404 || schema?.body !== undefined || config.takes !== undefined;
}

/** Fails the reader of the body after `bodyMs`. The connection stays open for the response. */
function limitTime(payload: Readable, bodyMs: number): void {
  const late = bodyTooSlow(`all of it within ${bodyMs / 1_000} s`);
  const timer = setTimeout(() => payload.listenerCount('error') > 0 && payload.emit('error', late), bodyMs);
  payload.once('end', () => clearTimeout(timer));
  payload.once('close', () => clearTimeout(timer));
}

/**
 * Responds to a URL that the router cannot decode (`/api/%zz`). It reaches no hook, so this does the work of the hooks.
 */
async function sendFrameworkError(
  error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
  { clock, rateLimit, publicUrl }: { clock: Clock; rateLimit: Pick<RateLimit, 'spend'>; publicUrl: string },
): Promise<void> {
  void reply.headers({ 'X-Request-Id': request.id, ...securityHeaders(request.url, publicUrl) });
  try {
    if (isApiPath(request.url)) await rateLimit.spend(request, reply);
    void sendError(clock, error, request, reply);
  } catch (limitError) {
    void sendError(clock, limitError, request, reply);
  }
}
