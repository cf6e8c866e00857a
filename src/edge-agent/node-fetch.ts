/** The `fetch` of an agent, on node:http. */
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { addAbortSignal, pipeline, Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { createGunzip } from 'node:zlib';
import type { Fetch } from '../feed-client/request-feed.ts';

/** Statuses without a body. */
const EMPTY = new Set([204, 304]);

/**
 * Sends a request, and resolves when the head of the response has arrived. Follows no redirect. Rejects at once if the
 * connection closes without a response: the `fetch` of Node.js 20 then waits for its signal.
 */
export const nodeFetch: Fetch = (url, { method = 'GET', headers, body, signal }) =>
  new Promise((resolve, reject) => {
    const open = url.startsWith('https:') ? httpsRequest : httpRequest;
    const sent = open(url, { method, headers: { 'accept-encoding': 'gzip', ...headers }, signal });
    sent.once('error', reject);
    sent.once('response', (incoming) => {
      addAbortSignal(signal, incoming);
      resolve(toResponse(incoming));
    });
    sent.end(body);
  });

function toResponse(incoming: IncomingMessage): Response {
  const { statusCode: status = 0, headers } = incoming;
  const isEmpty = EMPTY.has(status);
  if (isEmpty) incoming.resume();
  return new Response(isEmpty ? null : bodyOf(incoming), {
    status,
    headers: Object.entries(headers).map(([name, value]) => [name, String(value)] as [string, string]),
  });
}

/** A proxy may compress the responses of the service. */
function bodyOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  const isZipped = incoming.headers['content-encoding'] === 'gzip';
  // The reader of the body gets the error.
  const plain = isZipped ? pipeline(incoming, createGunzip(), () => {}) : incoming;
  return Readable.toWeb(plain) as ReadableStream<Uint8Array>;
}
