/**
 * Responds to requests whose Host is a managed website: from memory, before any API route, for every method.
 * Synchronous, without the database; parses only the request line and the Host.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { stopwatch } from '../../platform/clock.ts';
import { absoluteForm, canonicalPath, requestTarget } from '../../resolver/canonical-path.ts';
import type { Match } from '../../resolver/rule.ts';
import type { LiveRegistry, LiveSite } from '../../deployments/live/live-registry.ts';
import { hostOfHeader } from '../../websites/hostname.ts';

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
  /** creates an X-Request-Id */
  requestId: () => string;
  /** the client's scheme, as reported by a trusted proxy; undefined if unknown */
  schemeOf?: (request: IncomingMessage) => string | undefined;
  /** called after each response has been handed over for sending */
  onOutcome?: (request: IncomingMessage, outcome: EdgeOutcome) => void;
}

/** Responds to requests of managed websites; passes all others to `next`. */
export function withEdge(options: EdgeOptions, next: RequestListener): RequestListener {
  return (request, response) => {
    if (hasTwoHosts(request.rawHeaders)) return rejectTwoHosts(request, response, options.requestId());
    const url = request.url ?? '/';
    // The host of an absolute-form target overrides the header (RFC 9112, 3.2.2).
    const absolute = url.startsWith('/') ? undefined : absoluteForm(url);
    const host = hostOfHeader(absolute?.host ?? request.headers.host ?? '');
    const live = options.rulesets.byHostname(host);
    if (!live) return next(request, response);
    respond(options, request, response, { live, host, target: requestTarget(absolute?.target ?? url) });
  };
}

/** `rawHeaders` alternates names and values. Node's parsed headers contain only the first Host. */
function hasTwoHosts(rawHeaders: string[]): boolean {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts > 1;
}

/** A proxy may have routed by the other Host (RFC 9112, 3.2). */
function rejectTwoHosts(request: IncomingMessage, response: ServerResponse, requestId: string): void {
  request.resume();
  response.setHeader('X-Request-Id', requestId);
  send(request, response, 400, undefined, 'The request has more than one Host header; send one.\n');
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
  response.setHeader('X-Request-Id', options.requestId());
  // Discards the body, so that the connection can be reused.
  request.resume();
  if (Buffer.byteLength(rawPath) > MAX_PATH_BYTES) {
    return send(request, response, 414, undefined, 'The path is longer than 8 KiB.\n');
  }
  const path = canonicalPath(rawPath);
  const scheme = options.schemeOf?.(request);
  const match = live.rules.ruleset.match({ path, query, host, ...(scheme !== undefined && { scheme }) }, live.site);
  if (match) sendMatch(request, response, match);
  else sendUnmatched(request, response, live, rawPath, query);
  options.onOutcome?.(request, { live, path, match, micros: (stopwatch() - start) * 1000 });
}

function sendMatch(request: IncomingMessage, response: ServerResponse, match: Match): void {
  response.setHeader('X-Redirect-By', 'detour');
  const body = match.location === null ? GONE[match.statusCode] : `${match.statusCode} ${match.location}\n`;
  send(request, response, match.statusCode, match.location ?? undefined, body ?? '');
}

const GONE: Record<number, string> = {
  410: 'This page is gone.\n',
  451: 'This page is not available for legal reasons.\n',
};

function sendUnmatched(
  request: IncomingMessage,
  response: ServerResponse,
  live: LiveSite,
  rawPath: string,
  query: string | null,
): void {
  const { fallbackUrl } = live.site;
  // `OPTIONS *` has no path to append to the fallback.
  if (fallbackUrl === null || !rawPath.startsWith('/'))
    return send(request, response, 404, undefined, 'No redirect for this path.\n');
  response.setHeader('X-Redirect-By', 'detour');
  const location =
    fallbackUrl.replace(/\/$/, '') + locationSafe(rawPath) + (query === null ? '' : `?${locationSafe(query)}`);
  send(request, response, 302, location, `302 ${location}\n`);
}

/** Percent-encodes only characters that a header must not contain. */
function locationSafe(text: string): string {
  return /[^\x21-\x7e]/.test(text) ? encodeURI(text).replaceAll('%25', '%') : text;
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  location: string | undefined,
  body: string,
): void {
  response.statusCode = status;
  if (location !== undefined) response.setHeader('Location', location);
  response.setHeader('Cache-Control', status === 301 || status === 308 ? 'private, max-age=90' : 'no-cache');
  response.setHeader('Content-Type', 'text/plain; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.end(request.method === 'HEAD' ? undefined : body);
}
