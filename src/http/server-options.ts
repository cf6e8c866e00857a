import { createServer, type Server } from 'node:http';
import type { FastifyHttpOptions } from 'fastify';
import type { AppDeps } from './deps.ts';
import { sendError } from './errors.ts';
import { newRequestId } from './request-id.ts';

const JSON_BODY_BYTES = 1024 * 1024;
/** A redirect's path may have 40,000 bytes and still deserves a 414 of ours, so the listener takes more than Node's 16 KiB. */
const HEADER_BYTES = 64 * 1024;

const SERVER = {
  maxHeaderSize: HEADER_BYTES,
  headersTimeout: 20_000,
  // Bulk bodies may take long; how long a body may stall is for the routes that read it.
  requestTimeout: 0,
  keepAliveTimeout: 72_000,
};

/** How the listener behaves before any route is known. */
export function serverOptions({ config, clock, log, edge }: AppDeps): FastifyHttpOptions<Server> {
  return {
    loggerInstance: log,
    disableRequestLogging: true,
    genReqId: newRequestId,
    requestIdHeader: false,
    trustProxy: config.trustProxy,
    bodyLimit: JSON_BODY_BYTES,
    serverFactory: (handler) => createServer(SERVER, edge(handler)),
    forceCloseConnections: 'idle',
    frameworkErrors: (error, request, reply) => void sendError(clock, error, request, reply),
  };
}
