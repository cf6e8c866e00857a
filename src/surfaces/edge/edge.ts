/**
 * Responds to requests whose Host is a managed website: from memory, before any API route, for every method.
 * Synchronous, without the database; parses only the request line and the Host.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type Clock, stopwatch } from '../../platform/clock.ts';
import { absoluteForm, canonicalPath, requestTarget } from '../../resolver/canonical-path.ts';
import { fallbackLocation } from '../../resolver/location.ts';
import type { Match } from '../../resolver/rule.ts';
import type { LiveRegistry, LiveSite } from '../../deployments/live/live-registry.ts';
import { hostOfHeader } from '../../websites/hostname.ts';
import { onlyHost } from '../../http/raw-headers.ts';

/** No rule matches a longer path, and browsers do not send one. */
const MAX_PATH_BYTES = 8_192;

/** The result of a request, for counting hits. */
export interface EdgeOutcome {
  live: LiveSite;
  /** canonical */
  path: string;
  match: Match | undefined;
  /** time to the response, in microseconds */
  micros: number;
}

export interface EdgeOptions {
  rulesets: Pick<LiveRegistry, 'byHostname'>;
  clock: Clock;
  /** the X-Request-Id of a request */
  requestId: (request: IncomingMessage) => string;
  /** the client's scheme, as reported by a trusted proxy; undefined if unknown */
  schemeOf?: (request: IncomingMessage) => string | undefined;
  /** called after each response has been handed over for sending */
  onOutcome?: (request: IncomingMessage, outcome: EdgeOutcome) => void;
}

/** Responds to requests of managed websites; passes all others to `next`. */
export function withEdge(options: EdgeOptions, next: RequestListener): RequestListener {
  return (request, response) => {
    const hostHeader = onlyHost(request.rawHeaders);
    if (hostHeader === null) return rejectTwoHosts(request, response, options.requestId(request));
    const url = request.url ?? '/';
    // The host of an absolute-form target overrides the header (RFC 9112, 3.2.2).
    const absolute = url.startsWith('/') ? undefined : absoluteForm(url);
    const host = hostOfHeader(absolute?.host ?? hostHeader);
    const live = options.rulesets.byHostname(host);
    if (!live) return next(request, response);
    respond(options, request, response, { live, host, target: requestTarget(absolute?.target ?? url) });
  };
}

/** A proxy may have routed by the other Host (RFC 9112, 3.2). */
function rejectTwoHosts(request: IncomingMessage, response: ServerResponse, requestId: string): void {
  send(request, response, 400, ['X-Request-Id', requestId], 'The request has more than one Host header; send one.\n');
}

interface Target {
  live: LiveSite;
  host: string;
  target: string;
}

function respond(
  options: EdgeOptions,
  request: IncomingMessage,
  response: ServerResponse,
  { live, host, target }: Target,
): void {
  const start = stopwatch();
  const mark = target.indexOf('?');
  const rawPath = mark < 0 ? target : target.slice(0, mark);
  const query = mark < 0 ? null : target.slice(mark + 1);
  const id = options.requestId(request);
  // A target is ASCII (`requestTarget`).
  if (rawPath.length > MAX_PATH_BYTES) {
    return send(request, response, 414, ['X-Request-Id', id], 'The path is longer than 8 KiB.\n');
  }
  const path = canonicalPath(rawPath);
  const scheme = options.schemeOf?.(request);
  // A ruleset without windows never reads the clock.
  const at = live.rules.ruleset.isScheduled ? options.clock.now().getTime() : undefined;
  const match = live.rules.ruleset.match({ path, query, host, scheme }, live.site, at);
  if (!match) sendUnmatched(request, response, live, { id, rawPath, query });
  else if (match.location !== null)
    sendRedirect(request, response, match.statusCode, id, match.location, cacheControlOf(match, at));
  else {
    const headers = ['X-Request-Id', id, 'X-Redirect-By', 'detour'];
    send(request, response, match.statusCode, headers, GONE[match.statusCode] ?? '');
  }
  options.onOutcome?.(request, { live, path, match, micros: (stopwatch() - start) * 1000 });
}

function sendRedirect(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  id: string,
  location: string,
  cacheControl: string,
): void {
  const headers = ['X-Request-Id', id, 'X-Redirect-By', 'detour', 'Location', location];
  send(request, response, status, headers, `${status} ${location}\n`, cacheControl);
}

const NO_CACHE = 'no-cache';
const MAX_AGE = 90;
const CACHEABLE = `private, max-age=${MAX_AGE}`;

/** Permanent redirects are cached, but never beyond the moment at which a window begins or ends that decides here. */
function cacheControlOf({ statusCode, validUntil }: Match, at: number | undefined): string {
  if (statusCode !== 301 && statusCode !== 308) return NO_CACHE;
  if (validUntil === undefined || at === undefined) return CACHEABLE;
  return `private, max-age=${Math.min(MAX_AGE, Math.floor((validUntil - at) / 1000))}`;
}

const GONE: Record<number, string> = {
  410: 'This page is gone.\n',
  451: 'This page is not available for legal reasons.\n',
};

function sendUnmatched(
  request: IncomingMessage,
  response: ServerResponse,
  live: LiveSite,
  { id, rawPath, query }: { id: string; rawPath: string; query: string | null },
): void {
  const { fallbackUrl } = live.site;
  // `OPTIONS *` has no path to append to the fallback.
  if (fallbackUrl === null || !rawPath.startsWith('/'))
    return send(request, response, 404, ['X-Request-Id', id], 'No redirect for this path.\n');
  sendRedirect(request, response, 302, id, fallbackLocation(fallbackUrl, rawPath, query), NO_CACHE);
}

/**
 * Writes the head at once, which costs less than one `setHeader` each. `headers` alternates names and values. The body
 * is ASCII. Node discards the body of the request after the response.
 */
function send(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  headers: string[],
  body: string,
  cacheControl = NO_CACHE,
): void {
  headers.push('Cache-Control', cacheControl, 'Content-Type', 'text/plain; charset=utf-8');
  headers.push('Content-Length', String(body.length));
  response.writeHead(status, headers);
  if (request.method === 'HEAD') response.end();
  else response.end(body, 'latin1');
}
