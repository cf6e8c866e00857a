/**
 * The answer to one request whose Host is a managed website: from memory, before any API route, whatever the method. Nothing here
 * awaits, asks the database or parses more than the request line and the Host.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { stopwatch } from '../../platform/clock.ts';
import { absoluteForm, canonicalPath, requestTarget } from '../../resolver/canonical-path.ts';
import type { Match } from '../../resolver/rule.ts';
import type { LiveSite, Rulesets } from '../../deployments/live/rulesets.ts';
import { hostOfHeader } from '../../websites/hostname.ts';

/** Longer paths are refused: no rule can match them, and browsers do not send them. */
const MAX_PATH_BYTES = 8_192;

/** What became of a request, for those who count. */
export interface EdgeOutcome {
  live: LiveSite;
  /** canonical */
  path: string;
  match: Match | undefined;
  /** how long the answer took, in microseconds */
  micros: number;
}

export interface EdgeOptions {
  rulesets: Rulesets;
  /** an id for X-Request-Id */
  requestId: () => string;
  /** the scheme that a trusted proxy says the client used; undefined where that is not known */
  schemeOf?: (request: IncomingMessage) => string | undefined;
  /** told after each answer was handed over to be sent */
  onOutcome?: (request: IncomingMessage, outcome: EdgeOutcome) => void;
}

/** Wraps the service's own listener: a website's requests are answered here, everything else goes on to `next`. */
export function withEdge(options: EdgeOptions, next: RequestListener): RequestListener {
  return (request, response) => {
    if (hasTwoHosts(request.rawHeaders)) return refuseTwoHosts(request, response, options.requestId());
    const url = request.url ?? '/';
    // RFC 9112, 3.2.2: the host of an absolute-form target counts, not that of the header.
    const absolute = url.startsWith('/') ? undefined : absoluteForm(url);
    const host = hostOfHeader(absolute?.host ?? request.headers.host ?? '');
    const live = options.rulesets.byHostname(host);
    if (!live) return next(request, response);
    answer(options, request, response, { live, host, target: requestTarget(absolute?.target ?? url) });
  };
}

/** Names and values in turn, as they came; Node itself keeps the first Host and says nothing of a second. */
function hasTwoHosts(rawHeaders: string[]): boolean {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts > 1;
}

/** RFC 9112, 3.2: a proxy before us may have gone by the other one. */
function refuseTwoHosts(request: IncomingMessage, response: ServerResponse, requestId: string): void {
  request.resume();
  response.setHeader('X-Request-Id', requestId);
  send(request, response, 400, undefined, 'The request has more than one Host header; send one.\n');
}

interface Addressed {
  live: LiveSite;
  host: string;
  target: string;
}

function answer(
  options: EdgeOptions,
  request: IncomingMessage,
  response: ServerResponse,
  { live, host, target }: Addressed,
): void {
  const start = stopwatch();
  const mark = target.indexOf('?');
  const rawPath = mark < 0 ? target : target.slice(0, mark);
  const query = mark < 0 ? null : target.slice(mark + 1);
  response.setHeader('X-Request-Id', options.requestId());
  // What the client still sends is not read by anybody; without this the connection could not be used again.
  request.resume();
  if (Buffer.byteLength(rawPath) > MAX_PATH_BYTES) {
    return send(request, response, 414, undefined, 'The path is longer than 8 KiB.\n');
  }
  const path = canonicalPath(rawPath);
  const scheme = options.schemeOf?.(request);
  const match = live.rules.ruleset.match(
    { path, query, host, ...(scheme !== undefined && { scheme }) },
    live.site,
  );
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
  // `OPTIONS *` names no path that could be looked for elsewhere.
  if (fallbackUrl === null || !rawPath.startsWith('/'))
    return send(request, response, 404, undefined, 'No redirect for this address.\n');
  response.setHeader('X-Redirect-By', 'detour');
  const location =
    fallbackUrl.replace(/\/$/, '') +
    locationSafe(rawPath) +
    (query === null ? '' : `?${locationSafe(query)}`);
  send(request, response, 302, location, `302 ${location}\n`);
}

/** The request as it came, but for what may not stand in a header. */
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
