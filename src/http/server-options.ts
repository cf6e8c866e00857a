import { createServer, type Server } from 'node:http';
import { type FastifyHttpOptions, LogController, type FastifyInstance } from 'fastify';
import { answerClientError, answerFrameworkError } from './unroutable.ts';
import type { AppDeps } from './deps.ts';
import type { RateLimit } from './rate-limit.ts';
import { isUtf8 } from 'node:buffer';
import { DomainError } from '../vocabulary/error.ts';
import { newRequestId } from './response-headers.ts';

const JSON_BODY_BYTES = 1024 * 1024;

const LISTENER = {
  // A redirect's path may have 40,000 bytes and still deserves a 414 of ours, so more than Node's 16 KiB.
  maxHeaderSize: 64 * 1024,
  headersTimeout: 20_000,
  // An import of 2 GiB over a line of 5 Mbit/s.
  requestTimeout: 3_600_000,
  keepAliveTimeout: 72_000,
};

/** How the listener behaves before any route is known. */
export function serverOptions(deps: AppDeps, rateLimit: RateLimit): FastifyHttpOptions<Server> {
  const { config, clock, log, edge } = deps;
  return {
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: newRequestId,
    requestIdHeader: false,
    trustProxy: trusting(config.trustProxy),
    bodyLimit: JSON_BODY_BYTES,
    serverFactory: (handler) => createServer(LISTENER, edge(handler)),
    forceCloseConnections: 'idle',
    clientErrorHandler: (error, socket) => answerClientError(clock, error, socket),
    frameworkErrors: (error, request, reply) =>
      void answerFrameworkError(error, request, reply, { clock, rateLimit }),
  };
}

type Trusting = string[] | boolean | ((address: string, hop: number) => boolean);

/** A number trusts that many proxies, whatever their addresses: Fastify reads a bare number as none. */
function trusting(setting: false | number | string[]): Trusting {
  return typeof setting === 'number' ? (_address, hop) => hop < setting : setting;
}

/** Takes application/json and nothing else. An empty body is no body; one that is not UTF-8 is refused, not mended. */
export function takeJsonOnly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (body.length === 0) return done(null, undefined);
    if (isUtf8(body)) return void parse(request, body.toString('utf8'), done);
    done(
      new DomainError('INVALID_JSON', 'The body is not valid UTF-8', { details: 'body: send JSON in UTF-8' }),
    );
  });
}
