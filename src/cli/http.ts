/** One HTTP request, without retries. */
import { type IncomingHttpHeaders, type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { pipeline as join, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

/** An import of 1,000,000 rows is silent while it merges. */
const IDLE_TIMEOUT_MS = 15 * 60_000;

export interface Request {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body?: string | Readable;
  /** closes a connection without traffic after this time; default 15 minutes */
  idleTimeoutMs?: number;
  signal?: AbortSignal;
  /** replaces the lookup of the host name */
  lookup?: LookupFunction;
}

export interface Response {
  status: number;
  headers: IncomingHttpHeaders;
  /** decompressed */
  stream: Readable;
}

/**
 * Sends a request and resolves with the response once its headers arrive, which may be before the body is sent. Rejects
 * if there is no response, and if the body cannot be read.
 */
export function send(request: Request): Promise<Response> {
  const { method, url, headers, body, signal, lookup, idleTimeoutMs = IDLE_TIMEOUT_MS } = request;
  const open = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    // A separate connection per request: a reused one may be closed by the service at the same moment.
    const sent = open(url, {
      method,
      headers: { 'accept-encoding': 'gzip', ...headers },
      agent: false,
      ...(signal && { signal }),
      ...(lookup && { lookup }),
    });
    let hasResponse = false;
    sent.setTimeout(idleTimeoutMs, () => {
      sent.destroy(new Error(`no response within ${idleTimeoutMs / 1_000} s`));
    });
    sent.once('response', (incoming) => {
      hasResponse = true;
      // Ends an upload whose response came early.
      incoming.once('close', () => sent.destroy());
      resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, stream: plain(incoming) });
    });
    sent.on('error', reject);
    if (body === undefined || typeof body === 'string') {
      sent.end(body);
      return;
    }
    // The service may respond before it has read the body, and then close the connection.
    pipeline(body, sent).catch((error: unknown) => {
      if (!hasResponse) reject(error instanceof Error ? error : new Error(String(error)));
    });
  });
}

/** The reader of the result gets the errors of the connection. */
function plain(incoming: IncomingMessage): Readable {
  return incoming.headers['content-encoding'] === 'gzip' ? join(incoming, createGunzip(), () => {}) : incoming;
}

const MAX_JSON_BYTES = 256 * 1024 * 1024;

/** Reads a response as text. Throws if the connection closes before its end. */
export async function readText({ stream }: Response): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_JSON_BYTES) throw new Error('the response is too large');
  }
  return Buffer.concat(chunks).toString('utf8');
}
