/**
 * Responds to requests whose Host is a managed website: from memory, before any API route, for every method.
 * Synchronous, without the database; parses only the request line and the Host.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type Clock, stopwatch } from '../../platform/clock.ts';
import { answerVisit } from '../../resolver/answer.ts';
import { absoluteForm, hostOfHeader, requestTarget } from '../../resolver/spelling/canonical-path.ts';
import type { Match } from '../../resolver/rule.ts';
import type { LiveRegistry, LiveSite } from '../../deployments/live/live-registry.ts';
import { onlyHost } from '../../http/server/raw-headers.ts';

/** The result of a request, for counting hits. */
export interface EdgeOutcome {
  live: LiveSite;
  /** canonical */
  path: string;
  match: Match | undefined;
  /** see Answer */
  redirectId: number | null;
  /** time to the response, in microseconds */
  micros: number;
}

export interface EdgeOptions {
  rulesets: Pick<LiveRegistry, 'byHostname' | 'recordRequest'>;
  clock: Clock;
  /** the X-Request-Id of a request */
  requestId: (request: IncomingMessage) => string;
  /** the client's scheme, as reported by a trusted proxy; undefined if unknown */
  schemeOf?: (request: IncomingMessage) => string | undefined;
  /** called after each response has been handed over for sending */
  onOutcome?: (request: IncomingMessage, outcome: EdgeOutcome) => void;
}

/** For a process that answers no visitors: refuses what `withEdge` refuses, and passes all others to `next`. */
export function withOneHost({ requestId }: Pick<EdgeOptions, 'requestId'>, next: RequestListener): RequestListener {
  return (request, response) =>
    onlyHost(request.rawHeaders) === null
      ? rejectTwoHosts(request, response, requestId(request))
      : next(request, response);
}

/** Responds to requests of managed websites; passes all others to `next`. */
export function withEdge(options: EdgeOptions, next: RequestListener): RequestListener {
  const now = (): number => options.clock.now().getTime();
  return (request, response) => {
    const hostHeader = onlyHost(request.rawHeaders);
    if (hostHeader === null) return rejectTwoHosts(request, response, options.requestId(request));
    const url = request.url ?? '/';
    // The host of an absolute-form target overrides the header (RFC 9112, 3.2.2).
    const absolute = url.startsWith('/') ? undefined : absoluteForm(url);
    const host = hostOfHeader(absolute?.host ?? hostHeader);
    const live = options.rulesets.byHostname(host);
    if (!live) return next(request, response);
    const start = stopwatch();
    const visit = {
      target: requestTarget(absolute?.target ?? url),
      method: request.method,
      host,
      scheme: options.schemeOf?.(request),
      redirectTo: live.redirectTo,
    };
    const headers = ['X-Request-Id', options.requestId(request)];
    const answer = answerVisit(visit, live.rules.ruleset, live.site, now, headers);
    send(response, answer.status, headers, answer.body);
    if (answer.path === undefined) return;
    options.rulesets.recordRequest(live);
    const { path, match, redirectId } = answer;
    options.onOutcome?.(request, { live, path, match, redirectId, micros: (stopwatch() - start) * 1000 });
  };
}

/** A proxy may have routed by the other Host (RFC 9112, 3.2). */
function rejectTwoHosts(request: IncomingMessage, response: ServerResponse, requestId: string): void {
  const body = 'The request has more than one Host header; send one.\n';
  const headers = ['X-Request-Id', requestId, 'Cache-Control', 'no-cache', 'Content-Type', 'text/plain; charset=utf-8'];
  headers.push('Content-Length', String(body.length));
  send(response, 400, headers, request.method === 'HEAD' ? '' : body);
}

/**
 * Writes the head at once, which costs less than one `setHeader` each. `headers` alternates names and values. The body
 * is ASCII. Node discards the body of the request after the response.
 */
function send(response: ServerResponse, status: number, headers: string[], body: string): void {
  response.writeHead(status, headers);
  response.end(body, 'latin1');
}
