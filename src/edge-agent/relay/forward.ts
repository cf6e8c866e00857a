/** Passes a request of a follower on to the service with the follower's own key: hits, and the list of websites. */
import { type IncomingMessage, request as httpRequest, type ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { pipeline } from 'node:stream/promises';
import { createSemaphore } from '../../platform/scheduling/semaphore.ts';
import { busy } from '../../vocabulary/error.ts';
import { serviceAway } from './passed-response.ts';

const AT_A_TIME = 64;
const MAX_WAITING = 1_000;
const TIMEOUT_MS = 30_000;
const SENT = [
  'authorization',
  'content-type',
  'content-encoding',
  'content-length',
  'if-none-match',
  'accept-encoding',
];
const RETURNED = [
  'content-type',
  'content-encoding',
  'content-length',
  'etag',
  'vary',
  'retry-after',
  'www-authenticate',
];

/** Returns a function that resolves when the response is sent. Bodies are streamed in both directions. */
export function createForward(url: string) {
  const withPermit = createSemaphore(AT_A_TIME);
  const timeout = { timeoutMs: TIMEOUT_MS, maxWaiting: MAX_WAITING, error: tooMany };
  return (request: IncomingMessage, response: ServerResponse, path: string): Promise<void> =>
    withPermit(() => forward(url + path, request, response), timeout);
}

async function forward(url: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const open = url.startsWith('https:') ? httpsRequest : httpRequest;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const sent = open(url, { method: request.method ?? 'GET', headers: pick(request.headers, SENT), signal });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve);
    sent.once('error', reject);
  });
  // The response counts: the service may send an error before it has read the body.
  pipeline(request, sent, { signal }).catch(() => {});
  const incoming = await answered.catch((error: unknown) => {
    throw serviceAway(error);
  });
  response.writeHead(incoming.statusCode ?? 502, pick(incoming.headers, RETURNED));
  await pipeline(incoming, response, { signal });
}

function pick(headers: IncomingMessage['headers'], names: string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
  );
}

const tooMany = () => busy('The relay passes on too many requests; retry after the Retry-After delay', 5);
